package dev.sluice.relay.dispatch;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.account.plan.PlanCatalog;
import dev.sluice.gateway.connection.ConnectionId;
import dev.sluice.gateway.source.SourceId;
import dev.sluice.observe.audit.Conservation;
import dev.sluice.platform.id.Uuid7;
import dev.sluice.relay.retention.Retaining;
import dev.sluice.relay.store.Partitions;
import dev.sluice.testkit.Some;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.Random;

/// Deliveries whose event's retention ends while they are on their way.
class ExpiredDeliveryTest {

    private static final String HOST = "a.example";
    private static final Duration RETENTION = Duration.ofDays(30);

    private final Engine engine = Engine.alone();
    private final SourceId source = engine.given.source();
    private final ConnectionId connection =
            engine.given.connection(source, engine.given.destination(HOST, 1));

    @AfterEach
    void close() {
        engine.close();
    }

    private void endExpired() {
        new Retaining(
                        engine.db,
                        PlanCatalog.standard(),
                        new Partitions(engine.db),
                        new Uuid7(engine.clock, new Random(4)),
                        engine.dispatcher,
                        _ -> {},
                        engine.clock,
                        engine.clock)
                .run();
    }

    private void assertConserved() {
        assertThat(
                        Conservation.check(
                                        engine.db, Some.NOON, Some.NOON.plus(Duration.ofHours(1)))
                                .violations())
                .isEmpty();
    }

    @Test
    void what_waits_and_is_expired_is_ended_and_not_sent() {
        engine.learn();
        var delivery = engine.acceptWaiting(connection);
        engine.clock.advance(RETENTION);

        engine.round();
        engine.awaitWritten(1);

        assertThat(engine.standing(delivery)).isEqualTo("4 0 15");
        assertThat(engine.sender.parcels()).isEmpty();
        assertConserved();
    }

    @Test
    void what_waits_is_sent_until_then() {
        engine.learn();
        var delivery = engine.acceptWaiting(connection);
        engine.clock.advance(RETENTION.minusMillis(1));

        engine.round();
        engine.awaitWritten(1);

        assertThat(engine.standing(delivery)).isEqualTo("3 1");
    }

    /// The one under way when the retention ends is recorded as it went.
    @Test
    void what_waits_in_memory_for_its_turn_is_ended_too() {
        engine.learn();
        engine.sender.hang(HOST);
        var underWay = engine.accept(connection);
        engine.awaitSent(HOST, 1);
        var queued = engine.accept(connection);
        engine.clock.advance(RETENTION);

        engine.sender.letGo(HOST);
        engine.awaitWritten(2);

        assertThat(engine.standing(underWay)).isEqualTo("3 1");
        assertThat(engine.standing(queued)).isEqualTo("4 0 15");
        assertThat(engine.sender.sentTo(HOST)).containsExactly(underWay);
        assertConserved();
    }

    @Test
    void a_retry_that_would_come_too_late_is_not_made() {
        engine.learn();
        engine.sender.alwaysAnswers(HOST, 503);
        var delivery = engine.accept(connection);
        engine.awaitWritten(1);
        assertThat(engine.standing(delivery)).isEqualTo("waiting 1");
        engine.clock.advance(RETENTION.plus(Duration.ofMinutes(31)));

        endExpired();

        assertThat(engine.standing(delivery)).isEqualTo("4 1 15");
        assertThat(engine.count("attempt")).isEqualTo(1);
        assertThat(engine.sender.sentTo(HOST)).hasSize(1);
        assertConserved();
    }

    /// Only a process that stood still for half an hour has one.
    @Test
    void a_success_that_comes_after_the_end_changes_nothing() {
        engine.learn();
        engine.sender.hang(HOST);
        var delivery = engine.acceptWaiting(connection);
        engine.round();
        engine.awaitSent(HOST, 1);
        engine.clock.advance(RETENTION.plus(Duration.ofMinutes(31)));
        endExpired();
        assertThat(engine.standing(delivery)).isEqualTo("4 0 15");

        engine.sender.letGo(HOST);
        engine.awaitWritten(1);
        engine.round();

        assertThat(engine.standing(delivery)).isEqualTo("4 0 15");
        assertThat(engine.count("delivery")).isEqualTo(1);
        assertThat(engine.count("delivery_work")).isZero();
        assertConserved();
    }

    @Test
    void a_success_that_comes_before_the_end_counts() {
        engine.learn();
        engine.sender.hang(HOST);
        var delivery = engine.accept(connection);
        engine.awaitSent(HOST, 1);
        engine.clock.advance(RETENTION.plus(Duration.ofMinutes(31)));
        endExpired();

        engine.sender.letGo(HOST);
        engine.awaitWritten(1);

        assertThat(engine.standing(delivery)).isEqualTo("3 1");
        assertConserved();
    }
}
