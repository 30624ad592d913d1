package dev.sluice.observe.audit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.observe.audit.Report.Violations;
import dev.sluice.relay.DeliveryId;
import dev.sluice.relay.EventId;
import dev.sluice.testkit.Some;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;

/// Whatever was done to the rows is found, named and not mended.
class ConservationCheckTest {

    private static final Instant AT = Some.NOON.plus(Duration.ofMinutes(7));

    private Books books;
    private EventId event;

    @BeforeEach
    void open() {
        books = new Books();
        event = books.some(AT);
    }

    @AfterEach
    void close() {
        books.close();
    }

    @Test
    void what_the_relay_wrote_is_clean() {
        books.some(Some.NOON);
        books.some(Some.NOON.plus(HourCheck.HOUR).minusMillis(1));

        assertThat(books.check())
                .isEqualTo(new Report(9, 12, Map.of(), false))
                .matches(Report::isClean);
    }

    @Test
    void a_row_deleted_from_work_is_lost() {
        books.damage("delete from delivery_work where id = ?", id(1).value());

        assertThat(books.check().found(Invariant.LOST))
                .isEqualTo(one(id(1) + " stands neither in work nor in history"));
    }

    @Test
    void a_row_deleted_from_history_is_lost() {
        books.damage("delete from delivery where id = ?", id(3).value());

        assertThat(books.check().found(Invariant.LOST))
                .isEqualTo(one(id(3) + " stands neither in work nor in history"));
    }

    @Test
    void the_last_resend_deleted_shows_in_the_sums() {
        books.damage("delete from delivery where id = ?", id(DeliveryId.FIRST_RESEND).value());

        var report = books.check();

        assertThat(report.violations()).containsOnlyKeys(Invariant.USAGE);
        assertThat(report.found(Invariant.USAGE).examples())
                .contains(
                        "connection "
                                + books.connection
                                + ", deliveries made by resend in the hour from"
                                + " 2026-03-01T12:00:00Z: 1 in the sums, 0 in the tables");
    }

    @Test
    void a_resend_that_is_gone_before_a_later_one_is_lost() {
        books.history(event, DeliveryId.FIRST_RESEND + 1, Books.SUCCEEDED);
        books.work(event, DeliveryId.FIRST_RESEND + 2);
        assertThat(books.check()).matches(Report::isClean);

        books.damage("delete from delivery where id = ?", id(DeliveryId.FIRST_RESEND + 1).value());

        assertThat(books.check().found(Invariant.LOST))
                .isEqualTo(
                        one(
                                id(DeliveryId.FIRST_RESEND + 1)
                                        + " stands neither in work nor in history, and a later"
                                        + " resend does"));
    }

    @Test
    void a_delivery_in_work_and_in_history_is_found_twice() {
        books.db.run(tx -> books.putWork(tx, event, 2));

        assertThat(books.check().found(Invariant.TWICE))
                .isEqualTo(one(id(2) + " stands in work and in history"));
    }

    @Test
    void a_delivery_finished_twice_is_found_twice() {
        books.db.run(tx -> books.putHistory(tx, id(2), Some.id(), Books.SUCCEEDED));

        assertThat(books.check().found(Invariant.TWICE))
                .isEqualTo(one(id(2) + " stands in history and in history"));
    }

    @Test
    void a_resend_finished_twice_is_found_twice() {
        books.db.run(tx -> books.putWork(tx, event, DeliveryId.FIRST_RESEND));

        assertThat(books.check().found(Invariant.TWICE))
                .isEqualTo(one(id(DeliveryId.FIRST_RESEND) + " stands in work and in history"));
    }

    @Test
    void a_filtered_delivery_that_has_a_row_stands_in_two_places() {
        books.work(event, 4);

        assertThat(books.check().violations())
                .containsOnlyKeys(Invariant.TWICE)
                .containsEntry(Invariant.TWICE, one(id(4) + " stands in work and was filtered"));
    }

    @Test
    void one_missing_and_one_twice_do_not_make_up_for_each_other() {
        books.damage("delete from delivery where id = ?", id(2).value());
        books.db.run(tx -> books.putHistory(tx, id(1), books.source, Books.SUCCEEDED));

        assertThat(books.check().violations())
                .containsEntry(
                        Invariant.LOST, one(id(2) + " stands neither in work nor in history"))
                .containsEntry(Invariant.TWICE, one(id(1) + " stands in work and in history"));
    }

    @Test
    void deliveries_of_an_event_that_is_gone_are_orphans() {
        books.damage("delete from event where id = ?", event.value());

        assertThat(books.check().found(Invariant.ORPHAN))
                .isEqualTo(
                        new Violations(
                                4,
                                List.of(
                                        id(1) + " stands in work, and its event is not stored",
                                        id(2) + " stands in history, and its event is not stored",
                                        id(3) + " stands in history, and its event is not stored",
                                        id(DeliveryId.FIRST_RESEND)
                                                + " stands in history, and its event is not"
                                                + " stored")));
    }

    @Test
    void a_delivery_under_another_source_is_an_orphan() {
        var other = Some.id();
        books.damage("update delivery_work set source_id = ?", other);

        assertThat(books.check().found(Invariant.ORPHAN))
                .isEqualTo(
                        one(
                                id(1)
                                        + " stands in work under source "
                                        + other
                                        + ", and its event under "
                                        + books.source));
    }

    @Test
    void a_delivery_that_its_event_never_made_is_an_orphan() {
        books.work(event, 6);

        assertThat(books.check().violations())
                .containsOnlyKeys(Invariant.ORPHAN)
                .containsEntry(
                        Invariant.ORPHAN,
                        one(id(6) + " stands in work, and its event made only 5 deliveries"));
    }

    @Test
    void a_wrong_sum_is_found() {
        books.damage("update rollup_hour set n = n + 1 where kind = 2 and dim = 3");

        assertThat(books.check().violations())
                .containsOnlyKeys(Invariant.USAGE)
                .containsEntry(
                        Invariant.USAGE,
                        one(
                                "connection "
                                        + books.connection
                                        + ", deliveries succeeded in the hour from"
                                        + " 2026-03-01T12:00:00Z: 3 in the sums, 2 in the"
                                        + " tables"));
    }

    @Test
    void a_wrong_sum_of_bytes_is_found() {
        books.damage("update rollup_hour set size = size - 1 where kind = 1");

        assertThat(books.check().violations())
                .containsOnlyKeys(Invariant.USAGE)
                .containsEntry(
                        Invariant.USAGE,
                        one(
                                "source "
                                        + books.source
                                        + ", events skipped in the hour from"
                                        + " 2026-03-01T12:00:00Z: 3 (5 bytes) in the sums, 3 (6"
                                        + " bytes) in the tables"));
    }

    @Test
    void a_sum_of_nothing_is_found() {
        books.damage(
                "insert into rollup_hour (kind, key, hour, dim, n, size) select 1, ?, hour, 99, 1,"
                        + " 0 from rollup_hour where kind = 1",
                Some.id());

        assertThat(books.check().violations()).containsOnlyKeys(Invariant.USAGE);
    }

    @Test
    void what_is_not_folded_yet_counts() {
        books.damage(
                """
                insert into ledger (batch, source_id, kinds, keys, hours, minutes, dims, counts,
                                    sizes)
                select ?, ?, array_agg(kind), array_agg(key), array_agg(hour),
                       array_agg(0::smallint), array_agg(dim), array_agg(n::int), array_agg(size)
                  from rollup_hour
                """,
                Some.id(),
                books.source);
        books.damage("delete from rollup_hour");

        assertThat(books.check()).matches(Report::isClean);
    }

    @Test
    void of_many_violations_all_are_counted_and_ten_are_named() {
        for (int i = 0; i < 25; i++) {
            books.event(AT, 1, 0);
        }

        var lost = books.check().found(Invariant.LOST);

        assertThat(lost.count()).isEqualTo(25);
        assertThat(lost.examples()).hasSize(10).doesNotHaveDuplicates();
    }

    @Test
    void a_busy_hour_is_looked_at_in_pieces_that_leave_nothing_out() {
        books.some(Some.NOON);
        books.some(Some.NOON.plus(HourCheck.HOUR).minusMillis(1));
        books.damage("delete from delivery_work");
        // What is expected makes the pieces short.
        books.damage("update rollup_hour set n = n + 2000000 where kind = 1");

        var check = HourCheck.begin(books.db, Some.NOON);
        int pieces = 1;
        while (!check.step()) {
            pieces++;
        }
        var report = check.result();

        assertThat(pieces).isBetween(100, 110);
        assertThat(report.events()).isEqualTo(9);
        assertThat(report.found(Invariant.LOST).count()).isEqualTo(3);
    }

    @Test
    void a_result_that_comes_while_the_hour_is_looked_at_is_no_violation() {
        var check = HourCheck.begin(books.db, Some.NOON);
        books.finish(id(1), Books.SUCCEEDED);
        assertThat(check.step()).isTrue();
        books.history(event, DeliveryId.FIRST_RESEND + 1, Books.SUCCEEDED);

        assertThat(check.result()).matches(Report::isClean);
    }

    @Test
    void a_day_that_goes_while_it_is_looked_at_is_no_violation() {
        var check = HourCheck.begin(books.db, Some.NOON);
        books.damage("alter table event detach partition event_20260301");
        try {
            assertThat(check.step()).isTrue();
            assertThat(check.result()).isEqualTo(Report.nothing());
        } finally {
            books.damage(
                    "alter table event attach partition event_20260301 for values from"
                            + " ('019ca6b1-dc00-0000-0000-000000000000') to"
                            + " ('019cabd8-3800-0000-0000-000000000000')");
        }
    }

    @Test
    void nothing_is_mended() {
        books.damage("delete from delivery_work");

        assertThat(books.check().count()).isEqualTo(books.check().count()).isPositive();
    }

    private DeliveryId id(int ordinal) {
        return DeliveryId.of(event, ordinal);
    }

    private static Violations one(String example) {
        return new Violations(1, List.of(example));
    }
}
