package dev.sluice.relay.fairness;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.gateway.destination.DestinationId;
import dev.sluice.testkit.Some;

import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

class RateLimitQueueTest {

    private final List<DestinationId> started = new ArrayList<>();
    private final RateLimitQueue rateLimitQueue = new RateLimitQueue(started::add);

    /// Others may be waiting already: a round may just have retried those.
    @Test
    void every_destination_that_is_left_wakes_the_rounds() {
        var wakes = new AtomicInteger();
        rateLimitQueue.onWakeNeeded(wakes::incrementAndGet);
        var one = new DestinationId(Some.id());
        var other = new DestinationId(Some.id());

        rateLimitQueue.add(one);
        rateLimitQueue.add(other);
        rateLimitQueue.add(one);

        assertThat(wakes).hasValue(2);
        rateLimitQueue.retryAll();
        assertThat(started).containsExactlyInAnyOrder(one, other);
        rateLimitQueue.retryAll();
        assertThat(started).hasSize(2);
    }
}
