package dev.sluice.features.audit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;

import dev.sluice.engine.DeliveryId;
import dev.sluice.platform.db.DbException;
import dev.sluice.testkit.Damage;
import dev.sluice.testkit.ManualClock;
import dev.sluice.testkit.Some;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;
import org.slf4j.LoggerFactory;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;

/// Runs the rounds of the audit by hand, on a clock that the test moves.
@Isolated
class AuditLoopTest {

    private static final Instant NEXT_HOUR = Some.NOON.plus(Duration.ofHours(1));

    private final ManualClock clock = new ManualClock(Some.NOON);
    private final Logger logger = (Logger) LoggerFactory.getLogger(AuditLoop.class);
    private final ListAppender<ILoggingEvent> loggedEvents = new ListAppender<>();

    private AuditFixture fixture;
    private AuditLoop auditLoop;

    @BeforeEach
    void open() {
        fixture = new AuditFixture();
        auditLoop = newAuditLoop();
        loggedEvents.start();
        logger.addAppender(loggedEvents);
    }

    @AfterEach
    void close() {
        logger.detachAppender(loggedEvents);
        fixture.close();
    }

    @Test
    void damage_in_an_hour_that_was_just_closed_is_found_and_said_once() {
        var lost = DeliveryId.of(fixture.addEvent(NEXT_HOUR.minusSeconds(1), 1, 0), 1);
        checkedTo(Some.NOON);
        clock.advance(Duration.between(Some.NOON, NEXT_HOUR).plus(AuditLoop.HOUR_SETTLE_DELAY));

        runRounds(auditLoop, 20);
        clock.advance(Duration.ofHours(3));
        runRounds(auditLoop, 20);

        assertThat(errors()).hasSize(1);
        assertThat(errors().getFirst().getMessage()).isEqualTo("audit.violated");
        assertThat(errors().getFirst().getKeyValuePairs().toString())
                .contains("lost", "2026-03-01T12:00:00Z", lost + " is in neither work nor");
        assertThat(auditLoop.violations()).isEqualTo(1);
        assertThat(storedViolations()).isEqualTo(1);
    }

    @Test
    void an_hour_is_left_alone_until_it_is_closed() {
        fixture.addEvent(Some.NOON, 1, 0);
        checkedTo(Some.NOON);
        clock.advance(
                Duration.between(Some.NOON, NEXT_HOUR)
                        .plus(AuditLoop.HOUR_SETTLE_DELAY)
                        .minusMillis(1));
        runRounds(auditLoop, 20);

        assertThat(checkedTo()).isEqualTo(Some.NOON);
        assertThat(auditLoop.violations()).isZero();
    }

    @Test
    void it_begins_with_the_oldest_day_and_remembers_how_far_it_got() {
        runRounds(auditLoop, 5);
        assertThat(checkedTo()).isEqualTo(Instant.parse("2026-02-28T05:00:00Z"));
        auditLoop.releaseLease();

        runRounds(newAuditLoop(), 5);

        assertThat(checkedTo()).isEqualTo(Instant.parse("2026-02-28T10:00:00Z"));
    }

    @Test
    void days_that_are_gone_are_skipped() {
        checkedTo(Instant.parse("2025-12-24T18:00:00Z"));

        runRounds(auditLoop, 1);

        assertThat(checkedTo()).isEqualTo(Instant.parse("2026-02-28T01:00:00Z"));
    }

    @Test
    void only_one_node_does_it() {
        runRounds(auditLoop, 1);
        var other = newAuditLoop();

        runRounds(other, 3);

        assertThat(checkedTo()).isEqualTo(Instant.parse("2026-02-28T01:00:00Z"));
    }

    @Test
    void another_node_goes_on_when_the_lease_is_over() {
        runRounds(auditLoop, 1);
        fixture.execute("update audit set lease_until = lease_until - interval '1 hour'");

        runRounds(newAuditLoop(), 1);
        runRounds(auditLoop, 1);

        assertThat(checkedTo()).isEqualTo(Instant.parse("2026-02-28T02:00:00Z"));
    }

    @Test
    void another_node_goes_on_when_the_clock_was_set_back_since_the_lease_began() {
        runRounds(auditLoop, 1);
        fixture.execute("update audit set lease_until = lease_until + interval '10 days'");

        runRounds(newAuditLoop(), 1);

        assertThat(checkedTo()).isEqualTo(Instant.parse("2026-02-28T02:00:00Z"));
    }

    @Test
    void a_clock_that_was_set_back_during_a_rest_ends_the_rest() {
        clock.advance(Duration.ofDays(10));
        runRounds(auditLoop, 1);
        assertThat(checkedTo()).isEqualTo(Instant.parse("2026-02-28T01:00:00Z"));
        clock.advance(Duration.ofDays(-10));

        runRounds(auditLoop, 1);

        assertThat(checkedTo()).isEqualTo(Instant.parse("2026-02-28T02:00:00Z"));
    }

    @Test
    void it_rests_for_nine_times_as_long_as_it_worked() {
        var slow = new TickingClock(clock, Duration.ofMillis(300));
        var paced = new AuditLoop(fixture.db, slow, Some.id());
        runRounds(paced, 1);

        clock.advance(Duration.ofMillis(2_399)); // 2 999 ms with two readings of the slow clock
        runRounds(paced, 1);
        assertThat(checkedTo()).isEqualTo(Instant.parse("2026-02-28T01:00:00Z"));

        runRounds(paced, 1);
        assertThat(checkedTo()).isEqualTo(Instant.parse("2026-02-28T02:00:00Z"));
    }

    @Test
    void it_rests_after_a_round_that_failed_too() {
        var slow = new TickingClock(clock, Duration.ofMillis(300));
        var paced = new AuditLoop(fixture.db, slow, Some.id());
        fixture.execute("alter table audit rename to elsewhere");
        assertThatThrownBy(paced::run).isInstanceOf(DbException.class);
        fixture.execute("alter table elsewhere rename to audit");

        clock.advance(Duration.ofMillis(2_399));
        runRounds(paced, 1);
        assertThat(hasCheckedAnything()).isFalse();

        runRounds(paced, 1);
        assertThat(checkedTo()).isEqualTo(Instant.parse("2026-02-28T01:00:00Z"));
    }

    @Test
    void it_rests_for_half_its_lease_at_most() {
        var slow = new TickingClock(clock, Duration.ofSeconds(30));
        var paced = new AuditLoop(fixture.db, slow, Some.id());
        runRounds(paced, 1);

        clock.advance(Duration.ofSeconds(60)); // 90 s with the last reading of the slow clock
        runRounds(paced, 1);

        assertThat(checkedTo()).isEqualTo(Instant.parse("2026-02-28T02:00:00Z"));
    }

    @Test
    void rows_that_cannot_be_read_are_named_and_the_audit_goes_on() {
        var at = NEXT_HOUR.minus(Duration.ofMinutes(20));
        var damaged = fixture.addEvent(at, 1_000, 1_000);
        Damage.remove(fixture.db, damaged, "filtered");
        var lost = DeliveryId.of(fixture.addEvent(NEXT_HOUR.minusSeconds(9), 1, 0), 1);
        checkedTo(Some.NOON);
        clock.advance(Duration.between(Some.NOON, NEXT_HOUR).plus(AuditLoop.HOUR_SETTLE_DELAY));

        runRounds(auditLoop, 100);

        assertThat(checkedTo()).isEqualTo(NEXT_HOUR);
        assertThat(errors()).hasSize(2);
        assertThat(errors().toString() + keyValues())
                .contains("lost", lost + " is in neither", "unreadable", "missing chunk")
                .contains("what was received from 2026-03-01T12:39:59");
    }

    private String keyValues() {
        return errors().stream().map(ILoggingEvent::getKeyValuePairs).toList().toString();
    }

    @Test
    void usage_counts_that_cannot_be_read_do_not_stop_it() {
        fixture.addEvent(NEXT_HOUR.minusSeconds(1), 0, 0);
        fixture.execute("alter table rollup_hour rename to elsewhere");
        checkedTo(Some.NOON);
        clock.advance(Duration.between(Some.NOON, NEXT_HOUR).plus(AuditLoop.HOUR_SETTLE_DELAY));

        runRounds(auditLoop, 100);
        fixture.execute("alter table elsewhere rename to rollup_hour");

        assertThat(checkedTo()).isEqualTo(NEXT_HOUR);
        assertThat(keyValues()).contains("the usage counts of the hour from 2026-03-01T12:00:00Z");
    }

    private boolean hasCheckedAnything() {
        return fixture.db.call(tx ->
                tx.single(
                        "select count(checked_to) > 0 as ever from audit",
                        row -> row.bool("ever")));
    }

    /// A clock that moves on by `work` each time it is read.
    private record TickingClock(ManualClock clock, Duration work) implements InstantSource {

        @Override
        public Instant instant() {
            var now = clock.instant();
            clock.advance(work);
            return now;
        }
    }

    private AuditLoop newAuditLoop() {
        return new AuditLoop(fixture.db, clock, Some.id());
    }

    private static void runRounds(AuditLoop auditLoop, int count) {
        for (int i = 0; i < count; i++) {
            auditLoop.run();
        }
    }

    private void checkedTo(Instant hour) {
        fixture.execute("update audit set checked_to = ?", hour);
    }

    private Instant checkedTo() {
        return fixture.db.call(
                tx -> tx.single("select checked_to from audit", row -> row.instant("checked_to")));
    }

    private long storedViolations() {
        return fixture.db.call(
                tx -> tx.single("select violations from audit", row -> row.number("violations")));
    }

    private List<ILoggingEvent> errors() {
        return loggedEvents.list.stream().filter(event -> event.getLevel() == Level.ERROR).toList();
    }
}
