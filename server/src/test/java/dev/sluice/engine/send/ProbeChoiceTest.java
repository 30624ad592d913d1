package dev.sluice.engine.send;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.engine.DeliveryId;
import dev.sluice.engine.Outcome;
import dev.sluice.engine.PoisonPolicy;
import dev.sluice.engine.Trigger;
import dev.sluice.engine.commit.PartitionStore;
import dev.sluice.engine.lanes.Lane;
import dev.sluice.engine.settle.CooldownBackoff;
import dev.sluice.gateway.connection.ConnectionId;
import dev.sluice.gateway.destination.DestinationId;
import dev.sluice.gateway.source.SourceId;
import dev.sluice.platform.db.Database;
import dev.sluice.testkit.Given;
import dev.sluice.testkit.GivenRows;
import dev.sluice.testkit.ManualClock;
import dev.sluice.testkit.Some;
import dev.sluice.testkit.TestPostgres;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;

/// Which delivery asks a destination whether it works again: over all lanes, one that has not
/// failed.
class ProbeChoiceTest {

    private static final String HOST = "a.example";
    private static final Database DATABASE = TestPostgres.newDatabase();
    private static final Duration COOLDOWN = Duration.ofSeconds(1);
    private static final Duration MAX_COOLDOWN = Duration.ofSeconds(4);

    /// An epoch that is not this node's.
    private static final long OTHER_NODE = 1_000_000;

    /// The deliveries at which the receiver fails, whatever the others get.
    private final Set<DeliveryId> poison = ConcurrentHashMap.newKeySet();

    private final DispatchHarness harness = harness();
    private final SourceId source = harness.given.source();
    private final DestinationId destination = harness.given.destination(HOST, 4);
    private final ConnectionId connection = harness.given.connection(source, destination);

    private DispatchHarness harness() {
        try (var db = TestPostgres.open(DATABASE)) {
            Given.clearTables(db);
            new PartitionStore(db).makeAhead(Some.NOON);
        }
        return node(9);
    }

    private DispatchHarness node(long seed) {
        return new DispatchHarness(
                new DispatchHarness.DatabaseAddresses(DATABASE, DATABASE, DATABASE),
                new UUID(seed, seed),
                new ManualClock(Some.NOON),
                new Random(seed),
                new CooldownBackoff(COOLDOWN, MAX_COOLDOWN),
                this::failingAtPoison);
    }

    private Sender failingAtPoison(Sender sender) {
        return (request, mayStart) -> {
            var outcome = sender.send(request, mayStart);
            return poison.contains(request.delivery())
                    ? new Outcome.DestinationResponse(500, "", Duration.ZERO, Optional.empty())
                    : outcome;
        };
    }

    @AfterEach
    void close() {
        harness.close();
    }

    /// Opens the circuit, whose next probe is due now and asks with the oldest.
    private void open() {
        harness.sender.alwaysAnswer(HOST, 503);
        harness.db.run(tx -> GivenRows.insertOpenCircuit(tx, destination, harness.clock.instant()));
        harness.refreshConfiguration();
    }

    /// Stores deliveries that wait, in the order of their ids.
    private List<DeliveryId> waiting(ConnectionId on, int count) {
        var before = new HashSet<>(stored());
        harness.clock.advance(Duration.ofMillis(10));
        harness.backlogOf(on, count);
        return stored().stream().filter(id -> !before.contains(id)).toList();
    }

    private List<DeliveryId> stored() {
        return harness.db.call(tx ->
                tx.query(
                        "select id from delivery_work order by id",
                        row -> new DeliveryId(row.uuid("id"))));
    }

    private void set(DeliveryId delivery, String assignment) {
        harness.db.run(tx ->
                tx.update(
                        "update delivery_work set " + assignment + " where id = ?",
                        delivery.value()));
    }

    /// Sends the next probe, which fails, and returns what it asked with.
    private DeliveryId nextProbe() {
        int before = harness.sender.sentTo(HOST).size();
        harness.clock.advance(MAX_COOLDOWN.multipliedBy(2));
        DispatchHarness.awaitSoon()
                .until(() -> {
                    harness.round();
                    return harness.sender.sentTo(HOST).size() > before;
                });
        harness.awaitIdle();
        harness.round();
        harness.awaitIdle();
        assertThat(harness.sender.sentTo(HOST)).hasSize(before + 1);
        return harness.sender.sentTo(HOST).getLast();
    }

    @Test
    void probes_ask_with_the_oldest_and_the_newest_untried_delivery_of_all_lanes_in_turn() {
        var other = harness.given.connection(harness.given.source(), destination);
        open();
        var deliveries = new ArrayList<DeliveryId>();
        for (int i = 0; i < 3; i++) {
            deliveries.addAll(waiting(connection, 1));
            deliveries.addAll(waiting(other, 1));
        }

        var asked = new ArrayList<DeliveryId>();
        for (int i = 0; i < 6; i++) {
            asked.add(nextProbe());
        }

        assertThat(asked)
                .containsExactly(
                        deliveries.get(0),
                        deliveries.get(5),
                        deliveries.get(1),
                        deliveries.get(4),
                        deliveries.get(2),
                        deliveries.get(3));
    }

    @Test
    void probe_asks_with_the_fewest_attempts_if_every_due_delivery_has_failed() {
        open();
        var deliveries = waiting(connection, 4);
        set(deliveries.get(0), "attempts = 3");
        set(deliveries.get(1), "attempts = 2");
        set(deliveries.get(2), "attempts = 1, next_at = 'infinity'");
        set(deliveries.get(3), "attempts = 4");

        assertThat(nextProbe()).isEqualTo(deliveries.get(1));
    }

    @Test
    void untried_resend_asks_before_a_failed_delivery_and_after_a_live_one() {
        open();
        var failed = waiting(connection, 1).getFirst();
        set(failed, "attempts = 1");
        var resent = waiting(connection, 1).getFirst();
        set(resent, "trigger = 2");
        var live = waiting(connection, 1).getFirst();

        assertThat(nextProbe()).isEqualTo(live);
        assertThat(nextProbe()).isEqualTo(resent);
    }

    @Test
    void suspect_of_a_crash_never_asks_while_another_delivery_waits() {
        open();
        var suspect = waiting(connection, 1).getFirst();
        set(suspect, "recoveries = " + PoisonPolicy.MAX_SHARED_RECOVERIES);
        var failed = waiting(connection, 1).getFirst();
        set(failed, "attempts = 2");

        assertThat(nextProbe()).isEqualTo(failed);
    }

    @Test
    void probe_asks_with_nothing_that_is_on_hold() {
        var pausedSource = harness.given.source();
        var paused = harness.given.connection(pausedSource, destination);
        var disabled = harness.given.connection(harness.given.source(), destination);
        open();
        waiting(paused, 1);
        waiting(disabled, 1);
        var free = waiting(connection, 1).getFirst();
        set(free, "attempts = 1");
        waiting(paused, 1);
        waiting(disabled, 1);
        harness.given.paused(pausedSource, true);
        harness.given.enabled(disabled, false);
        harness.refreshConfiguration();

        assertThat(nextProbe()).isEqualTo(free);
    }

    @Test
    void probe_leaves_a_lane_alone_that_another_node_has_leased() {
        var otherSource = harness.given.source();
        var other = harness.given.connection(otherSource, destination);
        open();
        waiting(other, 1);
        harness.db.run(tx ->
                GivenRows.insertLane(
                        tx,
                        new Lane(other, Trigger.INGEST, otherSource),
                        Optional.empty(),
                        Optional.of(OTHER_NODE)));
        var failed = waiting(connection, 1).getFirst();
        set(failed, "attempts = 1");

        assertThat(nextProbe()).isEqualTo(failed);
    }

    @Test
    void lane_that_was_leased_for_a_probe_is_read_once_the_circuit_closes() {
        var otherSource = harness.given.source();
        var other = harness.given.connection(otherSource, destination);
        open();
        var asleep = waiting(other, 3);
        harness.db.run(tx ->
                GivenRows.insertLane(
                        tx,
                        new Lane(other, Trigger.INGEST, otherSource),
                        Optional.empty(),
                        Optional.empty()));
        set(waiting(connection, 1).getFirst(), "attempts = 1");
        harness.wakeNow(connection, source);
        harness.sender.alwaysAnswer(HOST, 200);
        harness.clock.advance(MAX_COOLDOWN);

        harness.runLoopsOnce();
        harness.awaitSent(HOST, 1);
        assertThat(harness.sender.sentTo(HOST)).startsWith(asleep.getFirst());

        DispatchHarness.awaitSoon()
                .until(() -> {
                    harness.runLoopsOnce(); // nothing else wakes the lane
                    return harness.sender.sentTo(HOST).containsAll(asleep);
                });
    }

    /// With the oldest due delivery as the probe, each of the forty kept the circuit open for one
    /// more cooldown.
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void forty_deliveries_that_fail_for_ever_keep_no_other_waiting(boolean areNewest) {
        harness.db.run(tx -> GivenRows.insertOpenCircuit(tx, destination, harness.clock.instant()));
        harness.refreshConfiguration();
        var good = new ArrayList<DeliveryId>();
        if (areNewest) {
            good.addAll(waiting(connection, 60));
        }
        poison.addAll(waiting(connection, 40));
        if (!areNewest) {
            good.addAll(waiting(connection, 60));
        }

        int seconds = 0;
        while (!harness.sender.sentTo(HOST).containsAll(good)) {
            harness.round();
            harness.awaitIdle();
            harness.clock.advance(Duration.ofSeconds(1));
            assertThat(++seconds).as("seconds until all others were delivered").isLessThan(60);
        }

        var sent = harness.sender.sentTo(HOST);
        assertThat(good).allSatisfy(one -> assertThat(sent).containsOnlyOnce(one));
        assertThat(harness.count("delivery_work where attempts > 3")).isZero();
    }

    @Test
    void two_nodes_take_turns_with_the_newest_and_the_oldest() {
        open();
        var deliveries = waiting(connection, 4);
        var asked = new ArrayList<DeliveryId>();
        asked.add(nextProbe());
        try (var second = node(11)) {
            second.sender.alwaysAnswer(HOST, 503);
            second.refreshConfiguration();
            second.clock.advance(MAX_COOLDOWN.multipliedBy(100));
            second.circuits.run();
            DispatchHarness.awaitSoon()
                    .until(() -> {
                        second.round();
                        return second.sender.sentTo(HOST).size() == 1;
                    });
            second.awaitIdle();
            asked.addAll(second.sender.sentTo(HOST));
            second.circuits.run();
        }

        assertThat(asked).containsExactly(deliveries.getFirst(), deliveries.getLast());
    }
}
