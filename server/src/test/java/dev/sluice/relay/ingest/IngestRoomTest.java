package dev.sluice.relay.ingest;

import static dev.sluice.relay.ingest.Refusals.NONE;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.account.plan.Plan;
import dev.sluice.account.plan.Retention;
import dev.sluice.gateway.destination.DestinationStore;
import dev.sluice.gateway.routing.Inlet;
import dev.sluice.gateway.routing.Route;
import dev.sluice.gateway.routing.Routing;
import dev.sluice.gateway.source.SourceStore;
import dev.sluice.platform.db.Database;
import dev.sluice.platform.db.Db;
import dev.sluice.platform.db.Line;
import dev.sluice.platform.id.Uuid7;
import dev.sluice.relay.Checked;
import dev.sluice.relay.OnTheWire;
import dev.sluice.relay.circuit.Cooldowns;
import dev.sluice.relay.circuit.SharedCircuits;
import dev.sluice.relay.dispatch.Delivering;
import dev.sluice.relay.dispatch.Dispatcher;
import dev.sluice.relay.node.Node;
import dev.sluice.relay.settle.Settlement;
import dev.sluice.relay.store.Partitions;
import dev.sluice.relay.store.Results;
import dev.sluice.testkit.Given;
import dev.sluice.testkit.ManualClock;
import dev.sluice.testkit.ScriptedSender;
import dev.sluice.testkit.Some;
import dev.sluice.testkit.TestCluster;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Random;
import java.util.UUID;

/// What is kept for an event between its body and its commit.
class IngestRoomTest {

    private static final Database DATABASE = TestCluster.newDatabase();

    private final Db db = TestCluster.open(DATABASE);
    private final ManualClock clock = new ManualClock(Some.NOON);
    private final Uuid7 ids = new Uuid7(clock, new Random(4));
    private final Route route = Some.route(Some.sourceId());
    private final Dispatcher dispatcher = dispatcher();
    private final Quota quota =
            new Quota(
                    db,
                    _ -> oneEvent(),
                    _ -> Optional.of(route.source()),
                    Duration.ofSeconds(10),
                    clock);

    @AfterEach
    void close() {
        db.close();
    }

    private static Plan.Limits oneEvent() {
        var none = OptionalInt.empty();
        return new Plan.Limits(none, none, OptionalLong.of(1), none, none, Retention.ofDays(30));
    }

    private Dispatcher dispatcher() {
        var node = Node.join(db, new UUID(1, 1), clock);
        var routing =
                Routing.open(db, new SourceStore(Given.SEALER), new DestinationStore(Given.SEALER));
        var results =
                new Results(
                        new Line(DATABASE, "results"), new Partitions(db), node::epoch, ids, clock);
        var settlement = new Settlement(clock, new Random(3), 0);
        var circuits = SharedCircuits.open(db, node, Cooldowns.STANDARD, clock);
        var delivering =
                new Delivering(
                        routing,
                        (_, _, _) -> false,
                        new ScriptedSender(),
                        settlement,
                        circuits,
                        OnTheWire.UNNOTED,
                        clock);
        return new Dispatcher(
                routing, node, results, delivering, circuits, Thread::startVirtualThread, clock);
    }

    /// How many more deliveries to its destination have room in memory.
    private int room() {
        int room = 0;
        while (dispatcher.intake().reserve(route.destination().id(), 1)) {
            room++;
        }
        return room;
    }

    @SuppressWarnings("NullAway") // of what this asks for, the rest is not used
    private Ingest ingest() {
        return new Ingest(
                null,
                dispatcher.intake(),
                null,
                null,
                null,
                quota,
                ids,
                clock,
                "http://h",
                "X-Service");
    }

    @SuppressWarnings("NullAway") // a bug, as none is known
    private Route broken() {
        return new Route(route.connection(), route.source(), false, null);
    }

    @Test
    void a_bug_on_the_way_to_the_journal_keeps_neither_token_nor_room() {
        var inlet = new Inlet(route.source(), List.of(route, broken()));
        var screened = new Screening.Screened(Checked.SKIPPED, List.of(), Optional.empty());

        assertThatThrownBy(() ->
                        ingest().event(inlet, "POST", Optional.empty(), screened, new byte[9]))
                .isInstanceOf(NullPointerException.class);

        assertThat(room()).isEqualTo(2_048);
        var next = Some.eventId(clock.instant());
        assertThat(Refusals.status(() -> quota.spend(route.source(), next))).isEqualTo(NONE);
    }

    /// As when there is no memory to queue it.
    @Test
    void an_event_that_the_journal_throws_at_keeps_neither_token_nor_room() {
        var inlet = new Inlet(route.source(), List.of(route));
        var screened = new Screening.Screened(Checked.SKIPPED, List.of(), Optional.empty());
        var ingest = ingest();
        var event = ingest.event(inlet, "POST", Optional.empty(), screened, new byte[9]);

        assertThatThrownBy(() -> ingest.offer(event)).isInstanceOf(NullPointerException.class);

        assertThat(room()).isEqualTo(2_048);
        var next = Some.eventId(clock.instant());
        assertThat(Refusals.status(() -> quota.spend(route.source(), next))).isEqualTo(NONE);
    }
}
