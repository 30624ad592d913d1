package dev.sluice.platform.http;

import static org.assertj.core.api.Assertions.assertThat;

import org.eclipse.jetty.io.ByteArrayEndPoint;
import org.junit.jupiter.api.Test;

import java.time.Duration;

class PartialHeadLimiterTest {

    private final ByteArrayEndPoint endPoint = new ByteArrayEndPoint();

    /// Of these bytes, the limit gives out 1 400.
    private final InboundMemory memory = new InboundMemory(1600, Duration.ZERO, System::nanoTime);

    @Test
    void heads_share_their_memory_and_give_it_back() {
        var one = new PartialHeadLimiter(endPoint, memory, Duration.ofMinutes(1));
        var other = new PartialHeadLimiter(endPoint, memory, Duration.ofMinutes(1));

        assertThat(one.read(100)).isTrue();
        assertThat(one.read(100)).isTrue();
        assertThat(other.read(100)).isTrue();
        one.end();
        assertThat(memory.freeBytes()).isEqualTo(1200);
        other.end();
        assertThat(memory.freeBytes()).isEqualTo(1600);
    }

    @Test
    void the_oldest_head_gives_way_to_a_later_one() {
        var oldEndPoint = new ByteArrayEndPoint();
        var old = new PartialHeadLimiter(oldEndPoint, memory, Duration.ofMinutes(1));
        var later = new PartialHeadLimiter(endPoint, memory, Duration.ofMinutes(1));
        assertThat(old.read(300)).isTrue();
        assertThat(old.timeoutStatus()).isEqualTo(408);

        assertThat(later.read(100)).isTrue();

        assertThat(oldEndPoint.getIdleTimeout()).isEqualTo(1);
        assertThat(old.timeoutStatus()).isEqualTo(503);
        assertThat(old.read(1)).isFalse();
        old.end();
        assertThat(old.read(100)).as("the next head of the connection").isTrue();
        assertThat(old.timeoutStatus()).isEqualTo(408);
    }

    @Test
    void a_head_that_is_alone_and_too_large_is_refused() {
        var head = new PartialHeadLimiter(endPoint, memory, Duration.ofMinutes(1));

        assertThat(head.read(350)).isTrue();
        assertThat(head.read(1)).isFalse();
    }

    @Test
    void its_time_is_the_connections_idle_time_until_it_ends() {
        endPoint.setIdleTimeout(30_000);
        var head = new PartialHeadLimiter(endPoint, memory, Duration.ofSeconds(10));

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
        var head = new PartialHeadLimiter(endPoint, memory, Duration.ZERO);

        head.read(1);
        assertThat(head.isLate()).isTrue();
        head.end();
        assertThat(head.isLate()).isFalse();
    }
}
