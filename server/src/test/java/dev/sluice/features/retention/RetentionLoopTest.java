package dev.sluice.features.retention;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.engine.ErrorCode;
import dev.sluice.engine.ExpiringDeliveries;
import dev.sluice.features.audit.DatabaseAuditor;
import dev.sluice.features.retention.RetentionFixture.DayTable;
import dev.sluice.gateway.connection.ConnectionId;
import dev.sluice.gateway.source.SourceId;
import dev.sluice.gateway.source.VerificationStatus;
import dev.sluice.platform.db.Database;
import dev.sluice.testkit.DeliveryState;
import dev.sluice.testkit.Given;
import dev.sluice.testkit.GivenRows;
import dev.sluice.testkit.GivenRows.UsageRow;
import dev.sluice.testkit.RowRefusal;
import dev.sluice.testkit.Some;
import dev.sluice.testkit.TestPostgres;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/// Tests the end of retention on real tables, with a clock that the test moves by days.
class RetentionLoopTest {

    private static final Database DATABASE = TestPostgres.newDatabase();
    private static final Duration ONE_DAY = Duration.ofDays(1);
    private static final Duration JUST_OVER_GRACE_PERIOD =
            ExpiryFinisher.EXPIRY_GRACE_PERIOD.plusSeconds(1);
    private static final DeliveryState FAILED_AS_EXPIRED =
            DeliveryState.failed(0, ErrorCode.EVENT_EXPIRED);
    private static final String LIMITED_PLANS =
            """
            {"items": [{"name": "short", "limits": {"retention_days": 2}},
                       {"name": "day", "limits": {"retention_days": 1}},
                       {"name": "long", "limits": {"retention_days": 5}}]}
            """;
    private static final String UNLIMITED_PLANS =
            """
            {"items": [{"name": "short", "limits": {"retention_days": 2}},
                       {"name": "long", "limits": {"retention_days": null}}]}
            """;

    @TempDir Path directory;

    private final ConnectionId connection = new ConnectionId(Some.id());

    private RetentionFixture fixture;

    @BeforeEach
    void open() throws IOException {
        fixture = new RetentionFixture(DATABASE, directory, LIMITED_PLANS);
    }

    @AfterEach
    void close() {
        fixture.close();
    }

    private void withPlans(String plans) throws IOException {
        fixture.close();
        fixture = new RetentionFixture(DATABASE, directory, plans);
    }

    private void assertConserved() {
        var report =
                DatabaseAuditor.check(fixture.db, Some.NOON, Some.NOON.plus(ONE_DAY.dividedBy(12)));
        assertThat(report.violations()).isEmpty();
        assertThat(report.events()).isPositive();
    }

    @Test
    void what_waits_is_ended_by_its_own_workspaces_plan() {
        var brief = fixture.waiting(fixture.source("short"), connection, Some.NOON);
        var lasting = fixture.waiting(fixture.source("long"), connection, Some.NOON);

        fixture.clock.advance(
                ONE_DAY.multipliedBy(2).plus(ExpiryFinisher.EXPIRY_GRACE_PERIOD).minusMillis(1));
        fixture.round();
        assertThat(fixture.deliveryStates(brief)).containsExactly(DeliveryState.waiting(0));

        fixture.clock.advance(Duration.ofSeconds(1));
        fixture.round();
        assertThat(fixture.deliveryStates(brief)).containsExactly(FAILED_AS_EXPIRED);
        assertThat(fixture.deliveryStates(lasting)).containsExactly(DeliveryState.waiting(0));
        assertThat(fixture.ended).hasSize(1);
        assertConserved();
    }

    @Test
    void one_that_cannot_be_ended_keeps_no_other_waiting() {
        var source = fixture.source("short");
        var first = fixture.waiting(source, connection, Some.NOON);
        var bad = fixture.waiting(source, connection, Some.NOON.plusMillis(1));
        var last = fixture.waiting(source, connection, Some.NOON.plusMillis(2));
        fixture.clock.advance(ONE_DAY.multipliedBy(2).plus(JUST_OVER_GRACE_PERIOD).plusSeconds(3));
        try (var _ =
                RowRefusal.of(fixture.db, "delivery", "new.id = '" + bad.value() + "'", "23514")) {
            fixture.round();
        }

        assertThat(fixture.deliveryStates(first)).containsExactly(FAILED_AS_EXPIRED);
        assertThat(fixture.deliveryStates(last)).containsExactly(FAILED_AS_EXPIRED);
        assertThat(fixture.deliveryStates(bad)).containsExactly(DeliveryState.waiting(0));
    }

    @Test
    void thousands_are_ended_and_doing_it_again_changes_nothing() {
        var source = fixture.source("short");
        fixture.waiting(source, connection, Some.NOON, 2_050);
        fixture.clock.advance(ONE_DAY.multipliedBy(2).plus(JUST_OVER_GRACE_PERIOD).plusSeconds(3));

        fixture.round();
        assertThat(fixture.count("delivery_work")).isZero();
        assertThat(fixture.count("delivery")).isEqualTo(2_050);
        long counted = fixture.count("ledger");
        assertConserved();

        fixture.round();
        fixture.round();
        assertThat(fixture.count("delivery")).isEqualTo(2_050);
        assertThat(fixture.count("ledger")).isEqualTo(counted);
        assertThat(fixture.ended).hasSize(2_050);
    }

    /// It may be in flight or wait for a permit. Its own node ends it.
    @Test
    void what_a_node_has_in_memory_is_left_to_it() {
        var owned = fixture.owned(fixture.source("short"), connection, Some.NOON);
        fixture.clock.advance(ONE_DAY.multipliedBy(3));

        fixture.round();

        assertThat(fixture.deliveryStates(owned)).containsExactly(DeliveryState.owned(0));
    }

    /// An attempt that began under the longer plan may still be in flight.
    @Test
    void a_shorter_plan_ends_nothing_in_its_first_half_hour() {
        var source = fixture.source("long");
        var delivery = fixture.waiting(source, connection, Some.NOON);
        fixture.clock.advance(ONE_DAY.multipliedBy(3));
        fixture.plan(source, "short", fixture.clock.instant());

        fixture.round();
        assertThat(fixture.deliveryStates(delivery)).containsExactly(DeliveryState.waiting(0));

        fixture.clock.advance(JUST_OVER_GRACE_PERIOD);
        fixture.round();
        assertThat(fixture.deliveryStates(delivery)).containsExactly(FAILED_AS_EXPIRED);
    }

    @Test
    void days_go_a_day_after_the_longest_retention() {
        fixture.waiting(fixture.source("short"), connection, Some.NOON);
        fixture.clock.advance(ONE_DAY.multipliedBy(6)); // 28 February turns five days old today

        fixture.round();
        assertThat(fixture.days("event"))
                .hasSize(8)
                .first()
                .isEqualTo(DayTable.attached("event_20260301"));

        fixture.clock.advance(Duration.ofHours(12).minusMillis(1));
        fixture.round();
        assertThat(fixture.days("event")).hasSize(8);

        fixture.clock.advance(Duration.ofMillis(1));
        fixture.round();
        assertThat(fixture.days("event"))
                .hasSize(7)
                .first()
                .isEqualTo(DayTable.attached("event_20260302"));
        assertThat(fixture.days("delivery"))
                .hasSize(7)
                .first()
                .isEqualTo(DayTable.attached("delivery_20260302"));
        assertThat(fixture.days("attempt"))
                .hasSize(7)
                .first()
                .isEqualTo(DayTable.attached("attempt_20260302"));
        assertThat(fixture.count("event")).isZero();
        assertThat(fixture.count("delivery_work")).isZero();
        assertThat(DatabaseAuditor.check(fixture.db).violations()).isEmpty();
    }

    @Test
    void with_a_plan_without_end_no_day_goes() throws IOException {
        withPlans(UNLIMITED_PLANS);
        var brief = fixture.waiting(fixture.source("short"), connection, Some.NOON);
        var lasting = fixture.waiting(fixture.source("long"), connection, Some.NOON);
        fixture.clock.advance(ONE_DAY.multipliedBy(100));

        fixture.round();

        assertThat(fixture.days("event")).hasSize(9);
        assertThat(fixture.deliveryStates(brief)).containsExactly(FAILED_AS_EXPIRED);
        assertThat(fixture.deliveryStates(lasting)).containsExactly(DeliveryState.waiting(0));
    }

    /// Such as an event that a node has had in memory for days, or one of an unknown source.
    @Test
    void no_delivery_is_left_of_a_day_that_goes() {
        fixture.owned(fixture.source("long"), connection, Some.NOON);
        fixture.waiting(new SourceId(Some.id()), connection, Some.NOON);
        var young = fixture.owned(fixture.source("long"), connection, Some.NOON.plus(ONE_DAY));
        fixture.clock.advance(ONE_DAY.multipliedBy(7));

        fixture.round();

        assertThat(fixture.days("event")).first().isEqualTo(DayTable.attached("event_20260302"));
        assertThat(fixture.count("delivery_work")).isEqualTo(1);
        assertThat(fixture.deliveryStates(young)).containsExactly(DeliveryState.owned(0));
        assertThat(fixture.ended).hasSize(2);
    }

    @Test
    void a_delivery_whose_day_is_gone_is_discarded() {
        var delivery = fixture.waiting(fixture.source("short"), connection, Some.NOON);
        fixture.partitions.dropBefore(LocalDate.parse("2026-03-02"));
        fixture.clock.advance(ONE_DAY.multipliedBy(3));

        fixture.round();

        assertThat(fixture.deliveryStates(delivery)).isEmpty();
        assertThat(fixture.count("delivery_work")).isZero();
    }

    @Test
    void a_detach_that_was_cut_short_is_ended_first() {
        fixture.clock.advance(ONE_DAY.multipliedBy(7));
        fixture.db.snapshot(reading -> {
            reading.query("select count(*) as n from event", row -> row.number("n"));
            fixture.round();
            assertThat(fixture.days("event"))
                    .first()
                    .isEqualTo(new DayTable("event_20260228", DayTable.Attachment.DETACHING));
            fixture.round();
            return reading.query("select count(*) as n from event", row -> row.number("n"));
        });
        assertThat(fixture.days("event")).hasSize(9);

        fixture.round();

        assertThat(fixture.days("event"))
                .hasSize(7)
                .first()
                .isEqualTo(DayTable.attached("event_20260302"));
    }

    @Test
    void a_day_that_was_detached_and_not_dropped_is_dropped() {
        fixture.db.executeOutsideTransaction(
                "alter table delivery detach partition delivery_20260228 concurrently", ONE_DAY);
        assertThat(fixture.days("delivery"))
                .first()
                .isEqualTo(new DayTable("delivery_20260228", DayTable.Attachment.DETACHED));
        fixture.clock.advance(ONE_DAY.multipliedBy(7));

        fixture.round();

        assertThat(fixture.days("delivery")).hasSize(7);
    }

    @Test
    void what_was_in_the_way_is_tried_again_within_a_minute() {
        var node = fixture.node();
        fixture.clock.advance(ONE_DAY.multipliedBy(7));
        fixture.db.snapshot(reading -> {
            reading.query("select count(*) as n from event", row -> row.number("n"));
            return node.run();
        });
        node.run();
        assertThat(fixture.days("event")).hasSize(9);

        fixture.clock.advance(Duration.ofMinutes(1));
        node.run();

        assertThat(fixture.days("event")).hasSize(7);
    }

    /// It was believed to be later for an hour or more.
    @Test
    void a_clock_that_was_set_back_does_not_stop_the_rounds() {
        var node = fixture.node();
        fixture.clock.advance(ONE_DAY.multipliedBy(100));
        node.run();
        fixture.clock.advance(ONE_DAY.multipliedBy(-100));
        fixture.partitions.makeAhead(Some.NOON);
        var delivery = fixture.waiting(fixture.source("short"), connection, Some.NOON);

        fixture.clock.advance(ONE_DAY.multipliedBy(2).plus(JUST_OVER_GRACE_PERIOD));
        node.run();

        assertThat(fixture.deliveryStates(delivery)).containsExactly(FAILED_AS_EXPIRED);
    }

    @Test
    void nodes_that_do_it_at_once_do_it_once() throws Exception {
        var source = fixture.source("short");
        fixture.waiting(source, connection, Some.NOON, 300);
        var later = Some.NOON.plus(ONE_DAY);
        fixture.waiting(source, connection, later.plus(JUST_OVER_GRACE_PERIOD).minusSeconds(1));
        fixture.clock.advance(ONE_DAY.multipliedBy(2).plus(JUST_OVER_GRACE_PERIOD));

        try (var threads = Executors.newFixedThreadPool(4)) {
            var rounds =
                    IntStream.range(0, 4).mapToObj(_ -> threads.submit(fixture::round)).toList();
            for (Future<?> round : rounds) {
                round.get();
            }
        }

        assertThat(fixture.ended).hasSize(300);
        assertThat(fixture.count("delivery")).isEqualTo(300);
        assertThat(fixture.warned).hasSize(1);
        assertConserved();
    }

    @Test
    void what_will_end_is_told_of_a_day_before_and_once() {
        var source = fixture.source("short");
        fixture.waiting(source, connection, Some.NOON);
        fixture.owned(source, connection, Some.NOON.plusSeconds(1));
        fixture.waiting(source, connection, Some.NOON.plus(Duration.ofHours(1)));
        fixture.waiting(fixture.source("long"), connection, Some.NOON);
        fixture.clock.advance(ONE_DAY.minusMillis(1));
        fixture.round();
        assertThat(fixture.warned).isEmpty();

        fixture.clock.advance(Duration.ofMinutes(1));
        fixture.round();
        assertThat(fixture.warned)
                .containsExactly(
                        new ExpiringDeliveries(
                                source, connection, 2, Some.NOON.plus(ONE_DAY.multipliedBy(2))));

        fixture.round();
        assertThat(fixture.warned).hasSize(1);

        fixture.clock.advance(Duration.ofHours(1));
        fixture.round();
        assertThat(fixture.warned).hasSize(2).last().matches(notice -> notice.deliveries() == 1);
    }

    @Test
    void a_resend_of_an_old_event_is_told_of_too() {
        var source = fixture.source("short");
        var old = fixture.waiting(source, connection, Some.NOON);
        fixture.clock.advance(ONE_DAY.plus(Duration.ofHours(1)));
        fixture.round();
        assertThat(fixture.warned).hasSize(1);

        fixture.resent(source, connection, old.event());
        fixture.round();
        assertThat(fixture.warned).as("too young to be certain").hasSize(1);
        fixture.clock.advance(Duration.ofMinutes(2));
        fixture.round();
        fixture.round();

        assertThat(fixture.warned).hasSize(2).last().matches(notice -> notice.deliveries() == 1);
    }

    @Test
    void a_day_is_told_of_half_a_day_before_its_end() {
        fixture.waiting(fixture.source("day"), connection, Some.NOON);
        fixture.clock.advance(Duration.ofHours(12).minusMillis(1));
        fixture.round();
        assertThat(fixture.warned).isEmpty();

        fixture.clock.advance(Duration.ofMillis(2));
        fixture.round();
        assertThat(fixture.warned).hasSize(1);
    }

    @Test
    void a_changed_plan_is_told_of_anew() {
        var source = fixture.source("short");
        fixture.waiting(source, connection, Some.NOON);
        fixture.clock.advance(ONE_DAY.plus(Duration.ofHours(1)));
        fixture.round();
        fixture.plan(source, "long", fixture.clock.instant());
        fixture.round();
        assertThat(fixture.warned).hasSize(1);

        fixture.clock.advance(ONE_DAY.multipliedBy(3));
        fixture.round();

        assertThat(fixture.warned).hasSize(2);
    }

    @Test
    void nobody_is_told_of_what_is_in_the_trash() {
        var source = fixture.source("short");
        fixture.waiting(source, connection, Some.NOON);
        new Given(fixture.db).trashed(source);
        fixture.clock.advance(ONE_DAY.plus(Duration.ofHours(1)));

        fixture.round();

        assertThat(fixture.warned).isEmpty();
    }

    @Test
    void hourly_sums_go_after_93_days_and_daily_ones_stay() {
        var hours =
                Stream.of(100, 94, 92, 0).map(days -> Some.NOON.minus(ONE_DAY.multipliedBy(days)));
        hours.forEach(this::sum);

        fixture.round();

        assertThat(fixture.count("rollup_hour")).isEqualTo(2);
        assertThat(fixture.count("rollup_day")).isEqualTo(4);
    }

    private void sum(Instant at) {
        var usage = UsageRow.event(Some.sourceId(), at, VerificationStatus.SKIPPED, 2);
        fixture.db.run(tx -> {
            GivenRows.addToHour(tx, usage);
            GivenRows.addToDay(tx, usage);
        });
    }

    /// The process dies between the announcement and its watermark. They are one transaction.
    @Test
    void an_announcement_whose_transaction_is_lost_is_made_again_and_then_stands() {
        var source = fixture.source("short");
        fixture.waiting(source, connection, Some.NOON);
        fixture.clock.advance(ONE_DAY.plusSeconds(1));
        fixture.onWarned =
                tx -> {
                    tx.update(
                            "insert into alert_use (workspace_id, kind, period, n)"
                                    + " values (gen_random_uuid(), 'test', 7, 1)");
                    throw new IllegalStateException("the process dies");
                };
        assertThatThrownBy(fixture::round).hasMessageContaining("the process dies");
        assertThat(fixture.count("alert_use")).isZero();

        fixture.onWarned = _ -> {};
        fixture.round();
        fixture.round();

        assertThat(fixture.warned).hasSize(1);
    }
}
