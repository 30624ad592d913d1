package dev.sluice.engine.accept;

import static dev.sluice.engine.accept.Refusals.NO_REFUSAL;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.account.plan.Plan;
import dev.sluice.account.plan.Retention;
import dev.sluice.engine.EventVerification;
import dev.sluice.engine.InFlightRecorder;
import dev.sluice.engine.commit.PartitionStore;
import dev.sluice.engine.commit.ResultJournal;
import dev.sluice.engine.lanes.LaneStore;
import dev.sluice.engine.node.Node;
import dev.sluice.engine.send.AttemptRunner;
import dev.sluice.engine.send.DispatchEnvironment;
import dev.sluice.engine.send.DispatchWakes;
import dev.sluice.engine.send.Dispatcher;
import dev.sluice.engine.send.EventTracer;
import dev.sluice.engine.send.TestDispatchers;
import dev.sluice.engine.settle.CooldownBackoff;
import dev.sluice.engine.settle.Settlement;
import dev.sluice.engine.settle.SharedCircuits;
import dev.sluice.gateway.destination.DestinationStore;
import dev.sluice.gateway.routing.ConfigurationCache;
import dev.sluice.gateway.routing.IngestRoute;
import dev.sluice.gateway.routing.Route;
import dev.sluice.gateway.source.SourceStore;
import dev.sluice.platform.db.Database;
import dev.sluice.platform.db.Db;
import dev.sluice.platform.db.DedicatedConnection;
import dev.sluice.platform.id.Uuid7;
import dev.sluice.platform.loop.Wake;
import dev.sluice.platform.meter.LockFreeHistogram;
import dev.sluice.testkit.Given;
import dev.sluice.testkit.ManualClock;
import dev.sluice.testkit.ScriptedSender;
import dev.sluice.testkit.Some;
import dev.sluice.testkit.TestPostgres;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Random;
import java.util.UUID;

/// Tests that an event that is not stored releases its quota token and its memory.
class IngestReservationTest {

    private static final Database DATABASE = TestPostgres.newDatabase();

    private final Db db = TestPostgres.open(DATABASE);
    private final ManualClock clock = new ManualClock(Some.NOON);
    private final Uuid7 ids = new Uuid7(clock, new Random(4));
    private final Route route = Some.route(Some.sourceId());
    private final Dispatcher dispatcher = dispatcher();
    private final MonthlyQuota quota =
            new MonthlyQuota(
                    db,
                    _ -> oneEvent(),
                    _ -> Optional.of(route.source()),
                    Duration.ofSeconds(10),
                    clock);

    @AfterEach
    void close() {
        db.close();
    }

    private static Plan.PlanLimits oneEvent() {
        var none = OptionalInt.empty();
        return new Plan.PlanLimits(
                none,
                none,
                OptionalLong.of(1),
                none,
                none,
                Plan.MAX_CONNECTIONS_PER_SOURCE,
                none,
                new Plan.StorageLimits(OptionalLong.empty(), Retention.ofDays(30)));
    }

    private Dispatcher dispatcher() {
        var node = Node.join(db, new UUID(1, 1));
        var configuration =
                ConfigurationCache.open(
                        db,
                        new SourceStore(Given.SEALER),
                        new DestinationStore(Given.SEALER),
                        new Wake());
        var resultJournal =
                new ResultJournal(
                        new DedicatedConnection(DATABASE, "results"),
                        new PartitionStore(db),
                        node::epoch,
                        ids,
                        clock);
        var settlement = new Settlement(clock, new Random(3), 0);
        var circuits =
                SharedCircuits.open(
                        db,
                        node,
                        CooldownBackoff.STANDARD,
                        LaneStore::wake,
                        clock,
                        new Wake(),
                        new Wake());
        var attemptRunner =
                new AttemptRunner(
                        configuration,
                        (_, _) -> false,
                        new ScriptedSender(),
                        settlement,
                        circuits,
                        InFlightRecorder.NO_OP,
                        clock);
        return TestDispatchers.with(
                new DispatchEnvironment(
                        configuration,
                        node,
                        resultJournal,
                        circuits,
                        clock,
                        DispatchWakes.create()),
                attemptRunner,
                Thread::startVirtualThread);
    }

    /// Counts the further deliveries to the destination that fit in memory, and reserves them.
    private int room() {
        int room = 0;
        while (dispatcher.admission().reserve(route.destination().id(), 1)) {
            room++;
        }
        return room;
    }

    @SuppressWarnings("NullAway") // the test uses only the arguments given
    private IngestEndpoint ingest() {
        return new IngestEndpoint(
                null,
                null,
                IngestLimits.of(
                        null,
                        null,
                        new UnverifiedEventLimiter(clock),
                        quota,
                        dispatcher.admission()),
                new IngestEndpoint.IngestMeters(
                        new RefusalCounter(clock),
                        LockFreeHistogram.ofDurations(),
                        new EventTracer(Optional.empty(), clock)),
                new InboundCheck("http://h", "X-Service-Hop"),
                ids,
                clock);
    }

    @SuppressWarnings("NullAway") // simulates a bug
    private Route broken() {
        return new Route(route.connection(), route.source(), false, null, false, 1);
    }

    @Test
    void a_bug_on_the_way_to_the_journal_keeps_neither_token_nor_room() {
        var ingestRoute = new IngestRoute(route.source(), List.of(route, broken()));
        var checkResult =
                new InboundCheck.InboundCheckResult(
                        EventVerification.SKIPPED, List.of(), Optional.empty());

        assertThatThrownBy(() ->
                        ingest().prepareEvent(
                                        ingestRoute,
                                        "POST",
                                        Optional.empty(),
                                        checkResult,
                                        new byte[9]))
                .isInstanceOf(NullPointerException.class);

        assertThat(room()).isEqualTo(2_048);
        var next = Some.eventId(clock.instant());
        assertThat(Refusals.status(() -> quota.spend(route.source(), next))).isEqualTo(NO_REFUSAL);
    }

    /// The missing journal simulates one that throws, for example for lack of memory.
    @Test
    void an_event_that_the_journal_throws_at_keeps_neither_token_nor_room() {
        var ingestRoute = new IngestRoute(route.source(), List.of(route));
        var checkResult =
                new InboundCheck.InboundCheckResult(
                        EventVerification.SKIPPED, List.of(), Optional.empty());
        var ingest = ingest();
        var event =
                ingest.prepareEvent(
                        ingestRoute, "POST", Optional.empty(), checkResult, new byte[9]);

        assertThatThrownBy(() -> ingest.offer(event)).isInstanceOf(NullPointerException.class);

        assertThat(room()).isEqualTo(2_048);
        var next = Some.eventId(clock.instant());
        assertThat(Refusals.status(() -> quota.spend(route.source(), next))).isEqualTo(NO_REFUSAL);
    }
}
