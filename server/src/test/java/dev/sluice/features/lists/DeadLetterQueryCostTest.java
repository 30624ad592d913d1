package dev.sluice.features.lists;

import static dev.sluice.history.counts.BudgetedScan.INITIAL_STEP_ROWS;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.account.workspace.WorkspaceId;
import dev.sluice.engine.CauseFilter;
import dev.sluice.engine.DeliveryStatus;
import dev.sluice.engine.commit.PartitionStore;
import dev.sluice.gateway.connection.ConnectionId;
import dev.sluice.gateway.source.SourceId;
import dev.sluice.history.ListPage;
import dev.sluice.history.PageCursor;
import dev.sluice.history.ReceivedTimeRange;
import dev.sluice.history.counts.BudgetedScan;
import dev.sluice.platform.db.Db;
import dev.sluice.platform.db.Tx;
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
import java.util.Set;

/// Tests how many rows the lists of dead letters read, by PostgreSQL's own counters. They may read
/// indexes only, and not more than the hours of their page.
class DeadLetterQueryCostTest {

    private static final int DELIVERY_COUNT = 40_000;
    private static final Instant FIRST_EVENT_AT = Some.NOON.minus(Duration.ofDays(1));
    private static final long EVENT_INTERVAL_MILLIS = 12_960;
    private static final Instant RETAINED_SINCE = FIRST_EVENT_AT.minus(Duration.ofHours(1));

    /// Covers the hours in which a page begins and ends, and the rows of the page itself. There are
    /// 278 deliveries an hour.
    private static final long MAX_ROWS_READ = 2_500;

    private static Db db;
    private static WorkspaceId workspace;
    private static SourceId source;

    /// Fills six days of two sources. One delivery in ten failed, one in 4 000 was exhausted, the
    /// others succeeded. One event in 4 000 was filtered.
    @BeforeAll
    static void fill() {
        db = TestPostgres.open(TestPostgres.newDatabase());
        new PartitionStore(db).makeAhead(Some.NOON);
        var given = new Given(db);
        source = given.source();
        var other = given.source();
        var destination = given.destination("example.com", 4);
        var connection = given.connection(source, destination);
        var otherConnection = given.connection(other, destination);
        write(source, connection, other, otherConnection);
        db.run(tx -> tx.update("analyze"));
        workspace =
                new WorkspaceId(
                        db.call(tx -> {
                            tx.query("select pg_stat_force_next_flush()", _ -> 0);
                            return tx.single(
                                    "select workspace_id from source where id = ?",
                                    row -> row.uuid("workspace_id"),
                                    source.value());
                        }));
    }

    private static void write(
            SourceId one, ConnectionId connection, SourceId other, ConnectionId otherConnection) {
        db.run(tx -> {
            tx.update(
                    """
                    insert into event (id, source_id, method, verification, fanout, body_size, filtered, headers, body)
                    select (lpad(to_hex(? + at * ?), 12, '0') || '70008' || substr(md5(at::text), 1, 12) || '000')::uuid,
                           case when at % 2 = 0 then ?::uuid else ?::uuid end, 'POST', 3, 1, 2,
                           case when at % 4000 = 8 then array[?::uuid] end, ''::bytea, ''::bytea
                      from generate_series(0, ? - 1) as at
                    """,
                    FIRST_EVENT_AT.toEpochMilli(),
                    EVENT_INTERVAL_MILLIS,
                    one.value(),
                    other.value(),
                    connection.value(),
                    DELIVERY_COUNT);
            tx.update(
                    """
                    insert into delivery (id, finished_at, attempted_at, source_id, connection_id, latency_ms,
                                          status, trigger, attempts, response_status, error_code)
                    select (left(id::text, 33) || '001')::uuid, ?, ?, source_id,
                           case when source_id = ? then ?::uuid else ?::uuid end, 1,
                           case when chance = 0 then 5 when chance < 400 then 4 else 3 end, 1, 1, 410, 9
                      from (select id, source_id,
                                   ('x' || substr(md5(id::text), 1, 7))::bit(28)::integer % 4000 as chance
                              from event where filtered is null) as chosen
                    """,
                    Some.NOON, Some.NOON, one.value(), connection.value(), otherConnection.value());
            tx.update(
                    """
                    insert into rollup_hour (kind, key, hour, dim, n, size)
                    select 2, connection_id,
                           (('x' || translate(substr(id::text, 1, 13), '-', ''))::bit(48)::bigint / 3600000)::integer as hour,
                           status, count(*), 0
                      from (select id, connection_id, status from delivery
                            union all
                            select id, unnest(filtered), 6 from event where filtered is not null) as ended
                     group by connection_id, hour, status
                    """);
            tx.update(
                    """
                    insert into rollup_hour (kind, key, hour, dim, n, size)
                    select 3, key, hour, 1, sum(n), 0
                      from rollup_hour
                     where kind = 2 and dim <> 6
                     group by key, hour
                    """);
            tx.update(
                    """
                    insert into rollup_day (kind, key, day, dim, n, size)
                    select kind, key, hour / 24, dim, sum(n), 0 from rollup_hour group by 1, 2, 3, 4
                    """);
        });
    }

    @AfterAll
    static void close() {
        db.close();
    }

    private record DeadLetterReadCounters(long wholeTables, long rows) {}

    private static DeadLetterReadCounters reads() {
        return db.call(tx ->
                tx.single(
                        """
                        select (select sum(seq_scan) from pg_stat_user_tables
                                 where relname ~ '^(event|delivery)_2') as whole_tables,
                               (select sum(idx_tup_read) from pg_stat_user_indexes
                                 where relname ~ '^(event|delivery)_2') as rows
                        """,
                        row ->
                                new DeadLetterReadCounters(
                                        row.number("whole_tables"), row.number("rows"))));
    }

    /// Reads a page, checks its cost and returns the list's total.
    private static long assertCheap(DeliveryFilter filter, long pageFromTheEnd, int limit) {
        var before = reads();
        long total =
                db.call(tx -> {
                    tx.query("select pg_stat_force_next_flush()", _ -> 0);
                    var search = search(tx, filter, BudgetedScan.SCAN_TIME_BUDGET);
                    var result = search.page(ListPage.numbered(new Page(1, limit)));
                    if (pageFromTheEnd > 0) {
                        int last = (int) ((result.total() + limit - 1) / limit);
                        var page = new Page((int) (last - pageFromTheEnd + 1), limit);
                        assertThat(search.page(ListPage.numbered(page)).rows()).isNotEmpty();
                    }
                    return result.total();
                });
        var after = reads();
        assertThat(after.wholeTables() - before.wholeTables()).as("whole tables").isZero();
        assertThat(after.rows() - before.rows()).as("rows").isLessThan(MAX_ROWS_READ);
        return total;
    }

    private static DeliverySearch search(Tx tx, DeliveryFilter filter, Duration budget) {
        return new DeliverySearch(
                tx,
                DeliveryScopeQueries.scope(tx, workspace, filter),
                filter,
                _ -> DeliveryStatus.PENDING,
                RETAINED_SINCE,
                Some.NOON,
                budget);
    }

    private static DeliveryFilter filter(
            Set<DeliveryStatus> statuses, Optional<SourceId> of, Optional<Instant> before) {
        return new DeliveryFilter(
                statuses,
                of,
                Optional.empty(),
                Optional.empty(),
                new CauseFilter(Optional.empty(), Optional.empty()),
                new ReceivedTimeRange(Optional.empty(), before),
                Optional.empty(),
                Optional.empty());
    }

    private static DeliveryFilter all(DeliveryStatus... statuses) {
        return filter(Set.of(statuses), Optional.empty(), Optional.empty());
    }

    @Test
    void the_newest_page_and_the_last_read_their_hours_only() {
        long total =
                assertCheap(
                        filter(DeadLetterFilters.DEAD_STATUSES, Optional.empty(), Optional.empty()),
                        1,
                        50);

        assertThat(total).isBetween(3_000L, 5_000L);
    }

    @Test
    void one_source_costs_no_more() {
        assertCheap(
                filter(DeadLetterFilters.DEAD_STATUSES, Optional.of(source), Optional.empty()),
                10,
                50);
    }

    @Test
    void a_total_counts_the_hours_that_are_cut_only() {
        var cut = Optional.of(Some.NOON.plus(Duration.ofHours(30)).plusSeconds(1_000));

        assertCheap(filter(DeadLetterFilters.DEAD_STATUSES, Optional.empty(), cut), 0, 1);
    }

    @Test
    void what_is_not_resolved_is_looked_up_by_key_for_each_dead_letter_of_one_step() {
        var open =
                DeliveryFilter.of(DeadLetterFilters.DEAD_STATUSES).withResolved(Optional.of(false));
        var before = reads();
        var page =
                db.call(tx -> {
                    tx.query("select pg_stat_force_next_flush()", _ -> 0);
                    return search(tx, open, Duration.ZERO).page(ListPage.numbered(new Page(1, 50)));
                });
        var after = reads();

        assertThat(page.isExact()).isFalse();
        assertThat(page.total()).isEqualTo(INITIAL_STEP_ROWS);
        assertThat(after.wholeTables() - before.wholeTables()).as("whole tables").isZero();
        assertThat(after.rows() - before.rows()).as("rows").isLessThan(100 + 6 * INITIAL_STEP_ROWS);
    }

    @Test
    void the_few_that_were_exhausted_are_found_in_their_hours() {
        assertThat(assertCheap(all(DeliveryStatus.EXHAUSTED), 0, 50)).isBetween(1L, 50L);
    }

    @Test
    void those_that_succeeded_are_found_by_their_key() {
        assertCheap(all(DeliveryStatus.SUCCEEDED), 0, 50);
    }

    @Test
    void a_list_of_every_status_is_found_by_the_key() {
        assertCheap(DeliveryFilter.of(DeliveryFilter.ALL_STATUSES), 1, 50);
    }

    @Test
    void a_page_after_a_cursor_reads_its_own_rows_only() {
        for (var statuses : List.of(DeadLetterFilters.DEAD_STATUSES, DeliveryFilter.ALL_STATUSES)) {
            var filter = DeliveryFilter.of(statuses);
            var middle = Uuid7.floor(FIRST_EVENT_AT.plus(Duration.ofDays(3)));
            var cursor = Optional.of(new PageCursor(middle, 0));
            var before = reads();
            var page =
                    db.call(tx -> {
                        tx.query("select pg_stat_force_next_flush()", _ -> 0);
                        return search(tx, filter, BudgetedScan.SCAN_TIME_BUDGET)
                                .page(new ListPage(new Page(1, 50), cursor, ""));
                    });
            var after = reads();

            assertThat(page.rows()).hasSize(50);
            assertThat(after.wholeTables() - before.wholeTables()).as("whole tables").isZero();
            assertThat(after.rows() - before.rows()).as("rows").isLessThan(MAX_ROWS_READ);
        }
    }

    @Test
    void the_few_that_were_filtered_are_found_by_their_index() {
        assertThat(assertCheap(all(DeliveryStatus.FILTERED), 0, 50)).isEqualTo(10);
    }
}
