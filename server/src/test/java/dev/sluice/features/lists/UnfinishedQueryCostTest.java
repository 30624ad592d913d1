package dev.sluice.features.lists;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.account.workspace.WorkspaceId;
import dev.sluice.engine.DeliveryStatus;
import dev.sluice.engine.commit.PartitionStore;
import dev.sluice.history.ListPage;
import dev.sluice.history.PageCursor;
import dev.sluice.history.ResultPage;
import dev.sluice.platform.db.Db;
import dev.sluice.platform.http.Page;
import dev.sluice.platform.id.Uuid7;
import dev.sluice.testkit.EventsOfDeliveries;
import dev.sluice.testkit.Given;
import dev.sluice.testkit.Some;
import dev.sluice.testkit.TestPostgres;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.Set;

/// Tests how many unfinished deliveries a list reads, by PostgreSQL's own counters. The statistics
/// of their table say that it is empty, as they do after a sudden outage.
class UnfinishedQueryCostTest {

    private static final int ROW_COUNT = 20_000;
    private static final Instant FIRST_EVENT_AT = Some.NOON.minus(Duration.ofDays(1));
    private static final long EVENT_INTERVAL_MILLIS = 12_960;

    /// Covers the hours in which a page begins and ends, with the other workspace's rows in them.
    /// There are 278 rows an hour.
    private static final long MAX_ROWS_READ = 1_500;

    private static final DeliveryFilter WAITING =
            DeliveryFilter.of(Set.of(DeliveryStatus.PENDING, DeliveryStatus.DELIVERING));

    private static Db db;
    private static WorkspaceId workspace;

    /// Fills three days. Every second row belongs to another workspace.
    @BeforeAll
    static void fill() {
        db = TestPostgres.open(TestPostgres.newDatabase());
        EventsOfDeliveries.insertAlways(db);
        new PartitionStore(db).makeAhead(Some.NOON);
        db.run(tx -> tx.update("analyze"));
        var given = new Given(db);
        var source = given.source();
        var connection = given.connection(source, given.destination("example.com", 4));
        var stranger = new Given(db);
        var theirs = stranger.source();
        var theirConnection = stranger.connection(theirs, stranger.destination("example.org", 4));
        db.run(tx -> {
            tx.update(
                    """
                    insert into delivery_work (id, next_at, source_id, connection_id, trigger)
                    select (lpad(to_hex(? + at * ?), 12, '0') || '70008' || substr(md5(at::text), 1, 12) || '001')::uuid,
                           ?, case when at % 2 = 0 then ?::uuid else ?::uuid end,
                           case when at % 2 = 0 then ?::uuid else ?::uuid end, 1
                      from generate_series(0, ? - 1) as at
                    """,
                    FIRST_EVENT_AT.toEpochMilli(),
                    EVENT_INTERVAL_MILLIS,
                    Some.NOON,
                    source.value(),
                    theirs.value(),
                    connection.value(),
                    theirConnection.value(),
                    ROW_COUNT);
            tx.update(
                    """
                    insert into rollup_hour (kind, key, hour, dim, n, size)
                    select 3, connection_id,
                           (('x' || translate(substr(id::text, 1, 13), '-', ''))::bit(48)::bigint / 3600000)::integer as hour,
                           1, count(*), 0
                      from delivery_work
                     group by connection_id, hour
                    """);
            tx.update(
                    """
                    insert into rollup_day (kind, key, day, dim, n, size)
                    select kind, key, hour / 24, dim, sum(n), 0 from rollup_hour group by 1, 2, 3, 4
                    """);
            tx.query("select pg_stat_force_next_flush()", _ -> 0);
        });
        workspace =
                new WorkspaceId(
                        db.call(tx ->
                                tx.single(
                                        "select workspace_id from source where id = ?",
                                        row -> row.uuid("workspace_id"),
                                        source.value())));
    }

    @AfterAll
    static void close() {
        db.close();
    }

    private record WorkReadCounters(long wholeTables, long rows) {}

    private static WorkReadCounters reads() {
        return db.call(tx -> {
            tx.query("select pg_stat_force_next_flush()", _ -> 0);
            return tx.single(
                    """
                    select (select seq_scan from pg_stat_user_tables where relname = 'delivery_work') as whole_tables,
                           (select sum(idx_tup_read) from pg_stat_user_indexes
                             where relname = 'delivery_work') as rows
                    """,
                    row -> new WorkReadCounters(row.number("whole_tables"), row.number("rows")));
        });
    }

    private static ResultPage<DeliveryKey> assertCheap(ListPage page) {
        var before = reads();
        var result =
                db.call(tx -> {
                    tx.query("select pg_stat_force_next_flush()", _ -> 0);
                    return new DeliverySearch(
                                    tx,
                                    DeliveryScopeQueries.scope(tx, workspace, WAITING),
                                    WAITING,
                                    _ -> DeliveryStatus.PENDING,
                                    FIRST_EVENT_AT,
                                    Some.NOON)
                            .page(page);
                });
        var after = reads();
        assertThat(after.wholeTables() - before.wholeTables()).as("whole tables").isZero();
        assertThat(after.rows() - before.rows()).as("rows").isLessThan(MAX_ROWS_READ);
        assertThat(result.rows()).hasSize(50);
        assertThat(result.total()).isEqualTo(ROW_COUNT / 2);
        return result;
    }

    @Test
    void the_newest_page_and_a_deep_one_read_their_hours_only() {
        assertCheap(ListPage.numbered(new Page(1, 50)));
        assertCheap(ListPage.numbered(new Page(150, 50)));
    }

    @Test
    void a_page_after_a_cursor_reads_its_hours_only() {
        var middle = Uuid7.floor(FIRST_EVENT_AT.plus(Duration.ofHours(30)).plusSeconds(1_234));

        assertCheap(new ListPage(new Page(1, 50), Optional.of(new PageCursor(middle, 0)), ""));
    }
}
