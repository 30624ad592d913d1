package dev.sluice.engine.send;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.engine.DeliveryId;
import dev.sluice.engine.Trigger;
import dev.sluice.engine.UnfinishedDelivery;
import dev.sluice.engine.settle.CircuitBreaker;
import dev.sluice.gateway.connection.ConnectionId;
import dev.sluice.gateway.destination.DestinationId;
import dev.sluice.gateway.source.SourceId;
import dev.sluice.testkit.DeliveryState;
import dev.sluice.testkit.Some;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// A process that was frozen for longer than its lease, and continues.
class FrozenNodeTest {

    private static final String HOST = "a.example";
    private static final Duration LONGER_THAN_LEASE = Duration.ofSeconds(60);

    private final DispatchHarness harness = DispatchHarness.firstNode();
    private final SourceId source = harness.given.source();
    private final DestinationId destination = harness.given.destination(HOST, 4);
    private final ConnectionId connection = harness.given.connection(source, destination);

    @AfterEach
    void close() {
        harness.close();
    }

    /// Accepts six deliveries: four on the wire, two queued.
    private List<DeliveryId> sixInMemory() {
        harness.refreshConfiguration();
        harness.sender.hang(HOST);
        var deliveries = new ArrayList<DeliveryId>();
        for (int i = 0; i < 6; i++) {
            deliveries.add(harness.accept(connection));
        }
        harness.awaitSent(HOST, 4);
        return deliveries;
    }

    @Test
    void alone_it_sends_nothing_until_it_has_its_lease_again() {
        var deliveries = sixInMemory();
        harness.skipMonotonicTime(LONGER_THAN_LEASE);

        harness.sender.release(HOST);
        harness.awaitWritten(6);
        deliveries.add(harness.accept(connection));
        harness.round();

        assertThat(harness.sender.sentTo(HOST)).hasSize(4);
        assertThat(deliveries)
                .extracting(harness::stateOf)
                .containsOnly(DeliveryState.succeeded(1), DeliveryState.waiting(0))
                .filteredOn(DeliveryState.waiting(0)::equals)
                .hasSize(3);

        harness.runNode();
        harness.roundsUntilDone();
        assertThat(deliveries)
                .extracting(harness::stateOf)
                .containsOnly(DeliveryState.succeeded(1));
        assertThat(harness.sender.sentTo(HOST)).hasSize(7).doesNotHaveDuplicates();
    }

    @Test
    void what_another_took_over_is_sent_by_that_one_alone() {
        var deliveries = sixInMemory();
        try (var other = DispatchHarness.anotherNode()) {
            other.refreshConfiguration();
            harness.skipMonotonicTime(LONGER_THAN_LEASE);
            harness.loseLease();
            other.runNode();
            other.roundsUntilDone();
            assertThat(other.sender.sentTo(HOST)).containsExactlyInAnyOrderElementsOf(deliveries);

            harness.sender.release(HOST);
            harness.awaitWritten(6);
            harness.runNode();
            harness.round();

            assertThat(harness.sender.sentTo(HOST)).as("what was on the wire").hasSize(4);
            assertThat(deliveries)
                    .extracting(harness::stateOf)
                    .containsOnly(DeliveryState.succeeded(1));
            assertThat(harness.count("delivery_work")).isZero();
        }
    }

    @Test
    void what_failed_while_it_stood_still_opens_no_circuit() {
        var wide = harness.given.destination("b.example", 8);
        var there = harness.given.connection(source, wide);
        harness.refreshConfiguration();
        harness.sender.alwaysAnswer("b.example", 503);
        harness.sender.setLatency("b.example", LONGER_THAN_LEASE);
        harness.sender.hang("b.example");
        for (int i = 0; i < 6; i++) {
            harness.accept(there);
        }
        harness.awaitSent("b.example", 6);
        harness.skipMonotonicTime(LONGER_THAN_LEASE);
        harness.runNode(); // no other node took its work, so one round renews its lease

        harness.sender.release("b.example");
        harness.awaitWritten(6);

        assertThat(harness.circuits.of(wide).state()).isEqualTo(CircuitBreaker.CircuitState.CLOSED);
        assertThat(harness.circuits.of(wide).failures()).isZero();
    }

    /// The node lives under a new epoch and has leased again what is still on the wire from before.
    @Test
    void an_attempt_from_before_that_ends_does_not_hide_the_one_under_way() {
        harness.refreshConfiguration();
        var elsewhere = harness.given.destination("b.example", 4);
        var again = harness.given.connection(source, elsewhere);
        harness.refreshConfiguration();
        harness.sender.hang(HOST);
        harness.sender.hang("b.example");
        var id = DeliveryId.of(Some.eventId(), 1);
        send(id, connection, destination);
        harness.awaitSent(HOST, 1);
        harness.clock.advance(LONGER_THAN_LEASE);
        send(id, again, elsewhere);
        harness.awaitSent("b.example", 1);

        harness.sender.release(HOST);
        harness.awaitWritten(1);

        assertThat(harness.dispatcher.attemptStartedAt(id)).contains(harness.clock.instant());
        harness.sender.release("b.example");
        harness.awaitWritten(2);
        DispatchHarness.awaitSoon().until(() -> harness.dispatcher.attemptStartedAt(id).isEmpty());
    }

    private void send(DeliveryId id, ConnectionId by, DestinationId to) {
        var delivery = new UnfinishedDelivery(id, source, by, Trigger.INGEST, 0, Optional.empty());
        assertThat(harness.dispatcher.admission().reserveWaiting(destination, Trigger.INGEST, 100))
                .isTrue();
        harness.dispatcher
                .admission()
                .addWaiting(
                        to,
                        new LoadedDelivery(
                                delivery, Some.payload("{}"), false, harness.node.epoch()));
    }

    /// The node gets a new epoch before a thread that had taken a delivery sends it.
    @Test
    void what_it_took_before_it_was_declared_dead_is_not_sent_under_its_next_epoch() {
        harness.refreshConfiguration();
        long before = harness.node.epoch();
        try (var other = DispatchHarness.anotherNode()) {
            harness.loseLease();
            other.runNode();
            harness.runNode();
            assertThat(harness.node.mayStart()).isTrue();

            var id = DeliveryId.of(Some.eventId(), 1);
            var delivery =
                    new UnfinishedDelivery(
                            id, source, connection, Trigger.INGEST, 0, Optional.empty());
            assertThat(
                            harness.dispatcher
                                    .admission()
                                    .reserveWaiting(destination, Trigger.INGEST, 100))
                    .isTrue();
            harness.dispatcher
                    .admission()
                    .addWaiting(
                            destination,
                            new LoadedDelivery(delivery, Some.payload("{}"), false, before));
            DispatchHarness.awaitSoon().until(() -> harness.dispatcher.pollWritten().isPresent());

            assertThat(harness.sender.requests()).isEmpty();
        }
    }
}
