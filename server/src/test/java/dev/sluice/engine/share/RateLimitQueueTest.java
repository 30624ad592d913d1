package dev.sluice.engine.share;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.gateway.destination.DestinationId;
import dev.sluice.platform.loop.Wake;
import dev.sluice.testkit.Some;

import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;

class RateLimitQueueTest {

    private final List<DestinationId> started = new ArrayList<>();
    private final Wake wake = new Wake();
    private final RateLimitQueue rateLimitQueue =
            new RateLimitQueue(started::add, () -> Some.NOON, wake);

    /// Others may be waiting already: a round may just have retried those.
    @Test
    void every_destination_that_is_left_wakes_the_rounds() {
        var one = new DestinationId(Some.id());
        var other = new DestinationId(Some.id());

        rateLimitQueue.add(one);
        assertThat(wake.take()).isTrue();
        rateLimitQueue.add(other);
        assertThat(wake.take()).isTrue();
        rateLimitQueue.add(one);
        assertThat(wake.take()).isFalse();

        rateLimitQueue.retryAll();
        assertThat(started).containsExactlyInAnyOrder(one, other);
        rateLimitQueue.retryAll();
        assertThat(started).hasSize(2);
    }
}
