package dev.sluice.relay.dispatch;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.gateway.destination.DestinationId;
import dev.sluice.testkit.Some;

import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

class PacingTest {

    private final List<DestinationId> started = new ArrayList<>();
    private final Pacing pacing = new Pacing(started::add);

    /// Also when there are others: a round may be just done with those.
    @Test
    void every_destination_that_is_left_wakes_the_rounds() {
        var wakes = new AtomicInteger();
        pacing.wakeBy(wakes::incrementAndGet);
        var one = new DestinationId(Some.id());
        var other = new DestinationId(Some.id());

        pacing.leave(one);
        pacing.leave(other);
        pacing.leave(one);

        assertThat(wakes).hasValue(2);
        pacing.look();
        assertThat(started).containsExactlyInAnyOrder(one, other);
        pacing.look();
        assertThat(started).hasSize(2);
    }
}
