package dev.sluice.features.lists;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.engine.commit.PartitionStore;
import dev.sluice.gateway.source.SourceId;
import dev.sluice.gateway.source.VerificationStatus;
import dev.sluice.history.ListPage;
import dev.sluice.history.PageCursor;
import dev.sluice.history.ReceivedTimeRange;
import dev.sluice.platform.db.Db;
import dev.sluice.platform.http.Page;
import dev.sluice.platform.id.Uuid7;
import dev.sluice.testkit.Given;
import dev.sluice.testkit.Some;
import dev.sluice.testkit.TestPostgres;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.stream.LongStream;

/// Tests how many rows the event lists read, by PostgreSQL's own counters. They may read indexes
/// only, and not more than their page.
class EventQueryCostTest {

    private static final int EVENT_COUNT = 40_000;
    private static final Instant FIRST_EVENT_AT = Some.NOON.minus(Duration.ofDays(1));
    private static final long EVENT_INTERVAL_MILLIS = 4_320;
    private static final Instant RETAINED_SINCE = Some.NOON.minus(Duration.ofHours(30));
    private static final Instant NOW = Some.NOON.plus(Duration.ofDays(2));

    /// Covers the minutes in which a page begins and ends, and the rows of the page itself. The
    /// events are spread evenly, 14 a minute.
    private static final long MAX_ROWS_READ = 1_000;

    private static Db db;
    private static List<SourceId> sources;
    private static UUID someId;

    /// Fills two sources. One event in 4 000 failed and one in 4 000 is verified; the others are
    /// skipped.
    @BeforeAll
    static void fill() {
        db = TestPostgres.open(TestPostgres.newDatabase());
        new PartitionStore(db).makeAhead(Some.NOON);
        var given = new Given(db);
        sources = List.of(given.source(), given.source());
        db.run(tx -> {
            tx.update(
                    """
                    insert into event (id, source_id, method, verification, fanout, body_size, headers, body)
                    select (lpad(to_hex(? + at * ?), 12, '0') || '70008' || substr(md5(at::text), 1, 12) || '000')::uuid,
                           case when at % 2 = 0 then ?::uuid else ?::uuid end, 'POST',
                           case at % 4000 when 7 then 1 when 8 then 2 else 3 end, 0, 100,
                           ''::bytea, repeat('x', 100)::bytea
                      from generate_series(0, ? - 1) as at
                    """,
                    FIRST_EVENT_AT.toEpochMilli(),
                    EVENT_INTERVAL_MILLIS,
                    sources.get(0).value(),
                    sources.get(1).value(),
                    EVENT_COUNT);
            tx.update(
                    """
                    insert into rollup_hour (kind, key, hour, dim, n, size, minutes)
                    select 1, source_id, hour, verification, sum(n), 0,
                           array(select coalesce((array_agg(n))[array_position(array_agg(minute), m)], 0)
                                   from generate_series(0, 59) as m order by m)
                      from (select source_id, verification, (since / 60)::integer as hour,
                                   (since % 60)::integer as minute, count(*)::integer as n
                              from (select source_id, verification,
                                           ('x' || translate(substr(id::text, 1, 13), '-', ''))::bit(48)::bigint / 60000 as since
                                      from event) as timed
                             group by source_id, verification, since) as by_minute
                     group by source_id, hour, verification
                    """);
            tx.update(
                    """
                    insert into rollup_day (kind, key, day, dim, n, size)
                    select kind, key, hour / 24, dim, sum(n), 0 from rollup_hour group by 1, 2, 3, 4
                    """);
            EventFixture.analyze(tx);
        });
        someId =
                db.call(tx -> {
                    tx.query("select pg_stat_force_next_flush()", _ -> 0);
                    return tx.single(
                            "select id from event where id > ? order by id limit 1",
                            row -> row.uuid("id"),
                            Uuid7.floor(Some.NOON));
                });
    }

    @AfterAll
    static void close() {
        db.close();
    }

    private record ReadCounters(long wholeTables, long byCheckedIndex, long rows) {}

    private static ReadCounters reads() {
        return db.call(tx ->
                tx.single(
                        """
                        select (select sum(seq_scan) from pg_stat_user_tables
                                 where relname like 'event\\_2%') as whole_tables,
                               (select sum(idx_scan) from pg_stat_user_indexes
                                 where indexrelname like 'event\\_2%verification%') as by_checked,
                               (select sum(idx_tup_read) from pg_stat_user_indexes
                                 where relname like 'event\\_2%') as rows
                        """,
                        row ->
                                new ReadCounters(
                                        row.number("whole_tables"),
                                        row.number("by_checked"),
                                        row.number("rows"))));
    }

    /// Runs a search and returns the rows that it read.
    private static ReadCounters cost(EventFilter filter, Page page, int expected) {
        return cost(filter, ListPage.numbered(page), expected);
    }

    private static ReadCounters cost(EventFilter filter, ListPage page, int expected) {
        var before = reads();
        var result =
                db.call(tx -> {
                    tx.query("select pg_stat_force_next_flush()", _ -> 0);
                    return new EventSearch(tx, sources, filter, RETAINED_SINCE, NOW).page(page);
                });
        assertThat(result.rows()).hasSize(expected);
        var after = reads();
        return new ReadCounters(
                after.wholeTables() - before.wholeTables(),
                after.byCheckedIndex() - before.byCheckedIndex(),
                after.rows() - before.rows());
    }

    private static EventFilter filter(
            Optional<VerificationStatus> verification,
            Optional<Instant> before,
            Optional<String> q) {
        return new EventFilter(
                Optional.empty(),
                verification,
                new ReceivedTimeRange(Optional.empty(), before),
                q,
                Optional.empty());
    }

    private static final EventFilter NO_FILTER =
            filter(Optional.empty(), Optional.empty(), Optional.empty());

    @Test
    void the_newest_page_reads_its_own_events_only() {
        var cost = cost(NO_FILTER, new Page(1, 50), 50);

        assertThat(cost.wholeTables()).isZero();
        assertThat(cost.rows()).isLessThan(MAX_ROWS_READ);
    }

    @Test
    void the_deepest_page_reads_no_more() {
        var cost = cost(NO_FILTER, new Page(EVENT_COUNT / 50, 50), 50);

        assertThat(cost.wholeTables()).isZero();
        assertThat(cost.rows()).isLessThan(MAX_ROWS_READ);
    }

    @Test
    void a_page_after_a_cursor_reads_no_more_however_deep_it_is() {
        var cursor = new PageCursor(someId, 0);

        var cost = cost(NO_FILTER, new ListPage(new Page(1, 50), Optional.of(cursor), ""), 50);

        assertThat(cost.wholeTables()).isZero();
        assertThat(cost.rows()).isLessThan(MAX_ROWS_READ);
    }

    @Test
    void a_total_counts_the_two_minutes_that_are_cut_only() {
        var cut = Optional.of(Some.NOON.minus(Duration.ofHours(5)).plusSeconds(17));

        var cost = cost(filter(Optional.empty(), cut, Optional.empty()), new Page(1, 1), 1);

        assertThat(cost.wholeTables()).isZero();
        assertThat(cost.rows()).isLessThan(MAX_ROWS_READ);
    }

    @Test
    void the_few_that_failed_are_found_by_their_index() {
        var failed = Optional.of(VerificationStatus.FAILED);

        var cost = cost(filter(failed, Optional.empty(), Optional.empty()), new Page(1, 50), 10);

        assertThat(cost.wholeTables()).isZero();
        assertThat(cost.byCheckedIndex()).isPositive();
        assertThat(cost.rows()).isLessThan(MAX_ROWS_READ);
    }

    @Test
    void the_few_that_were_verified_are_found_by_their_index() {
        var verified = Optional.of(VerificationStatus.VERIFIED);

        var cost = cost(filter(verified, Optional.empty(), Optional.empty()), new Page(1, 50), 10);

        assertThat(cost.wholeTables()).isZero();
        assertThat(cost.rows()).isLessThan(MAX_ROWS_READ);
    }

    @Test
    void a_whole_id_and_eight_digits_are_found_by_the_key() {
        var whole = cost(q(someId.toString()), new Page(1, 50), 1);
        var prefix =
                cost(q(someId.toString().substring(0, 8)), new Page(1, 50), ofTheSame65Seconds());

        assertThat(whole.wholeTables()).isZero();
        assertThat(whole.rows()).isLessThan(10);
        assertThat(prefix.wholeTables()).isZero();
        assertThat(prefix.rows()).isLessThan(MAX_ROWS_READ);
    }

    private static EventFilter q(String text) {
        return filter(Optional.empty(), Optional.empty(), Optional.of(text));
    }

    private static int ofTheSame65Seconds() {
        long since = Uuid7.timeOf(someId).toEpochMilli() >> 16;
        return (int)
                LongStream.range(0, EVENT_COUNT)
                        .map(at ->
                                (FIRST_EVENT_AT.toEpochMilli() + at * EVENT_INTERVAL_MILLIS) >> 16)
                        .filter(time -> time == since)
                        .count();
    }
}
