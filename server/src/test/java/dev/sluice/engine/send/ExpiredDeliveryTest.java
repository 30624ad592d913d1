package dev.sluice.engine.send;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.account.plan.PlanCatalog;
import dev.sluice.engine.ErrorCode;
import dev.sluice.engine.commit.PartitionStore;
import dev.sluice.features.audit.DatabaseAuditor;
import dev.sluice.features.retention.RetentionLoop;
import dev.sluice.gateway.connection.ConnectionId;
import dev.sluice.gateway.source.SourceId;
import dev.sluice.platform.id.Uuid7;
import dev.sluice.testkit.DeliveryState;
import dev.sluice.testkit.Some;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.List;
import java.util.Random;

/// Deliveries whose event's retention ends before they are delivered.
class ExpiredDeliveryTest {

    private static final String HOST = "a.example";
    private static final Duration RETENTION = Duration.ofDays(30);

    private final DispatchHarness harness = DispatchHarness.firstNode();
    private final SourceId source = harness.given.source();
    private final ConnectionId connection =
            harness.given.connection(source, harness.given.destination(HOST, 1));

    @AfterEach
    void close() {
        harness.close();
    }

    private void endExpired() {
        new RetentionLoop(
                        harness.db,
                        PlanCatalog.builtIn(),
                        new PartitionStore(harness.db),
                        new Uuid7(harness.clock, new Random(4)),
                        harness.dispatcher,
                        (_, _) -> {},
                        List.of(),
                        harness.clock)
                .run();
    }

    private void assertConserved() {
        assertThat(
                        DatabaseAuditor.check(
                                        harness.db, Some.NOON, Some.NOON.plus(Duration.ofHours(1)))
                                .violations())
                .isEmpty();
    }

    @Test
    void what_waits_and_is_expired_is_ended_and_not_sent() {
        harness.refreshConfiguration();
        var delivery = harness.acceptWaiting(connection);
        harness.clock.advance(RETENTION);

        harness.round();
        harness.awaitWritten(1);

        assertThat(harness.stateOf(delivery))
                .isEqualTo(DeliveryState.failed(0, ErrorCode.EVENT_EXPIRED));
        assertThat(harness.sender.requests()).isEmpty();
        assertConserved();
    }

    @Test
    void what_waits_is_sent_until_then() {
        harness.refreshConfiguration();
        var delivery = harness.acceptWaiting(connection);
        harness.clock.advance(RETENTION.minusMillis(1));

        harness.round();
        harness.awaitWritten(1);

        assertThat(harness.stateOf(delivery)).isEqualTo(DeliveryState.succeeded(1));
    }

    /// The attempt under way when the retention ends is recorded normally.
    @Test
    void what_waits_in_memory_for_its_turn_is_ended_too() {
        harness.refreshConfiguration();
        harness.sender.hang(HOST);
        var underWay = harness.accept(connection);
        harness.awaitSent(HOST, 1);
        var queued = harness.accept(connection);
        harness.clock.advance(RETENTION);

        harness.sender.release(HOST);
        harness.awaitWritten(2);

        assertThat(harness.stateOf(underWay)).isEqualTo(DeliveryState.succeeded(1));
        assertThat(harness.stateOf(queued))
                .isEqualTo(DeliveryState.failed(0, ErrorCode.EVENT_EXPIRED));
        assertThat(harness.sender.sentTo(HOST)).containsExactly(underWay);
        assertConserved();
    }

    @Test
    void a_retry_that_would_come_too_late_is_not_made() {
        harness.refreshConfiguration();
        harness.sender.alwaysAnswer(HOST, 503);
        var delivery = harness.accept(connection);
        harness.awaitWritten(1);
        assertThat(harness.stateOf(delivery)).isEqualTo(DeliveryState.waiting(1));
        harness.clock.advance(RETENTION.plus(Duration.ofMinutes(31)));

        endExpired();

        assertThat(harness.stateOf(delivery))
                .isEqualTo(DeliveryState.failed(1, ErrorCode.EVENT_EXPIRED));
        assertThat(harness.count("attempt")).isEqualTo(1);
        assertThat(harness.sender.sentTo(HOST)).hasSize(1);
        assertConserved();
    }

    /// Happens only to a process that was frozen for half an hour.
    @Test
    void a_success_that_comes_after_the_end_changes_nothing() {
        harness.refreshConfiguration();
        harness.sender.hang(HOST);
        var delivery = harness.acceptWaiting(connection);
        harness.round();
        harness.awaitSent(HOST, 1);
        harness.clock.advance(RETENTION.plus(Duration.ofMinutes(31)));
        endExpired();
        assertThat(harness.stateOf(delivery))
                .isEqualTo(DeliveryState.failed(0, ErrorCode.EVENT_EXPIRED));

        harness.sender.release(HOST);
        harness.awaitWritten(1);
        harness.round();

        assertThat(harness.stateOf(delivery))
                .isEqualTo(DeliveryState.failed(0, ErrorCode.EVENT_EXPIRED));
        assertThat(harness.count("delivery")).isEqualTo(1);
        assertThat(harness.count("delivery_work")).isZero();
        assertConserved();
    }

    @Test
    void a_success_that_comes_before_the_end_counts() {
        harness.refreshConfiguration();
        harness.sender.hang(HOST);
        var delivery = harness.accept(connection);
        harness.awaitSent(HOST, 1);
        harness.clock.advance(RETENTION.plus(Duration.ofMinutes(31)));
        endExpired();

        harness.sender.release(HOST);
        harness.awaitWritten(1);

        assertThat(harness.stateOf(delivery)).isEqualTo(DeliveryState.succeeded(1));
        assertConserved();
    }
}
