package dev.sluice.engine.send;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.engine.Trigger;
import dev.sluice.engine.lanes.Lane;
import dev.sluice.gateway.connection.ConnectionId;
import dev.sluice.gateway.source.SourceId;
import dev.sluice.testkit.Given;
import dev.sluice.testkit.GivenRows;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;

/// Many probes that are due at once keep nothing else waiting.
class ProbeLoopTest {

    private static final int DOWN_COUNT = 200;
    private static final String DOWN = "down.example";

    /// A tenth of the cooldown of the circuits given here.
    private static final Duration MAX_DELAY = Duration.ofSeconds(6);

    private final DispatchHarness harness = DispatchHarness.firstNode();
    private final SourceId source = harness.given.source();

    @AfterEach
    void close() {
        harness.close();
    }

    /// Creates destinations with an open circuit, each with one delivery that waits.
    private List<ConnectionId> down(String host, int count, Instant reopenAt) {
        var connected = harness.given.connectedDestinations(source, host, 4, count);
        harness.db.run(tx ->
                connected.forEach(
                        one -> GivenRows.insertOpenCircuit(tx, one.destination(), reopenAt)));
        harness.refreshConfiguration();
        var connections = new ArrayList<ConnectionId>();
        for (var one : connected) {
            connections.add(one.connection());
            harness.backlogOf(one.connection(), 1);
        }
        return connections;
    }

    private ConnectionId healthy() {
        var healthy =
                harness.given.connection(source, harness.given.destination("healthy.example", 4));
        harness.refreshConfiguration();
        return healthy;
    }

    /// Runs a round of the reading thread alone.
    private void read() throws InterruptedException {
        harness.runNode();
        harness.circuits.run();
        harness.backlog.run();
    }

    private int sentToDown() {
        return harness.sender.sentTo(DOWN).size();
    }

    /// An attack that was made: when the cooldowns of 10 000 destinations ended, a healthy delivery
    /// waited for 29 s behind their probes.
    @Test
    void a_healthy_delivery_does_not_wait_for_probes() throws InterruptedException {
        down(DOWN, DOWN_COUNT, harness.clock.instant());
        harness.wakeAll();
        var healthy = healthy();
        harness.backlogOf(healthy, 1);
        harness.wakeNow(healthy, source);

        read();

        harness.awaitSent("healthy.example", 1);
        assertThat(harness.lanes.statements()).as("for all lanes together").isLessThan(10);
        assertThat(sentToDown()).isZero();

        harness.sender.hang(DOWN);
        while (harness.backlog.probeLoop().run()) {
            harness.runNode();
        }
        harness.awaitSent(DOWN, DOWN_COUNT);
        read();
        assertThat(sentToDown()).isEqualTo(DOWN_COUNT);
    }

    @Test
    void workspaces_take_turns_with_their_probes() throws InterruptedException {
        down(DOWN, DOWN_COUNT, harness.clock.instant());
        harness.wakeAll();
        var others = new Given(harness.db);
        var from = others.source();
        var one = others.connectedDestinations(from, "other.example", 4, 1).getFirst();
        harness.db.run(
                tx -> GivenRows.insertOpenCircuit(tx, one.destination(), harness.clock.instant()));
        harness.refreshConfiguration();
        harness.backlogOf(one.connection(), 1);
        harness.wakeNow(one.connection(), from);

        read();
        harness.backlog.probeLoop().run();
        harness.backlog.probeLoop().run();

        harness.awaitSent("other.example", 1);
    }

    @Test
    void lanes_behind_circuits_that_open_together_wake_at_different_times()
            throws InterruptedException {
        var reopenAt = harness.clock.instant().plusSeconds(60);
        down(DOWN, DOWN_COUNT, reopenAt);
        harness.wakeAll();

        read();

        var wakes = new TreeSet<>(wakes());
        assertThat(wakes).hasSizeGreaterThan(DOWN_COUNT / 2);
        assertThat(wakes.first()).isBetween(reopenAt, reopenAt.plusSeconds(1));
        assertThat(wakes.last()).isBetween(reopenAt.plusSeconds(4), reopenAt.plus(MAX_DELAY));
    }

    private List<Instant> wakes() {
        return harness.db.call(
                tx -> tx.query("select wake_at from lane", row -> row.instant("wake_at")));
    }

    @Test
    void a_change_of_a_circuit_does_not_gather_its_lanes_again() {
        var reopenAt = harness.clock.instant().plusSeconds(60);
        var connection = down(DOWN, 1, reopenAt).getFirst();
        var wakeAt = reopenAt.plus(MAX_DELAY);
        harness.db.run(tx ->
                GivenRows.insertLane(
                        tx,
                        new Lane(connection, Trigger.INGEST, source),
                        Optional.of(wakeAt),
                        Optional.empty()));

        harness.circuits.run();

        assertThat(wakes()).containsExactly(wakeAt);
    }

    /// Each try would claim the probe and give it back, which writes the circuit.
    @Test
    void a_probe_without_memory_for_its_payload_is_tried_again_after_a_rest()
            throws InterruptedException {
        down(DOWN, 1, harness.clock.instant());
        harness.wakeAll();
        read();
        var other = harness.given.destination("other.example", 4);
        harness.refreshConfiguration();
        var admission = harness.dispatcher.admission();
        assertThat(admission.reserve(other, 256 << 20)).isTrue();

        var probeLoop = harness.backlog.probeLoop();
        assertThat(probeLoop.run()).isTrue();
        admission.cancel(other, 256 << 20);
        read();
        assertThat(probeLoop.run()).as("tried again at once").isFalse();
        assertThat(sentToDown()).isZero();

        harness.clock.advance(Duration.ofSeconds(2));
        read();
        assertThat(probeLoop.run()).isTrue();
        harness.awaitSent(DOWN, 1);
    }

    /// The lane that was lent belongs to others by then, and the probe that was claimed for it is
    /// given back.
    @Test
    void a_probe_chosen_under_an_older_epoch_is_not_sent() throws InterruptedException {
        down(DOWN, 1, harness.clock.instant());
        harness.wakeAll();
        read();
        harness.db.run(tx -> tx.update("update node set state = 'dead'"));
        read(); // under a new epoch

        harness.sender.hang(DOWN);
        var probeLoop = harness.backlog.probeLoop();
        assertThat(probeLoop.run()).isTrue();
        harness.awaitIdle();
        assertThat(sentToDown()).isZero();

        DispatchHarness.awaitSoon()
                .until(() -> {
                    harness.round();
                    return sentToDown() == 1;
                });
        harness.round();
        assertThat(sentToDown()).isEqualTo(1);
    }

    @Test
    void a_lane_that_is_lent_when_its_connection_is_deleted_ends_its_deliveries()
            throws InterruptedException {
        var connection = down(DOWN, 1, harness.clock.instant()).getFirst();
        harness.wakeAll();
        read();
        harness.given.deleted(connection);
        harness.refreshConfiguration();

        harness.roundsUntilDone();

        assertThat(sentToDown()).isZero();
    }
}
