package dev.sluice.platform.http;

import static org.assertj.core.api.Assertions.assertThat;

import org.eclipse.jetty.io.ByteArrayEndPoint;
import org.junit.jupiter.api.Test;

import java.time.Duration;

class UnfinishedHeadTest {

    private final ByteArrayEndPoint endPoint = new ByteArrayEndPoint();
    private final BodyMemory memory = new BodyMemory(1000);

    @Test
    void heads_share_their_memory_and_give_it_back() {
        var one = new UnfinishedHead(endPoint, memory, Duration.ofMinutes(1));
        var other = new UnfinishedHead(endPoint, memory, Duration.ofMinutes(1));

        assertThat(one.read(100)).isTrue();
        assertThat(one.read(100)).isTrue();
        assertThat(other.read(100)).isFalse();
        one.end();
        assertThat(other.read(100)).isTrue();
        one.end();
        other.end();
        assertThat(memory.take(1000)).isTrue();
    }

    @Test
    void its_time_is_the_connections_idle_time_until_it_ends() {
        endPoint.setIdleTimeout(30_000);
        var head = new UnfinishedHead(endPoint, memory, Duration.ofSeconds(10));

        head.read(1);
        assertThat(head.isWaiting()).isTrue();
        assertThat(head.isLate()).isFalse();
        assertThat(endPoint.getIdleTimeout()).isBetween(1L, 10_000L);

        head.end();
        assertThat(head.isWaiting()).isFalse();
        assertThat(endPoint.getIdleTimeout()).isEqualTo(30_000);
    }

    @Test
    void it_is_late_when_its_time_is_over() {
        var head = new UnfinishedHead(endPoint, memory, Duration.ZERO);

        head.read(1);
        assertThat(head.isLate()).isTrue();
        head.end();
        assertThat(head.isLate()).isFalse();
    }
}
