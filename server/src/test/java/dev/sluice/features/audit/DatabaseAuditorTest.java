package dev.sluice.features.audit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.engine.DeliveryId;
import dev.sluice.engine.DeliveryStatus;
import dev.sluice.engine.EventId;
import dev.sluice.features.audit.AuditReport.ViolationSummary;
import dev.sluice.testkit.Some;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;

/// Tests that the audit finds and names whatever was done to the rows, and changes nothing.
class DatabaseAuditorTest {

    private static final Instant EVENT_TIME = Some.NOON.plus(Duration.ofMinutes(7));

    private AuditFixture fixture;
    private EventId event;

    @BeforeEach
    void open() {
        fixture = new AuditFixture();
        event = fixture.mixedEvents(EVENT_TIME);
    }

    @AfterEach
    void close() {
        fixture.close();
    }

    @Test
    void what_the_relay_wrote_is_clean() {
        fixture.mixedEvents(Some.NOON);
        fixture.mixedEvents(Some.NOON.plus(HourAuditor.ONE_HOUR).minusMillis(1));

        assertThat(fixture.audit())
                .isEqualTo(new AuditReport(9, 24, Map.of(), false))
                .matches(AuditReport::isClean);
    }

    @Test
    void a_delivery_that_was_filtered_after_ingest_is_clean() {
        fixture.finish(id(1), DeliveryStatus.FILTERED);

        assertThat(fixture.audit()).matches(AuditReport::isClean);
    }

    @Test
    void a_filtered_delivery_that_was_not_counted_is_found() {
        fixture.execute("delete from rollup_hour where kind = 2 and dim = 6");

        assertThat(fixture.audit().violations()).containsOnlyKeys(Invariant.USAGE);
    }

    @Test
    void a_row_deleted_from_work_is_lost() {
        fixture.execute("delete from delivery_work where id = ?", id(1).value());

        assertThat(fixture.audit().violationsOf(Invariant.LOST))
                .isEqualTo(one(id(1) + " is in neither work nor history"));
    }

    @Test
    void a_row_deleted_from_history_is_lost() {
        fixture.execute("delete from delivery where id = ?", id(3).value());

        assertThat(fixture.audit().violationsOf(Invariant.LOST))
                .isEqualTo(one(id(3) + " is in neither work nor history"));
    }

    @Test
    void the_last_resend_deleted_shows_in_the_sums() {
        fixture.execute(
                "delete from delivery where id = ?", id(DeliveryId.MIN_RESEND_ORDINAL).value());

        var report = fixture.audit();

        assertThat(report.violations()).containsOnlyKeys(Invariant.USAGE);
        assertThat(report.violationsOf(Invariant.USAGE).examples())
                .contains(
                        "connection "
                                + fixture.connection
                                + ", deliveries made by resend in the hour from"
                                + " 2026-03-01T12:00:00Z: 1 in the usage counts, 0 in the rows");
    }

    @Test
    void a_resend_that_is_gone_before_a_later_one_is_lost() {
        fixture.addHistory(event, DeliveryId.MIN_RESEND_ORDINAL + 1, DeliveryStatus.SUCCEEDED);
        fixture.addWork(event, DeliveryId.MIN_RESEND_ORDINAL + 2);
        assertThat(fixture.audit()).matches(AuditReport::isClean);

        fixture.execute(
                "delete from delivery where id = ?", id(DeliveryId.MIN_RESEND_ORDINAL + 1).value());

        assertThat(fixture.audit().violationsOf(Invariant.LOST))
                .isEqualTo(
                        one(
                                id(DeliveryId.MIN_RESEND_ORDINAL + 1)
                                        + " is in neither work nor history, but a later"
                                        + " resend is"));
    }

    @Test
    void a_delivery_in_work_and_in_history_is_found_twice() {
        fixture.db.run(tx -> fixture.insertWork(tx, event, 2));

        assertThat(fixture.audit().violationsOf(Invariant.TWICE))
                .isEqualTo(one(id(2) + " is in work and in history"));
    }

    @Test
    void a_delivery_finished_twice_is_found_twice() {
        fixture.db.run(
                tx -> fixture.insertHistory(tx, id(2), Some.sourceId(), DeliveryStatus.SUCCEEDED));

        assertThat(fixture.audit().violationsOf(Invariant.TWICE))
                .isEqualTo(one(id(2) + " is in history and in history"));
    }

    @Test
    void a_resend_finished_twice_is_found_twice() {
        fixture.db.run(tx -> fixture.insertWork(tx, event, DeliveryId.MIN_RESEND_ORDINAL));

        assertThat(fixture.audit().violationsOf(Invariant.TWICE))
                .isEqualTo(one(id(DeliveryId.MIN_RESEND_ORDINAL) + " is in work and in history"));
    }

    @Test
    void a_filtered_delivery_that_has_a_row_stands_in_two_places() {
        fixture.addWork(event, 4);

        assertThat(fixture.audit().violations())
                .containsOnlyKeys(Invariant.TWICE)
                .containsEntry(Invariant.TWICE, one(id(4) + " is in work but was filtered"));
    }

    @Test
    void one_missing_and_one_twice_do_not_make_up_for_each_other() {
        fixture.execute("delete from delivery where id = ?", id(2).value());
        fixture.db.run(
                tx -> fixture.insertHistory(tx, id(1), fixture.source, DeliveryStatus.SUCCEEDED));

        assertThat(fixture.audit().violations())
                .containsEntry(Invariant.LOST, one(id(2) + " is in neither work nor history"))
                .containsEntry(Invariant.TWICE, one(id(1) + " is in work and in history"));
    }

    @Test
    void deliveries_of_an_event_that_is_gone_are_orphans() {
        fixture.execute("delete from event where id = ?", event.value());

        assertThat(fixture.audit().violationsOf(Invariant.ORPHAN))
                .isEqualTo(
                        new ViolationSummary(
                                4,
                                List.of(
                                        id(1) + " is in work, but its event is not stored",
                                        id(2) + " is in history, but its event is not stored",
                                        id(3) + " is in history, but its event is not stored",
                                        id(DeliveryId.MIN_RESEND_ORDINAL)
                                                + " is in history, but its event is not"
                                                + " stored")));
    }

    @Test
    void a_delivery_under_another_source_is_an_orphan() {
        var other = Some.id();
        fixture.execute("update delivery_work set source_id = ?", other);

        assertThat(fixture.audit().violationsOf(Invariant.ORPHAN))
                .isEqualTo(
                        one(
                                id(1)
                                        + " is in work under source "
                                        + other
                                        + ", but its event is under "
                                        + fixture.source));
    }

    @Test
    void a_delivery_that_its_event_never_made_is_an_orphan() {
        fixture.addWork(event, 6);

        assertThat(fixture.audit().violations())
                .containsOnlyKeys(Invariant.ORPHAN)
                .containsEntry(
                        Invariant.ORPHAN,
                        one(id(6) + " is in work, but its event made only 5 deliveries"));
    }

    @Test
    void a_wrong_sum_is_found() {
        fixture.execute("update rollup_hour set n = n + 1 where kind = 2 and dim = 3");

        assertThat(fixture.audit().violations())
                .containsOnlyKeys(Invariant.USAGE)
                .containsEntry(
                        Invariant.USAGE,
                        one(
                                "connection "
                                        + fixture.connection
                                        + ", deliveries succeeded in the hour from"
                                        + " 2026-03-01T12:00:00Z: 3 in the usage counts, 2 in the"
                                        + " rows"));
    }

    @Test
    void a_wrong_sum_of_bytes_is_found() {
        fixture.execute("update rollup_hour set size = size - 1 where kind = 1");

        assertThat(fixture.audit().violations())
                .containsOnlyKeys(Invariant.USAGE)
                .containsEntry(
                        Invariant.USAGE,
                        one(
                                "source "
                                        + fixture.source
                                        + ", events skipped in the hour from"
                                        + " 2026-03-01T12:00:00Z: 3 (5 bytes) in the usage"
                                        + " counts, 3 (6 bytes) in the rows"));
    }

    @Test
    void a_sum_of_nothing_is_found() {
        fixture.addDamagedSum(EVENT_TIME);

        assertThat(fixture.audit().violations()).containsOnlyKeys(Invariant.USAGE);
    }

    @Test
    void what_is_not_folded_yet_counts() {
        fixture.unfoldHours();

        assertThat(fixture.audit()).matches(AuditReport::isClean);
    }

    @Test
    void of_many_violations_all_are_counted_and_ten_are_named() {
        for (int i = 0; i < 25; i++) {
            fixture.addEvent(EVENT_TIME, 1, 0);
        }

        var lost = fixture.audit().violationsOf(Invariant.LOST);

        assertThat(lost.count()).isEqualTo(25);
        assertThat(lost.examples()).hasSize(10).doesNotHaveDuplicates();
    }

    @Test
    void a_busy_hour_is_looked_at_in_pieces_that_leave_nothing_out() {
        fixture.mixedEvents(Some.NOON);
        fixture.mixedEvents(Some.NOON.plus(HourAuditor.ONE_HOUR).minusMillis(1));
        fixture.execute("delete from delivery_work");
        // The expected number of rows makes the slices short.
        fixture.execute("update rollup_hour set n = n + 2000000 where kind = 1");

        var auditor = HourAuditor.begin(fixture.db, Some.NOON);
        int pieces = 1;
        while (!auditor.checkNextSlice()) {
            pieces++;
        }
        var report = auditor.result();

        assertThat(pieces).isBetween(100, 110);
        assertThat(report.events()).isEqualTo(9);
        assertThat(report.violationsOf(Invariant.LOST).count()).isEqualTo(3);
    }

    @Test
    void a_result_that_comes_while_the_hour_is_looked_at_is_no_violation() {
        var auditor = HourAuditor.begin(fixture.db, Some.NOON);
        fixture.finish(id(1), DeliveryStatus.SUCCEEDED);
        assertThat(auditor.checkNextSlice()).isTrue();
        fixture.addHistory(event, DeliveryId.MIN_RESEND_ORDINAL + 1, DeliveryStatus.SUCCEEDED);

        assertThat(auditor.result()).matches(AuditReport::isClean);
    }

    @Test
    void a_day_that_goes_while_it_is_looked_at_is_no_violation() {
        var auditor = HourAuditor.begin(fixture.db, Some.NOON);
        fixture.execute("alter table event detach partition event_20260301");
        try {
            assertThat(auditor.checkNextSlice()).isTrue();
            assertThat(auditor.result()).isEqualTo(AuditReport.empty());
        } finally {
            fixture.execute(
                    "alter table event attach partition event_20260301 for values from"
                            + " ('019ca6b1-dc00-0000-0000-000000000000') to"
                            + " ('019cabd8-3800-0000-0000-000000000000')");
        }
    }

    @Test
    void nothing_is_mended() {
        fixture.execute("delete from delivery_work");

        assertThat(fixture.audit().count()).isEqualTo(fixture.audit().count()).isPositive();
    }

    private DeliveryId id(int ordinal) {
        return DeliveryId.of(event, ordinal);
    }

    private static ViolationSummary one(String example) {
        return new ViolationSummary(1, List.of(example));
    }
}
