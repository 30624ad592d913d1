package dev.sluice.observe.audit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;

import dev.sluice.platform.db.DbException;
import dev.sluice.relay.DeliveryId;
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

/// The rounds of the audit, run by the test.
@Isolated
class AuditTest {

    private static final Instant ONE = Some.NOON.plus(Duration.ofHours(1));

    private final ManualClock clock = new ManualClock(Some.NOON);
    private final Logger logger = (Logger) LoggerFactory.getLogger(Audit.class);
    private final ListAppender<ILoggingEvent> said = new ListAppender<>();

    private Books books;
    private Audit audit;

    @BeforeEach
    void open() {
        books = new Books();
        audit = someAudit();
        said.start();
        logger.addAppender(said);
    }

    @AfterEach
    void close() {
        logger.detachAppender(said);
        books.close();
    }

    @Test
    void damage_in_an_hour_that_was_just_closed_is_found_and_said_once() {
        var lost = DeliveryId.of(books.event(ONE.minusSeconds(1), 1, 0), 1);
        checkedTo(Some.NOON);
        clock.advance(Duration.between(Some.NOON, ONE).plus(Audit.CLOSED));

        rounds(audit, 20);
        clock.advance(Duration.ofHours(3));
        rounds(audit, 20);

        assertThat(errors()).hasSize(1);
        assertThat(errors().getFirst().getMessage()).isEqualTo("audit.violated");
        assertThat(errors().getFirst().getKeyValuePairs().toString())
                .contains("lost", "2026-03-01T12:00:00Z", lost + " stands neither in work nor");
        assertThat(audit.violations()).isEqualTo(1);
        assertThat(everFound()).isEqualTo(1);
    }

    @Test
    void an_hour_is_left_alone_until_it_is_closed() {
        books.event(Some.NOON, 1, 0);
        checkedTo(Some.NOON);
        clock.advance(Duration.between(Some.NOON, ONE).plus(Audit.CLOSED).minusMillis(1));
        rounds(audit, 20);

        assertThat(checkedTo()).isEqualTo(Some.NOON);
        assertThat(audit.violations()).isZero();
    }

    @Test
    void it_begins_with_the_oldest_day_and_remembers_how_far_it_got() {
        rounds(audit, 5);
        assertThat(checkedTo()).isEqualTo(Instant.parse("2026-02-28T05:00:00Z"));
        audit.leave();

        rounds(someAudit(), 5);

        assertThat(checkedTo()).isEqualTo(Instant.parse("2026-02-28T10:00:00Z"));
    }

    @Test
    void days_that_are_gone_are_skipped() {
        checkedTo(Instant.parse("2025-12-24T18:00:00Z"));

        rounds(audit, 1);

        assertThat(checkedTo()).isEqualTo(Instant.parse("2026-02-28T01:00:00Z"));
    }

    @Test
    void only_one_node_does_it() {
        rounds(audit, 1);
        var other = someAudit();

        rounds(other, 3);

        assertThat(checkedTo()).isEqualTo(Instant.parse("2026-02-28T01:00:00Z"));
    }

    @Test
    void another_node_goes_on_when_the_lease_is_over() {
        rounds(audit, 1);
        books.damage("update audit set lease_until = lease_until - interval '1 hour'");

        rounds(someAudit(), 1);
        rounds(audit, 1);

        assertThat(checkedTo()).isEqualTo(Instant.parse("2026-02-28T02:00:00Z"));
    }

    @Test
    void it_rests_for_nine_times_as_long_as_it_worked() {
        var slow = new SlowClock(clock, Duration.ofMillis(300));
        var paced = new Audit(books.db, slow, Some.id());
        rounds(paced, 1);

        clock.advance(Duration.ofMillis(2_399)); // with the two times it was asked: 2 999
        rounds(paced, 1);
        assertThat(checkedTo()).isEqualTo(Instant.parse("2026-02-28T01:00:00Z"));

        rounds(paced, 1);
        assertThat(checkedTo()).isEqualTo(Instant.parse("2026-02-28T02:00:00Z"));
    }

    @Test
    void it_rests_after_a_round_that_failed_too() {
        var slow = new SlowClock(clock, Duration.ofMillis(300));
        var paced = new Audit(books.db, slow, Some.id());
        books.damage("alter table audit rename to elsewhere");
        assertThatThrownBy(paced::run).isInstanceOf(DbException.class);
        books.damage("alter table elsewhere rename to audit");

        clock.advance(Duration.ofMillis(2_399));
        rounds(paced, 1);
        assertThat(everChecked()).isFalse();

        rounds(paced, 1);
        assertThat(checkedTo()).isEqualTo(Instant.parse("2026-02-28T01:00:00Z"));
    }

    @Test
    void it_rests_for_half_its_lease_at_most() {
        var slow = new SlowClock(clock, Duration.ofSeconds(30));
        var paced = new Audit(books.db, slow, Some.id());
        rounds(paced, 1);

        clock.advance(Duration.ofSeconds(60)); // with the time it was asked last: 90 s
        rounds(paced, 1);

        assertThat(checkedTo()).isEqualTo(Instant.parse("2026-02-28T02:00:00Z"));
    }

    private boolean everChecked() {
        return books.db.call(tx ->
                tx.single(
                        "select count(checked_to) > 0 as ever from audit",
                        row -> row.bool("ever")));
    }

    /// Moves on by `work` each time it is asked.
    private record SlowClock(ManualClock clock, Duration work) implements InstantSource {

        @Override
        public Instant instant() {
            var now = clock.instant();
            clock.advance(work);
            return now;
        }
    }

    private Audit someAudit() {
        return new Audit(books.db, clock, Some.id());
    }

    private static void rounds(Audit audit, int count) {
        for (int i = 0; i < count; i++) {
            audit.run();
        }
    }

    private void checkedTo(Instant hour) {
        books.damage("update audit set checked_to = ?", hour);
    }

    private Instant checkedTo() {
        return books.db.call(
                tx -> tx.single("select checked_to from audit", row -> row.instant("checked_to")));
    }

    private long everFound() {
        return books.db.call(
                tx -> tx.single("select violations from audit", row -> row.number("violations")));
    }

    private List<ILoggingEvent> errors() {
        return said.list.stream().filter(event -> event.getLevel() == Level.ERROR).toList();
    }
}
