package dev.sluice.relay.dispatch;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.relay.DeliveryId;
import dev.sluice.relay.Trigger;
import dev.sluice.relay.Work;
import dev.sluice.relay.store.Lane;
import dev.sluice.testkit.Some;

import org.junit.jupiter.api.Test;

import java.util.Optional;

class LaneReaderTest {

    private final Work work = work(DeliveryId.of(Some.eventId(), 1));
    private final LaneReader reader = new LaneReader(Lane.of(work));

    private static Work work(DeliveryId id) {
        var route = Some.route(Some.sourceId());
        return new Work(
                id,
                route.source().id(),
                route.connection().id(),
                Trigger.INGEST,
                0,
                Optional.empty());
    }

    /// A node that was declared dead took the delivery again from its lane, and only then puts back
    /// the one it had before: forgotten for that, it would be read and sent once more.
    @Test
    void a_delivery_that_comes_back_from_before_is_not_the_one_taken_here() {
        reader.take(work);

        reader.forget(
                new Work(
                        work.id(),
                        work.source(),
                        work.connection(),
                        work.trigger(),
                        work.attempts(),
                        work.createdAt()));
        assertThat(reader.taken()).isEqualTo(1);

        reader.forget(work);
        assertThat(reader.taken()).isZero();
    }
}
