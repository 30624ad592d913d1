package dev.sluice.relay.retention;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.gateway.connection.ConnectionId;
import dev.sluice.gateway.source.SourceId;
import dev.sluice.observe.audit.Conservation;
import dev.sluice.platform.db.Database;
import dev.sluice.testkit.Given;
import dev.sluice.testkit.Some;
import dev.sluice.testkit.TestCluster;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.LocalDate;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/// The end of retention, on real tables with a clock that is moved by days.
class RetainingTest {

    private static final Database DATABASE = TestCluster.newDatabase();
    private static final Duration DAY = Duration.ofDays(1);
    private static final Duration MARGIN = Ending.MARGIN.plusSeconds(1);
    private static final String EXPIRED = "4 15";
    private static final String PLANS =
            """
            {"items": [{"name": "short", "limits": {"retention_days": 2}},
                       {"name": "day", "limits": {"retention_days": 1}},
                       {"name": "long", "limits": {"retention_days": 5}}]}
            """;
    private static final String UNLIMITED =
            """
            {"items": [{"name": "short", "limits": {"retention_days": 2}},
                       {"name": "long", "limits": {"retention_days": null}}]}
            """;

    @TempDir Path directory;

    private final ConnectionId connection = new ConnectionId(Some.id());

    private Archive archive;

    @BeforeEach
    void open() throws IOException {
        archive = new Archive(DATABASE, directory, PLANS);
    }

    @AfterEach
    void close() {
        archive.close();
    }

    private void withPlans(String plans) throws IOException {
        archive.close();
        archive = new Archive(DATABASE, directory, plans);
    }

    private void assertConserved() {
        var report = Conservation.check(archive.db, Some.NOON, Some.NOON.plus(DAY.dividedBy(12)));
        assertThat(report.violations()).isEmpty();
        assertThat(report.events()).isPositive();
    }

    @Test
    void what_waits_is_ended_by_its_own_workspaces_plan() {
        var brief = archive.waiting(archive.source("short"), connection, Some.NOON);
        var lasting = archive.waiting(archive.source("long"), connection, Some.NOON);

        archive.clock.advance(DAY.multipliedBy(2).plus(Ending.MARGIN).minusMillis(1));
        archive.round();
        assertThat(archive.standing(brief)).isEqualTo("waiting");

        archive.clock.advance(Duration.ofSeconds(1));
        archive.round();
        assertThat(archive.standing(brief)).isEqualTo(EXPIRED);
        assertThat(archive.standing(lasting)).isEqualTo("waiting");
        assertThat(archive.ended).hasSize(1);
        assertConserved();
    }

    @Test
    void thousands_are_ended_and_doing_it_again_changes_nothing() {
        var source = archive.source("short");
        archive.waiting(source, connection, Some.NOON, 2_050);
        archive.clock.advance(DAY.multipliedBy(2).plus(MARGIN).plusSeconds(3));

        archive.round();
        assertThat(archive.count("delivery_work")).isZero();
        assertThat(archive.count("delivery")).isEqualTo(2_050);
        long counted = archive.count("ledger");
        assertConserved();

        archive.round();
        archive.round();
        assertThat(archive.count("delivery")).isEqualTo(2_050);
        assertThat(archive.count("ledger")).isEqualTo(counted);
        assertThat(archive.ended).hasSize(2_050);
    }

    /// It may be on the wire, or wait for its turn: its node ends it.
    @Test
    void what_a_node_has_in_memory_is_left_to_it() {
        var owned = archive.owned(archive.source("short"), connection, Some.NOON);
        archive.clock.advance(DAY.multipliedBy(3));

        archive.round();

        assertThat(archive.standing(owned)).isEqualTo("owned");
    }

    /// An attempt that began under the longer plan may still be on the wire.
    @Test
    void a_shorter_plan_ends_nothing_in_its_first_half_hour() {
        var source = archive.source("long");
        var delivery = archive.waiting(source, connection, Some.NOON);
        archive.clock.advance(DAY.multipliedBy(3));
        archive.plan(source, "short", archive.clock.instant());

        archive.round();
        assertThat(archive.standing(delivery)).isEqualTo("waiting");

        archive.clock.advance(MARGIN);
        archive.round();
        assertThat(archive.standing(delivery)).isEqualTo(EXPIRED);
    }

    @Test
    void days_go_a_day_after_the_longest_retention() {
        archive.waiting(archive.source("short"), connection, Some.NOON);
        archive.clock.advance(DAY.multipliedBy(6)); // 28 February is five days old since today

        archive.round();
        assertThat(archive.days("event")).hasSize(8).first().isEqualTo("event_20260301");

        archive.clock.advance(Duration.ofHours(12).minusMillis(1));
        archive.round();
        assertThat(archive.days("event")).hasSize(8);

        archive.clock.advance(Duration.ofMillis(1));
        archive.round();
        assertThat(archive.days("event")).hasSize(7).first().isEqualTo("event_20260302");
        assertThat(archive.days("delivery")).hasSize(7).first().isEqualTo("delivery_20260302");
        assertThat(archive.days("attempt")).hasSize(7).first().isEqualTo("attempt_20260302");
        assertThat(archive.count("event")).isZero();
        assertThat(archive.count("delivery_work")).isZero();
        assertThat(Conservation.check(archive.db).violations()).isEmpty();
    }

    @Test
    void with_a_plan_without_end_no_day_goes() throws IOException {
        withPlans(UNLIMITED);
        var brief = archive.waiting(archive.source("short"), connection, Some.NOON);
        var lasting = archive.waiting(archive.source("long"), connection, Some.NOON);
        archive.clock.advance(DAY.multipliedBy(100));

        archive.round();

        assertThat(archive.days("event")).hasSize(9);
        assertThat(archive.standing(brief)).isEqualTo(EXPIRED);
        assertThat(archive.standing(lasting)).isEqualTo("waiting");
    }

    /// Such as what a node has had in memory for days, or a source that nobody knows.
    @Test
    void no_delivery_is_left_of_a_day_that_goes() {
        archive.owned(archive.source("long"), connection, Some.NOON);
        archive.waiting(new SourceId(Some.id()), connection, Some.NOON);
        var young = archive.owned(archive.source("long"), connection, Some.NOON.plus(DAY));
        archive.clock.advance(DAY.multipliedBy(7));

        archive.round();

        assertThat(archive.days("event")).first().isEqualTo("event_20260302");
        assertThat(archive.count("delivery_work")).isEqualTo(1);
        assertThat(archive.standing(young)).isEqualTo("owned");
        assertThat(archive.ended).hasSize(2);
    }

    @Test
    void a_delivery_whose_day_is_gone_is_discarded() {
        var delivery = archive.waiting(archive.source("short"), connection, Some.NOON);
        archive.partitions.dropBefore(LocalDate.parse("2026-03-02"));
        archive.clock.advance(DAY.multipliedBy(3));

        archive.round();

        assertThat(archive.standing(delivery)).isEqualTo("gone");
        assertThat(archive.count("delivery_work")).isZero();
    }

    @Test
    void a_detach_that_was_cut_short_is_ended_first() {
        archive.clock.advance(DAY.multipliedBy(7));
        archive.db.snapshot(reading -> {
            reading.query("select count(*) as n from event", row -> row.number("n"));
            archive.round();
            assertThat(archive.days("event")).first().isEqualTo("event_20260228?");
            archive.round();
            return reading.query("select count(*) as n from event", row -> row.number("n"));
        });
        assertThat(archive.days("event")).hasSize(9);

        archive.round();

        assertThat(archive.days("event")).hasSize(7).first().isEqualTo("event_20260302");
    }

    @Test
    void a_day_that_was_detached_and_not_dropped_is_dropped() {
        archive.db.alone(
                "alter table delivery detach partition delivery_20260228 concurrently", DAY);
        assertThat(archive.days("delivery")).first().isEqualTo("delivery_20260228 apart");
        archive.clock.advance(DAY.multipliedBy(7));

        archive.round();

        assertThat(archive.days("delivery")).hasSize(7);
    }

    @Test
    void what_was_in_the_way_is_tried_again_within_a_minute() {
        var node = archive.node();
        archive.clock.advance(DAY.multipliedBy(7));
        archive.db.snapshot(reading -> {
            reading.query("select count(*) as n from event", row -> row.number("n"));
            return node.run();
        });
        node.run();
        assertThat(archive.days("event")).hasSize(9);

        archive.clock.advance(Duration.ofMinutes(1));
        node.run();

        assertThat(archive.days("event")).hasSize(7);
    }

    /// The database's clock says what day it is.
    @Test
    void a_clock_that_runs_ahead_erases_nothing() {
        archive.partitions.makeAhead(Instant.now());
        archive.clock.advance(DAY.multipliedBy(10 * 365));

        archive.round();

        assertThat(archive.days("event")).hasSize(9);
    }

    @Test
    void a_database_whose_clock_runs_ahead_of_the_machines_ends_and_erases_nothing() {
        var delivery = archive.waiting(archive.source("short"), connection, Some.NOON);
        archive.clock.advance(DAY.multipliedBy(100)); // with the real time of the database

        archive.nodeOnHost(InstantSource.fixed(Some.NOON.plusSeconds(1))).run();

        assertThat(archive.days("event")).isNotEmpty();
        assertThat(archive.ended).isEmpty();
        assertThat(archive.standing(delivery)).isEqualTo("waiting");
    }

    @Test
    void nodes_that_do_it_at_once_do_it_once() throws Exception {
        var source = archive.source("short");
        archive.waiting(source, connection, Some.NOON, 300);
        var later = Some.NOON.plus(DAY);
        archive.waiting(source, connection, later.plus(MARGIN).minusSeconds(1));
        archive.clock.advance(DAY.multipliedBy(2).plus(MARGIN));

        try (var threads = Executors.newFixedThreadPool(4)) {
            var rounds =
                    IntStream.range(0, 4).mapToObj(_ -> threads.submit(archive::round)).toList();
            for (Future<?> round : rounds) {
                round.get();
            }
        }

        assertThat(archive.ended).hasSize(300);
        assertThat(archive.count("delivery")).isEqualTo(300);
        assertThat(archive.told).hasSize(1);
        assertConserved();
    }

    @Test
    void what_will_end_is_told_of_a_day_before_and_once() {
        var source = archive.source("short");
        archive.waiting(source, connection, Some.NOON);
        archive.owned(source, connection, Some.NOON.plusSeconds(1));
        archive.waiting(source, connection, Some.NOON.plus(Duration.ofHours(1)));
        archive.waiting(archive.source("long"), connection, Some.NOON);
        archive.clock.advance(DAY.minusMillis(1));
        archive.round();
        assertThat(archive.told).isEmpty();

        archive.clock.advance(Duration.ofMinutes(1));
        archive.round();
        assertThat(archive.told)
                .containsExactly(
                        new Expiring(source, connection, 2, Some.NOON.plus(DAY.multipliedBy(2))));

        archive.round();
        assertThat(archive.told).hasSize(1);

        archive.clock.advance(Duration.ofHours(1));
        archive.round();
        assertThat(archive.told).hasSize(2).last().matches(told -> told.deliveries() == 1);
    }

    @Test
    void a_resend_of_an_old_event_is_told_of_too() {
        var source = archive.source("short");
        var old = archive.waiting(source, connection, Some.NOON);
        archive.clock.advance(DAY.plus(Duration.ofHours(1)));
        archive.round();
        assertThat(archive.told).hasSize(1);

        archive.resent(source, connection, old.event());
        archive.round();
        assertThat(archive.told).as("too young to be certain").hasSize(1);
        archive.clock.advance(Duration.ofMinutes(2));
        archive.round();
        archive.round();

        assertThat(archive.told).hasSize(2).last().matches(told -> told.deliveries() == 1);
    }

    @Test
    void a_day_is_told_of_half_a_day_before_its_end() {
        archive.waiting(archive.source("day"), connection, Some.NOON);
        archive.clock.advance(Duration.ofHours(12).minusMillis(1));
        archive.round();
        assertThat(archive.told).isEmpty();

        archive.clock.advance(Duration.ofMillis(2));
        archive.round();
        assertThat(archive.told).hasSize(1);
    }

    @Test
    void a_changed_plan_is_told_of_anew() {
        var source = archive.source("short");
        archive.waiting(source, connection, Some.NOON);
        archive.clock.advance(DAY.plus(Duration.ofHours(1)));
        archive.round();
        archive.plan(source, "long", archive.clock.instant());
        archive.round();
        assertThat(archive.told).hasSize(1);

        archive.clock.advance(DAY.multipliedBy(3));
        archive.round();

        assertThat(archive.told).hasSize(2);
    }

    @Test
    void nobody_is_told_of_what_is_in_the_trash() {
        var source = archive.source("short");
        archive.waiting(source, connection, Some.NOON);
        new Given(archive.db).trashed(source);
        archive.clock.advance(DAY.plus(Duration.ofHours(1)));

        archive.round();

        assertThat(archive.told).isEmpty();
    }

    @Test
    void hourly_sums_go_after_93_days_and_daily_ones_stay() {
        var hours =
                Stream.of(100, 94, 92, 0)
                        .map(days -> hour(Some.NOON.minus(DAY.multipliedBy(days))));
        hours.forEach(this::sum);

        archive.round();

        assertThat(archive.count("rollup_hour")).isEqualTo(2);
        assertThat(archive.count("rollup_day")).isEqualTo(4);
    }

    private static int hour(Instant at) {
        return (int) (at.getEpochSecond() / 3_600);
    }

    private void sum(int hour) {
        archive.db.run(tx -> {
            tx.update(
                    "insert into rollup_hour (kind, key, hour, dim, n, size) values (1, ?, ?, 3, 1,"
                            + " 2)",
                    connection.value(),
                    hour);
            tx.update(
                    "insert into rollup_day (kind, key, day, dim, n, size) values (1, ?, ?, 3, 1,"
                            + " 2)",
                    connection.value(),
                    hour / 24);
        });
    }
}
