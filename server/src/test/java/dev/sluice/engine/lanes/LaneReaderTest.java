package dev.sluice.engine.lanes;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.account.workspace.WorkspaceId;
import dev.sluice.engine.DeliveryId;
import dev.sluice.engine.EventId;
import dev.sluice.engine.Payload;
import dev.sluice.engine.Trigger;
import dev.sluice.engine.UnfinishedDelivery;
import dev.sluice.gateway.source.SourceId;
import dev.sluice.testkit.Some;

import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;

class LaneReaderTest {

    private final UnfinishedDelivery delivery = work(DeliveryId.of(Some.eventId(), 1));
    private final LaneReader reader =
            new LaneReader(
                    new LaneStore.LeasedLane(Lane.of(delivery), new WorkspaceId(new UUID(0, 0))));

    private static UnfinishedDelivery work(DeliveryId id) {
        var route = Some.route(Some.sourceId());
        return new UnfinishedDelivery(
                id,
                route.source().id(),
                route.connection().id(),
                Trigger.INGEST,
                0,
                Optional.empty());
    }

    /// A node that was declared dead takes a delivery again from its lane, and only then puts back
    /// its old copy. Forgetting the new one for that would send it once more.
    @Test
    void a_delivery_that_comes_back_from_before_is_not_the_one_taken_here() {
        reader.add(delivery);

        reader.forget(
                new UnfinishedDelivery(
                        delivery.id(),
                        delivery.source(),
                        delivery.connection(),
                        delivery.trigger(),
                        delivery.attempts(),
                        delivery.createdAt()));
        assertThat(reader.inMemory()).isEqualTo(1);

        reader.forget(delivery);
        assertThat(reader.inMemory()).isZero();
    }

    @Test
    void after_the_clock_was_set_back_it_begins_at_the_beginning() {
        var lanes = new RecordingLanes();
        reader.read(lanes, Some.NOON.plus(Duration.ofDays(10)), 8);
        reader.read(lanes, Some.NOON.plus(Duration.ofDays(10)), 8);

        reader.read(lanes, Some.NOON, 8);

        assertThat(lanes.positions)
                .containsExactly(
                        Instant.EPOCH,
                        Some.NOON.plus(Duration.ofDays(10)).minus(LaneReader.MAX_TRANSACTION_AGE),
                        Instant.EPOCH);
    }

    @Test
    void a_lane_that_is_not_read_to_its_end_also_begins_again_after_the_clock_was_set_back() {
        var late = Some.NOON.plus(Duration.ofDays(10));
        var lanes = new RecordingLanes();
        lanes.waiting = List.of(waiting(late), waiting(late), waiting(late));
        reader.read(lanes, late, 2);
        reader.advance(lanes.waiting.getFirst());

        lanes.waiting = List.of(waiting(Some.NOON), waiting(Some.NOON), waiting(Some.NOON));
        reader.read(lanes, Some.NOON, 2);

        assertThat(lanes.positions.getLast()).isEqualTo(Instant.EPOCH);
    }

    private static LaneStore.WaitingDelivery waiting(Instant at) {
        return new LaneStore.WaitingDelivery(work(DeliveryId.of(Some.eventId(), 1)), at, 0);
    }

    /// A lane, empty at first, and the positions from which it was read.
    private static final class RecordingLanes implements Lanes {

        final List<Instant> positions = new ArrayList<>();
        List<LaneStore.WaitingDelivery> waiting = List.of();

        @Override
        public List<LaneStore.WaitingDelivery> due(
                Lane lane, Instant until, Instant afterNextAt, UUID afterId, int limit) {
            positions.add(afterNextAt);
            return waiting.stream().limit(limit).toList();
        }

        @Override
        public List<LaneStore.DueLane> dueFor(
                long epoch, Instant now, Collection<WorkspaceId> excluded, int limit) {
            return List.of();
        }

        @Override
        public List<Lane> lease(long epoch, Instant now, Collection<Lane> wanted) {
            return List.of();
        }

        @Override
        public List<LaneStore.LeasedLane> leased(long epoch) {
            return List.of();
        }

        @Override
        public void wake(Lane lane, Instant at) {}

        @Override
        public void release(Lane lane, long epoch, Optional<Instant> wakeAt) {}

        @Override
        public Optional<ProbeStore.ProbeCandidate> leaseForProbe(
                long epoch, ProbeStore.ProbeLanes lanes, boolean isNewest, Instant now) {
            return Optional.empty();
        }

        @Override
        public Optional<Instant> firstDue(Lane lane) {
            return Optional.empty();
        }

        @Override
        public Map<EventId, Payload> payloads(SourceId source, Collection<EventId> events) {
            return Map.of();
        }
    }
}
