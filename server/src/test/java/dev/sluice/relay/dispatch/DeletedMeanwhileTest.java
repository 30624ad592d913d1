package dev.sluice.relay.dispatch;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.gateway.connection.ConnectionId;
import dev.sluice.gateway.destination.DestinationId;
import dev.sluice.gateway.source.SourceId;
import dev.sluice.relay.DeliveryId;
import dev.sluice.relay.ErrorCode;
import dev.sluice.relay.OnTheWire;
import dev.sluice.relay.Outcome;
import dev.sluice.relay.Trigger;
import dev.sluice.relay.Work;
import dev.sluice.relay.settle.Settlement;
import dev.sluice.relay.upkeep.Sweep;
import dev.sluice.testkit.Some;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.time.Duration;
import java.util.Optional;
import java.util.Random;

/// What becomes of deliveries whose connection or destination is deleted, or held, while they are
/// under way, or before another node has heard of it.
class DeletedMeanwhileTest {

    private static final String HOST = "a.example";

    private final Engine engine = Engine.alone();
    private final SourceId source = engine.given.source();
    private final DestinationId destination = engine.given.destination(HOST, 4);
    private final ConnectionId connection = engine.given.connection(source, destination);
    private final Sweep sweep =
            new Sweep(engine.db, engine.routing, new Holds(engine.circuits), engine.clock);

    @AfterEach
    void close() {
        engine.close();
    }

    private DeliveryId onTheWire() {
        engine.learn();
        engine.sender.hang(HOST);
        var delivery = engine.accept(connection);
        engine.awaitSent(HOST, 1);
        return delivery;
    }

    private void delete(boolean isDestination) {
        if (isDestination) {
            engine.given.deleted(destination);
        } else {
            engine.given.deleted(connection);
        }
        engine.learn();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void an_attempt_under_way_ends_as_deleted_instead_of_a_retry(boolean isDestination)
            throws InterruptedException {
        var delivery = onTheWire();
        engine.sender.alwaysAnswers(HOST, 503);
        delete(isDestination);

        engine.sender.letGo(HOST);
        engine.awaitWritten(1);
        sweep.run();
        engine.backlog.run();
        engine.awaitWritten(2);

        assertThat(engine.standing(delivery)).isEqualTo(isDestination ? "4 1 13" : "4 1 14");
        assertThat(engine.sender.parcels()).hasSize(1);
        assertThat(engine.count("attempt")).as("the one that was made").isEqualTo(1);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void an_attempt_under_way_ends_with_its_result(boolean isDestination) {
        var delivery = onTheWire();
        delete(isDestination);

        engine.sender.letGo(HOST);
        engine.awaitWritten(1);

        assertThat(engine.standing(delivery)).isEqualTo("3 1");
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void what_a_node_that_has_not_heard_of_it_stores_later_ends_too(boolean isDestination)
            throws InterruptedException {
        engine.learn();
        try (var late = Engine.another()) {
            delete(isDestination);
            sweep.run();
            var delivery = late.acceptWaiting(connection);

            sweep.run();
            engine.backlog.run();
            engine.awaitWritten(1);

            assertThat(engine.standing(delivery)).isEqualTo(isDestination ? "4 0 13" : "4 0 14");
        }
    }

    @Test
    void what_is_held_while_it_is_being_connected_is_not_sent() {
        engine.learn();
        var delivering =
                new Delivering(
                        engine.routing,
                        (_, _, _) -> false,
                        (_, mayStart) -> {
                            assertThat(mayStart.getAsBoolean()).isTrue();
                            engine.given.paused(destination, true);
                            engine.learn();
                            assertThat(mayStart.getAsBoolean()).isFalse();
                            return new Outcome.Unreachable(
                                    ErrorCode.INTERRUPTED, "not sent", Duration.ZERO);
                        },
                        new Settlement(engine.clock, new Random(3), 0),
                        engine.circuits,
                        OnTheWire.UNNOTED,
                        engine.clock);
        var work =
                new Work(
                        DeliveryId.of(Some.eventId(), 1),
                        source,
                        connection,
                        Trigger.INGEST,
                        0,
                        Optional.empty());
        var ready = new Ready(work, Some.payload("{}"), true, engine.node.epoch());

        assertThat(delivering.deliver(ready, engine.clock.instant(), () -> true, false)).isEmpty();
    }
}
