package dev.sluice.engine.send;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.engine.lanes.DueWorkMonitor;
import dev.sluice.gateway.connection.ConnectionId;
import dev.sluice.gateway.destination.DestinationId;
import dev.sluice.gateway.source.SourceId;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.stream.Stream;

/// When due work counts as late although nothing of its own destination holds it back.
class DueWorkTest {

    private static final Duration JUST_TOO_LONG = Duration.ofSeconds(31);

    private final DispatchHarness harness = DispatchHarness.firstNode(4);
    private final SourceId source = harness.given.source();
    private final DestinationId destination = harness.given.destination("a.example", 1);
    private final ConnectionId connection = harness.given.connection(source, destination);
    private final DueWorkMonitor monitor =
            new DueWorkMonitor(
                    harness.db,
                    harness.configuration,
                    new HoldPolicy(harness.circuits),
                    harness.backlog,
                    harness.dispatcher,
                    harness.clock);

    @AfterEach
    void close() {
        harness.close();
    }

    private void rounds() {
        for (int i = 0; i < 3; i++) {
            monitor.run();
        }
    }

    private void waitsInLane() {
        harness.refreshConfiguration();
        harness.backlogOf(connection, 1);
        harness.wakeNow(connection, source);
    }

    @Test
    void a_due_lane_that_nobody_reads_is_late_after_thirty_seconds() {
        waitsInLane();
        rounds();
        assertThat(monitor.isLate()).isFalse();

        harness.clock.advance(JUST_TOO_LONG);
        monitor.run();
        assertThat(monitor.isLate()).as("a node that has just started").isFalse();
        rounds();
        assertThat(monitor.isLate()).isTrue();

        harness.roundsUntilDone();
        DispatchHarness.awaitSoon()
                .until(() -> {
                    harness.runLoopsOnce(); // leaves the lane, which is empty now
                    monitor.run();
                    return !monitor.isLate();
                });
    }

    @Test
    void a_lane_on_hold_is_never_late() {
        harness.given.paused(destination, true);
        waitsInLane();
        harness.clock.advance(JUST_TOO_LONG);
        rounds();

        assertThat(monitor.isLate()).isFalse();
    }

    @Test
    void a_lane_that_waits_for_its_own_full_destination_is_never_late() {
        harness.refreshConfiguration();
        harness.sender.hang("a.example");
        harness.backlogOf(connection, 5);
        harness.round();
        harness.awaitSent("a.example", 1);
        harness.clock.advance(JUST_TOO_LONG);
        harness.heartbeat.run();
        harness.round();
        harness.dispatcher.updateStandings();
        rounds();

        assertThat(monitor.isLate()).isFalse();
    }

    @Test
    void a_destination_that_waits_for_a_permit_is_late_after_thirty_seconds() {
        var hanging = harness.given.destination("hanging.example", 4);
        var flood = harness.given.connection(source, hanging);
        var second = harness.given.destination("second.example", 4);
        var flood2 = harness.given.connection(source, second);
        harness.refreshConfiguration();
        harness.sender.hang("hanging.example");
        harness.sender.hang("second.example");
        harness.accept(flood);
        harness.accept(flood2);
        DispatchHarness.awaitSoon()
                .until(() ->
                        harness.sender.inFlight("hanging.example")
                                        + harness.sender.inFlight("second.example")
                                >= 1);
        harness.accept(connection);
        harness.accept(flood);
        harness.accept(flood2);
        harness.dispatcher.updateStandings();
        assertThat(monitor.isLate()).isFalse();

        harness.clock.advance(JUST_TOO_LONG);
        harness.dispatcher.updateStandings();
        assertThat(monitor.isLate()).isTrue();

        harness.sender.release("hanging.example");
        harness.sender.release("second.example");
        harness.awaitIdle();
        harness.dispatcher.updateStandings();
        assertThat(monitor.isLate()).isFalse();
    }

    /// Its first delivery proves it. It then gives its permit back, and a destination that proved
    /// itself earlier has all permits of that half.
    @Test
    void a_destination_that_gave_its_permit_back_and_gets_no_other_is_late() {
        var hanging = harness.given.destination("hanging.example", 4);
        var proven = harness.given.connection(source, hanging);
        var other = harness.given.connection(source, harness.given.destination("b.example", 4));
        harness.refreshConfiguration();
        harness.accept(proven);
        harness.awaitIdle();
        harness.sender.hang("hanging.example");
        harness.accept(proven);
        harness.awaitSent("hanging.example", 2);
        harness.sender.hang("a.example");
        harness.accept(connection);
        harness.awaitSent("a.example", 1);
        harness.accept(connection);
        harness.sender.hang("b.example");
        harness.accept(other);
        harness.sender.release("a.example");
        harness.awaitSent("b.example", 1);
        harness.dispatcher.updateStandings();
        assertThat(harness.sender.inFlight("a.example")).isZero();
        assertThat(monitor.isLate()).isFalse();

        harness.clock.advance(JUST_TOO_LONG);
        harness.dispatcher.updateStandings();
        assertThat(monitor.isLate()).isTrue();

        harness.sender.release("hanging.example");
        harness.sender.release("b.example");
        harness.awaitIdle();
        harness.dispatcher.updateStandings();
        assertThat(monitor.isLate()).isFalse();
    }

    @Test
    void a_slow_destination_that_wants_one_more_permit_is_never_late() {
        var slow = harness.given.destination("slow.example", 4);
        var toSlow = harness.given.connection(source, slow);
        harness.refreshConfiguration();
        harness.sender.hang("slow.example");
        harness.accept(toSlow);
        harness.accept(toSlow);
        harness.accept(toSlow);
        harness.awaitSent("slow.example", 1);
        harness.dispatcher.updateStandings();
        harness.clock.advance(JUST_TOO_LONG);
        harness.dispatcher.updateStandings();

        assertThat(harness.sender.inFlight("slow.example")).isEqualTo(1);
        assertThat(monitor.isLate()).isFalse();
        harness.sender.release("slow.example");
        harness.awaitIdle();
    }

    @Test
    void a_late_lane_is_noticed_behind_hundreds_whose_destination_is_sent_to() {
        var busySources = Stream.generate(harness.given::source).limit(200).toList();
        var busy =
                busySources.stream()
                        .map(each -> harness.given.connection(each, destination))
                        .toList();
        var otherSource = harness.given.source();
        var unread =
                harness.given.connection(otherSource, harness.given.destination("b.example", 1));
        harness.refreshConfiguration();
        harness.sender.hang("a.example");
        harness.accept(connection);
        harness.awaitSent("a.example", 1);
        for (int i = 0; i < busy.size(); i++) {
            harness.backlogOf(busy.get(i), 1);
            harness.wakeNow(busy.get(i), busySources.get(i));
        }
        harness.clock.advance(Duration.ofSeconds(1));
        harness.backlogOf(unread, 1);
        harness.wakeNow(unread, otherSource);
        harness.clock.advance(JUST_TOO_LONG);
        rounds();

        assertThat(monitor.isLate()).isTrue();
        harness.sender.release("a.example");
    }

    @Test
    void a_lane_that_nobody_reads_is_not_late_while_its_destination_is_sent_to() {
        var otherSource = harness.given.source();
        var unread = harness.given.connection(otherSource, destination);
        harness.refreshConfiguration();
        harness.sender.hang("a.example");
        harness.accept(connection);
        harness.awaitSent("a.example", 1);
        harness.backlogOf(unread, 1);
        harness.wakeNow(unread, otherSource);
        harness.clock.advance(JUST_TOO_LONG);
        rounds();
        assertThat(monitor.isLate()).isFalse();

        harness.sender.release("a.example");
        harness.awaitIdle();
        rounds();
        assertThat(monitor.isLate()).isTrue();
    }
}
