package dev.sluice.engine.send;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.engine.DeliveryId;
import dev.sluice.engine.ErrorCode;
import dev.sluice.engine.InFlightRecorder;
import dev.sluice.engine.Outcome;
import dev.sluice.engine.Trigger;
import dev.sluice.engine.UnfinishedDelivery;
import dev.sluice.engine.lanes.LaneSweeper;
import dev.sluice.engine.settle.Settlement;
import dev.sluice.engine.share.RateLimiter;
import dev.sluice.gateway.connection.ConnectionId;
import dev.sluice.gateway.destination.DestinationId;
import dev.sluice.gateway.source.SourceId;
import dev.sluice.testkit.DeliveryState;
import dev.sluice.testkit.Some;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.time.Duration;
import java.util.Optional;
import java.util.Random;

/// Deletes or holds a connection or destination while its deliveries are under way, or before
/// another node knows of the change.
class DeletedDuringAttemptTest {

    private static final String HOST = "a.example";

    private final DispatchHarness harness = DispatchHarness.firstNode();
    private final SourceId source = harness.given.source();
    private final DestinationId destination = harness.given.destination(HOST, 4);
    private final ConnectionId connection = harness.given.connection(source, destination);
    private final LaneSweeper laneSweeper =
            new LaneSweeper(
                    harness.db,
                    harness.configuration,
                    new HoldPolicy(harness.circuits),
                    harness.clock,
                    () -> {});

    @AfterEach
    void close() {
        harness.close();
    }

    private DeliveryId onTheWire() {
        harness.refreshConfiguration();
        harness.sender.hang(HOST);
        var delivery = harness.accept(connection);
        harness.awaitSent(HOST, 1);
        return delivery;
    }

    private void delete(boolean isDestination) {
        if (isDestination) {
            harness.given.deleted(destination);
        } else {
            harness.given.deleted(connection);
        }
        harness.refreshConfiguration();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void an_attempt_under_way_ends_as_deleted_instead_of_a_retry(boolean isDestination)
            throws InterruptedException {
        var delivery = onTheWire();
        harness.sender.alwaysAnswer(HOST, 503);
        delete(isDestination);

        harness.sender.release(HOST);
        harness.awaitWritten(1);
        laneSweeper.run();
        harness.backlog.run();
        harness.awaitWritten(2);

        assertThat(harness.stateOf(delivery))
                .isEqualTo(
                        isDestination
                                ? DeliveryState.failed(1, ErrorCode.DESTINATION_DELETED)
                                : DeliveryState.failed(1, ErrorCode.CONNECTION_DELETED));
        assertThat(harness.sender.requests()).hasSize(1);
        assertThat(harness.count("attempt")).as("only the one attempt").isEqualTo(1);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void an_attempt_under_way_ends_with_its_result(boolean isDestination) {
        var delivery = onTheWire();
        delete(isDestination);

        harness.sender.release(HOST);
        harness.awaitWritten(1);

        assertThat(harness.stateOf(delivery)).isEqualTo(DeliveryState.succeeded(1));
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void what_a_node_that_has_not_heard_of_it_stores_later_ends_too(boolean isDestination)
            throws InterruptedException {
        harness.refreshConfiguration();
        try (var late = DispatchHarness.anotherNode()) {
            delete(isDestination);
            laneSweeper.run();
            var delivery = late.acceptWaiting(connection);

            laneSweeper.run();
            harness.backlog.run();
            harness.awaitWritten(1);

            assertThat(harness.stateOf(delivery))
                    .isEqualTo(
                            isDestination
                                    ? DeliveryState.failed(0, ErrorCode.DESTINATION_DELETED)
                                    : DeliveryState.failed(0, ErrorCode.CONNECTION_DELETED));
        }
    }

    @Test
    void what_is_held_while_it_is_being_connected_is_not_sent() throws InterruptedException {
        harness.refreshConfiguration();
        var attemptRunner =
                new AttemptRunner(
                        harness.configuration,
                        (_, _) -> false,
                        (_, mayStart) -> {
                            assertThat(mayStart.getAsBoolean()).isTrue();
                            harness.given.paused(destination, true);
                            harness.refreshConfiguration();
                            assertThat(mayStart.getAsBoolean()).isFalse();
                            return new Outcome.AttemptError(
                                    ErrorCode.INTERRUPTED, "not sent", Duration.ZERO);
                        },
                        new Settlement(harness.clock, new Random(3), 0),
                        harness.circuits,
                        InFlightRecorder.NO_OP,
                        harness.clock);
        var delivery =
                new UnfinishedDelivery(
                        DeliveryId.of(Some.eventId(), 1),
                        source,
                        connection,
                        Trigger.INGEST,
                        0,
                        Optional.empty());
        var loaded = new LoadedDelivery(delivery, Some.payload("{}"), true, harness.node.epoch());

        assertThat(
                        attemptRunner.runAttempt(
                                new DestinationQueue(new RateLimiter(harness.clock)),
                                loaded,
                                harness.clock.instant(),
                                () -> true,
                                false))
                .isEmpty();
    }
}
