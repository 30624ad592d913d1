package dev.sluice.relay.dispatch;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.gateway.connection.ConnectionId;
import dev.sluice.gateway.destination.DestinationId;
import dev.sluice.gateway.source.SourceId;
import dev.sluice.relay.DeliveryId;
import dev.sluice.relay.Trigger;
import dev.sluice.relay.Work;
import dev.sluice.relay.circuit.Circuit;
import dev.sluice.testkit.Some;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// A process that stood still for longer than its lease, and what it finds when it wakes.
class FrozenNodeTest {

    private static final String HOST = "a.example";
    private static final Duration LONG = Duration.ofSeconds(60);

    private final Engine engine = Engine.alone();
    private final SourceId source = engine.given.source();
    private final DestinationId destination = engine.given.destination(HOST, 4);
    private final ConnectionId connection = engine.given.connection(source, destination);

    @AfterEach
    void close() {
        engine.close();
    }

    /// Four on the wire, two in line.
    private List<DeliveryId> sixInMemory() {
        engine.learn();
        engine.sender.hang(HOST);
        var deliveries = new ArrayList<DeliveryId>();
        for (int i = 0; i < 6; i++) {
            deliveries.add(engine.accept(connection));
        }
        engine.awaitSent(HOST, 4);
        return deliveries;
    }

    @Test
    void alone_it_sends_nothing_until_it_has_its_lease_again() {
        var deliveries = sixInMemory();
        engine.sleep(LONG);

        engine.sender.letGo(HOST);
        engine.awaitWritten(6);
        deliveries.add(engine.accept(connection));
        engine.round();

        assertThat(engine.sender.sentTo(HOST)).hasSize(4);
        assertThat(deliveries)
                .extracting(engine::standing)
                .containsOnly("3 1", "waiting 0")
                .filteredOn("waiting 0"::equals)
                .hasSize(3);

        engine.node.run();
        engine.roundsUntilDone();
        assertThat(deliveries).extracting(engine::standing).containsOnly("3 1");
        assertThat(engine.sender.sentTo(HOST)).hasSize(7).doesNotHaveDuplicates();
    }

    @Test
    void what_another_took_over_is_sent_by_that_one_alone() {
        var deliveries = sixInMemory();
        try (var other = Engine.another()) {
            other.learn();
            engine.sleep(LONG);
            engine.loseLease();
            other.node.run();
            other.roundsUntilDone();
            assertThat(other.sender.sentTo(HOST)).containsExactlyInAnyOrderElementsOf(deliveries);

            engine.sender.letGo(HOST);
            engine.awaitWritten(6);
            engine.node.run();
            engine.round();

            assertThat(engine.sender.sentTo(HOST)).as("what was on the wire").hasSize(4);
            assertThat(deliveries).extracting(engine::standing).containsOnly("3 1");
            assertThat(engine.count("delivery_work")).isZero();
        }
    }

    @Test
    void what_failed_while_it_stood_still_opens_no_circuit() {
        var wide = engine.given.destination("b.example", 8);
        var there = engine.given.connection(source, wide);
        engine.learn();
        engine.sender.alwaysAnswers("b.example", 503);
        engine.sender.takes("b.example", LONG);
        engine.sender.hang("b.example");
        for (int i = 0; i < 6; i++) {
            engine.accept(there);
        }
        engine.awaitSent("b.example", 6);
        engine.sleep(LONG);
        engine.node.run(); // nobody took its work, so it has its lease at once

        engine.sender.letGo("b.example");
        engine.awaitWritten(6);

        assertThat(engine.circuits.of(wide).state()).isEqualTo(Circuit.State.CLOSED);
        assertThat(engine.circuits.of(wide).failures()).isZero();
    }

    /// It lives again, and has leased what it has still on the wire from before.
    @Test
    void an_attempt_from_before_that_ends_does_not_hide_the_one_under_way() {
        engine.learn();
        var elsewhere = engine.given.destination("b.example", 4);
        var again = engine.given.connection(source, elsewhere);
        engine.learn();
        engine.sender.hang(HOST);
        engine.sender.hang("b.example");
        var id = DeliveryId.of(Some.eventId(), 1);
        send(id, connection, destination);
        engine.awaitSent(HOST, 1);
        engine.clock.advance(LONG);
        send(id, again, elsewhere);
        engine.awaitSent("b.example", 1);

        engine.sender.letGo(HOST);
        engine.awaitWritten(1);

        assertThat(engine.dispatcher.since(id)).contains(engine.clock.instant());
        engine.sender.letGo("b.example");
        engine.awaitWritten(2);
        Engine.soon().until(() -> engine.dispatcher.since(id).isEmpty());
    }

    private void send(DeliveryId id, ConnectionId by, DestinationId to) {
        var work = new Work(id, source, by, Trigger.INGEST, 0, Optional.empty());
        assertThat(engine.dispatcher.intake().reserveWaiting(destination, Trigger.INGEST, 100))
                .isTrue();
        engine.dispatcher
                .intake()
                .addWaiting(to, new Ready(work, Some.payload("{}"), false, engine.node.epoch()));
    }

    /// It lives again under a new epoch before a thread that had taken something comes to send it.
    @Test
    void what_it_took_before_it_was_declared_dead_is_not_sent_under_its_next_epoch() {
        engine.learn();
        long before = engine.node.epoch();
        try (var other = Engine.another()) {
            engine.loseLease();
            other.node.run();
            engine.node.run();
            assertThat(engine.node.mayStart()).isTrue();

            var id = DeliveryId.of(Some.eventId(), 1);
            var work = new Work(id, source, connection, Trigger.INGEST, 0, Optional.empty());
            assertThat(engine.dispatcher.intake().reserveWaiting(destination, Trigger.INGEST, 100))
                    .isTrue();
            engine.dispatcher
                    .intake()
                    .addWaiting(destination, new Ready(work, Some.payload("{}"), false, before));
            Engine.soon().until(() -> engine.dispatcher.pollWritten().isPresent());

            assertThat(engine.sender.parcels()).isEmpty();
        }
    }
}
