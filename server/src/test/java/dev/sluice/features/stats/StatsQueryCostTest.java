package dev.sluice.features.stats;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.account.workspace.WorkspaceId;
import dev.sluice.engine.DeliveryId;
import dev.sluice.engine.commit.PartitionStore;
import dev.sluice.features.stats.StatsScope.ScopeFilter;
import dev.sluice.gateway.connection.ConnectionId;
import dev.sluice.gateway.source.SourceId;
import dev.sluice.platform.db.Db;
import dev.sluice.platform.db.Tx;
import dev.sluice.testkit.Given;
import dev.sluice.testkit.GivenRows;
import dev.sluice.testkit.Some;
import dev.sluice.testkit.TestPostgres;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Function;
import java.util.stream.Stream;

/// Tests how many rows the statistics read, by PostgreSQL's own counters, and that what others have
/// does not add to them.
class StatsQueryCostTest {

    private static final int OTHER_KEYS = 150;
    private static final int HOURS = 48;
    private static final UUID ALL = new UUID(0, 0);

    /// Kinds and dims of each key and hour: 2 of events, 3 of outcomes, 1 of deliveries and 4 of
    /// latencies.
    private static final int ROWS_PER_HOUR = 10;

    private static final Instant OLDEST_OF_OTHERS = Some.NOON.minus(Duration.ofMinutes(40));

    private static Db db;
    private static WorkspaceId workspace;
    private static SourceId source;
    private static ConnectionId connection;
    private static ConnectionId held;

    @BeforeAll
    static void fill() {
        db = TestPostgres.open(TestPostgres.newDatabase());
        new PartitionStore(db).makeAhead(Some.NOON);
        var given = new Given(db);
        source = given.source();
        connection = given.connection(source, given.destination("example.com", 4));
        held = given.connection(source, given.destination("example.org", 4));
        workspace =
                new WorkspaceId(
                        db.call(tx ->
                                tx.single(
                                        "select workspace_id from source where id = ?",
                                        row -> row.uuid("workspace_id"),
                                        source.value())));
        db.run(tx -> {
            insertSums(tx, List.of(source.value(), connection.value()));
            insertSums(tx, Stream.generate(Some::id).limit(OTHER_KEYS).toList());
            tx.update("analyze");
        });
    }

    private static void insertSums(Tx tx, List<UUID> keys) {
        tx.update(
                """
                insert into rollup_hour (kind, key, hour, dim, n, size)
                select kind, key, hour, dim, 5, 100
                  from unnest(?) as key,
                       generate_series(? - ?, ? - 1) as hour,
                       (values (1, 1), (1, 2), (2, 3), (2, 4), (2, 5), (3, 1),
                               (4, 10), (4, 11), (4, 12), (4, 13)) as counted (kind, dim)
                """,
                keys,
                hourOf(Some.NOON),
                HOURS,
                hourOf(Some.NOON));
        tx.update(
                """
                insert into rollup_day (kind, key, day, dim, n, size)
                select kind, key, hour / 24, dim, sum(n), sum(size)
                  from rollup_hour where key = any (?)
                 group by kind, key, hour / 24, dim
                """,
                keys);
    }

    private static int hourOf(Instant time) {
        return (int) (time.getEpochSecond() / 3_600);
    }

    @AfterAll
    static void close() {
        db.close();
    }

    private static StatsScope scope(Tx tx) {
        return StatsScopeQueries.scope(
                tx, workspace, new ScopeFilter(Optional.empty(), Optional.empty()));
    }

    private record TableReads(long scanned, long fetched) {}

    /// Runs the work and returns how many rows it read of the table, with and without an index.
    private static TableReads reads(String table, Function<Tx, ?> work) {
        return db.snapshot(tx -> {
            var before = counters(tx, table);
            var _ = work.apply(tx);
            var after = counters(tx, table);
            return new TableReads(
                    after.scanned() - before.scanned(), after.fetched() - before.fetched());
        });
    }

    private static TableReads counters(Tx tx, String table) {
        return tx.single(
                """
                select seq_tup_read, coalesce(idx_tup_fetch, 0) as fetched
                  from pg_stat_xact_user_tables
                 where relname = ?
                """,
                row -> new TableReads(row.number("seq_tup_read"), row.number("fetched")),
                table);
    }

    private static StatsWindow lastHours(int hours) {
        return StatsWindow.between(Some.NOON.minus(Duration.ofHours(hours)), Some.NOON, Some.NOON);
    }

    @Test
    void a_day_reads_the_hours_of_the_workspace_and_no_others() {
        var read =
                reads("rollup_hour", tx -> new StatsQueries(tx, lastHours(24)).byBucket(scope(tx)));

        assertThat(read.scanned()).isZero();
        assertThat(read.fetched()).isBetween(1L, 24L * ROWS_PER_HOUR);
    }

    @Test
    void tables_by_source_and_destination_read_no_more() {
        var bySource =
                reads("rollup_hour", tx -> new StatsQueries(tx, lastHours(24)).bySource(scope(tx)));
        var byDestination =
                reads(
                        "rollup_hour",
                        tx -> {
                            var scope = scope(tx);
                            return new StatsQueries(tx, lastHours(24))
                                    .deliveriesBy(scope::destinationOf, scope);
                        });

        assertThat(bySource.scanned() + byDestination.scanned()).isZero();
        assertThat(bySource.fetched()).isLessThanOrEqualTo(24L * ROWS_PER_HOUR);
        assertThat(byDestination.fetched()).isLessThanOrEqualTo(24L * ROWS_PER_HOUR);
    }

    @Test
    void longer_windows_read_days_and_no_hours() {
        Function<Tx, ?> month = tx -> new StatsQueries(tx, lastHours(24 * 60)).byBucket(scope(tx));

        assertThat(reads("rollup_hour", month)).isEqualTo(new TableReads(0, 0));
        var days = reads("rollup_day", month);
        assertThat(days.scanned()).isZero();
        assertThat(days.fetched()).isBetween(1L, 3L * ROWS_PER_HOUR);
    }

    /// The counts of the connection `held`, as the relay writes them.
    private static void insertWaiting(int others, List<DeliveryId> own) {
        db.run(tx -> {
            tx.update("delete from delivery_work");
            tx.update(
                    """
                    insert into delivery_work (id, source_id, connection_id, trigger, next_at)
                    select (lpad(to_hex(? + at), 12, '0') || '7000800' || lpad(to_hex(at), 10, '0') || '001')::uuid,
                           ?, ?, 1, ?
                      from generate_series(1, ?) as at
                    """,
                    OLDEST_OF_OTHERS.toEpochMilli(),
                    Some.id(),
                    Some.id(),
                    Some.NOON,
                    others);
            GivenRows.insertWork(
                    tx,
                    own.stream()
                            .map(id -> GivenRows.WorkRow.waiting(id, source, held, Some.NOON))
                            .toList());
            tx.update("delete from ledger");
            if (own.isEmpty()) {
                return;
            }
            GivenRows.insertLedger(
                    tx,
                    source.value(),
                    own.stream().map(id -> GivenRows.UsageRow.delivery(id, held)).toList());
        });
    }

    private static Map<UUID, WaitingDeliveries> waiting(Tx tx) {
        return new WaitingQueries(tx, List.of(held.value()), _ -> ALL).byGroup();
    }

    private static DeliveryId waitingSince(Instant at) {
        return DeliveryId.of(Some.eventId(at), 1);
    }

    @Test
    void the_oldest_is_found_behind_the_work_of_others() {
        var oldest = OLDEST_OF_OTHERS.plusSeconds(600);
        insertWaiting(3_000, List.of(waitingSince(Some.NOON), waitingSince(oldest)));

        assertThat(db.snapshot(StatsQueryCostTest::waiting))
                .containsExactly(Map.entry(ALL, new WaitingDeliveries(2, Optional.of(oldest))));
    }

    @Test
    void among_very_many_of_others_the_search_stops_and_the_answer_is_a_lower_bound() {
        insertWaiting(30_000, List.of(waitingSince(Some.NOON.minusSeconds(1))));

        var read = reads("delivery_work", StatsQueryCostTest::waiting);
        var waiting =
                db.snapshot(StatsQueryCostTest::waiting).getOrDefault(ALL, WaitingDeliveries.NONE);

        assertThat(read.scanned()).isZero();
        assertThat(read.fetched()).isBetween(20_000L, 20_010L);
        assertThat(waiting.count()).isEqualTo(1);
        assertThat(waiting.oldestReceivedAt().orElseThrow())
                .isBetween(OLDEST_OF_OTHERS.plusSeconds(19), OLDEST_OF_OTHERS.plusSeconds(21));
    }

    @Test
    void nothing_waiting_reads_one_row_of_the_work() {
        insertWaiting(1_000, List.of());

        var read = reads("delivery_work", StatsQueryCostTest::waiting);

        assertThat(read.fetched()).isEqualTo(1);
        assertThat(db.snapshot(StatsQueryCostTest::waiting)).isEmpty();
    }
}
