package dev.sluice.engine.send;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.account.workspace.WorkspaceId;
import dev.sluice.engine.DeliveryId;
import dev.sluice.engine.ErrorCode;
import dev.sluice.engine.EventId;
import dev.sluice.engine.InFlightRecorder;
import dev.sluice.engine.Outcome;
import dev.sluice.engine.Payload;
import dev.sluice.engine.Trigger;
import dev.sluice.engine.UnfinishedDelivery;
import dev.sluice.engine.commit.DeliveryResult;
import dev.sluice.engine.commit.ModelStore;
import dev.sluice.engine.lanes.Backlog;
import dev.sluice.engine.lanes.Lane;
import dev.sluice.engine.lanes.LaneStore;
import dev.sluice.engine.lanes.Lanes;
import dev.sluice.engine.lanes.ProbeStore;
import dev.sluice.engine.settle.Circuits;
import dev.sluice.engine.settle.Settlement;
import dev.sluice.gateway.routing.Route;
import dev.sluice.gateway.source.SourceId;
import dev.sluice.platform.db.DbRefusals;
import dev.sluice.testkit.ManualClock;
import dev.sluice.testkit.Some;

import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;

/// A lane whose row names this node as owner although the node does not know it. Reproduces what
/// the simulation found.
class LostLeaseReplyTest {

    private static final long EPOCH = 1;

    private final Route route = Some.route(Some.sourceId());
    private final Lane lane =
            new Lane(route.connection().id(), Trigger.INGEST, route.source().id());
    private final ModelStore store = new ModelStore(0, Set.of());
    private final ManualClock clock = new ManualClock(Some.NOON);
    private final Circuits circuits = FixedEnvironment.circuits(clock);
    private final List<DeliveryResult> results = new ArrayList<>();
    private final AtomicLong nanos = new AtomicLong();
    private final Backlog backlog = backlog();

    /// How long each lease query takes.
    private Duration leaseTakes = Duration.ZERO;

    /// If set, a release breaks its connection and does not commit yet.
    private boolean isCut;

    private Runnable late = () -> {};

    /// If set, the database refuses a release, so that nothing is committed.
    private boolean isRefused;

    private Backlog backlog() {
        var attemptRunner =
                new AttemptRunner(
                        FixedEnvironment.routes(route),
                        (_, _) -> false,
                        (_, _) ->
                                new Outcome.AttemptError(ErrorCode.INTERRUPTED, "", Duration.ZERO),
                        new Settlement(clock, new Random(1), 0),
                        circuits,
                        InFlightRecorder.NO_OP,
                        clock);
        var dispatcher =
                TestDispatchers.with(
                        new DispatchEnvironment(
                                FixedEnvironment.routes(route),
                                FixedEnvironment.lease(EPOCH),
                                (result, _) -> results.add(result),
                                circuits,
                                clock,
                                DispatchWakes.create()),
                        attemptRunner,
                        _ -> {});
        return new Backlog(
                new DispatchEnvironment(
                        FixedEnvironment.routes(route),
                        FixedEnvironment.lease(EPOCH),
                        (result, _) -> results.add(result),
                        circuits,
                        clock,
                        DispatchWakes.create()),
                lanes(),
                dispatcher,
                attemptRunner,
                nanos::get);
    }

    /// Stores work whose event is gone; the backlog ends it as soon as it reads it.
    private void storeWork() {
        store.resend(
                new UnfinishedDelivery(
                        DeliveryId.of(Some.eventId(), 1),
                        lane.source(),
                        lane.connection(),
                        Trigger.INGEST,
                        0,
                        Optional.empty()),
                clock.instant());
    }

    private void wakes() {
        store.wake(List.of(new LaneStore.LaneWake(lane, clock.instant())));
    }

    private void releaseInDoubt() throws InterruptedException {
        wakes();
        isCut = true;
        backlog.run();
        isCut = false;
    }

    /// Adopting the lane before that release commits would free it in use, and another node would
    /// send its deliveries too.
    @Test
    void a_lane_is_left_alone_while_its_release_may_still_commit() throws InterruptedException {
        releaseInDoubt();
        storeWork();
        clock.advance(Duration.ofSeconds(30));
        backlog.run();
        assertThat(results).isEmpty();

        clock.advance(Duration.ofSeconds(31));
        backlog.run();
        assertThat(results).hasSize(1);
    }

    /// A read-only database or a full disk commits nothing, so there is nothing to wait for.
    @Test
    void a_lane_whose_release_was_refused_is_worked_on_soon() throws InterruptedException {
        wakes();
        isRefused = true;
        backlog.run();
        isRefused = false;
        storeWork();

        clock.advance(Duration.ofSeconds(11));
        backlog.run();

        assertThat(results).hasSize(1);
    }

    @Test
    void a_lane_that_was_freed_late_is_leased_again_at_once() throws InterruptedException {
        releaseInDoubt();
        late.run();
        storeWork();
        wakes();

        backlog.run();

        assertThat(results).hasSize(1);
    }

    @Test
    void after_a_look_for_lanes_that_took_long_the_next_one_is_later() throws InterruptedException {
        leaseTakes = Duration.ofMillis(50);
        backlog.run();
        storeWork();
        wakes();
        nanos.addAndGet(Duration.ofMillis(1_900).toNanos());
        backlog.run();
        assertThat(results).isEmpty();

        nanos.addAndGet(Duration.ofMillis(100).toNanos());
        backlog.run();
        assertThat(results).hasSize(1);
    }

    /// Without the fix, adoption waited until the clock reached its old time again.
    @Test
    void a_clock_that_is_set_back_keeps_no_lane_forgotten() throws InterruptedException {
        clock.advance(Duration.ofHours(1));
        backlog.run();
        clock.advance(Duration.ofHours(-1));
        wakes();
        store.lease(EPOCH, clock.instant(), List.of(lane));
        storeWork();

        backlog.run();

        assertThat(results).hasSize(1);
    }

    private Lanes lanes() {
        return new Lanes() {
            @Override
            public List<LaneStore.DueLane> dueFor(
                    long epoch, Instant now, Collection<WorkspaceId> excluded, int limit) {
                nanos.addAndGet(leaseTakes.toNanos());
                return store.dueFor(epoch, now, limit);
            }

            @Override
            public List<Lane> lease(long epoch, Instant now, Collection<Lane> wanted) {
                return store.lease(epoch, now, wanted);
            }

            @Override
            public List<LaneStore.LeasedLane> leased(long epoch) {
                return store.leased(epoch);
            }

            @Override
            public void wake(Lane woken, Instant at) {
                store.wake(List.of(new LaneStore.LaneWake(woken, at)));
            }

            @Override
            public void release(Lane of, long epoch, Optional<Instant> wakeAt) {
                if (isCut) {
                    late = () -> store.release(of, epoch, wakeAt);
                    throw new SimulatedDatabase.ConnectionLost();
                }
                if (isRefused) {
                    throw DbRefusals.of("25006");
                }
                store.release(of, epoch, wakeAt);
            }

            @Override
            public List<LaneStore.WaitingDelivery> due(
                    Lane of, Instant until, Instant afterNextAt, UUID afterId, int limit) {
                return store.due(of, until, afterNextAt, afterId, limit);
            }

            @Override
            public Optional<ProbeStore.ProbeCandidate> leaseForProbe(
                    long epoch, ProbeStore.ProbeLanes lanes, boolean isNewest, Instant now) {
                return Optional.empty();
            }

            @Override
            public Optional<Instant> firstDue(Lane of) {
                return store.firstDue(of);
            }

            @Override
            public Map<EventId, Payload> payloads(SourceId source, Collection<EventId> events) {
                return store.payloads(source, events);
            }
        };
    }
}
