package dev.sluice.testkit;

import dev.sluice.engine.DeliveryId;
import dev.sluice.engine.EventId;
import dev.sluice.engine.Trigger;
import dev.sluice.engine.UnfinishedDelivery;
import dev.sluice.engine.commit.PartitionStore;
import dev.sluice.engine.lanes.Lane;
import dev.sluice.engine.lanes.LaneStore;
import dev.sluice.gateway.connection.ConnectionId;
import dev.sluice.gateway.source.SourceId;
import dev.sluice.platform.db.Database;
import dev.sluice.platform.db.Db;
import dev.sluice.platform.db.DedicatedConnection;
import dev.sluice.platform.db.Tx;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.IntStream;

/// A database whose hot tables are empty, huge or bloated. It measures what SQL reads from them
/// with the counters of PostgreSQL.
///
/// Rows of work are numbered from 0, oldest first, one millisecond apart. The last thousand belong
/// to a node; all others wait, half of them in lane 0. One row in twenty has its event. One row in
/// ten has a second delivery, in the history. Used by one thread.
public final class HotTables implements AutoCloseable {

    /// The size and condition of the tables. Each state follows from the one before.
    public enum FillState {
        /// The tables never held a row and were never analysed.
        EMPTY,
        /// The tables are full and have no dead rows.
        HUGE,
        /// Nine in ten rows of work are dead, and vacuum cannot remove them.
        BLOATED
    }

    public static final int LANE_COUNT = 200;

    /// The node that owns the newest rows of work.
    public static final long OWNER_NODE = 7;

    /// The number of rows that this node owns.
    public static final int OWNED_ROWS = 1_000;

    /// The time at which the oldest row of work was received.
    public static final Instant OLDEST_WORK_AT = Some.NOON.minus(Duration.ofHours(2));

    public static final SourceId SOURCE_ID = new SourceId(uuid(0x5000, 1));

    private static final List<String> PLAN_CACHE_MODES =
            List.of("auto", "force_custom_plan", "force_generic_plan");

    private final Database database = TestPostgres.newDatabase();
    private final Db db = TestPostgres.open(database);
    private final Connection snapshotHolder = snapshotHolder();
    private final DedicatedConnection connection = new DedicatedConnection(database, "hot");
    private final int rows;
    private FillState state = FillState.EMPTY;
    private int usedWaiting;
    private int usedOwned;

    /// @param rows the number of rows of work in a full table
    public HotTables(int rows) {
        this.rows = rows;
        new PartitionStore(db).makeAhead(Some.NOON);
        stopVacuum();
    }

    /// Brings the tables to this state if they have not reached it yet.
    public void bringTo(FillState wanted) {
        if (state == FillState.EMPTY && wanted != FillState.EMPTY) {
            fill();
            state = FillState.HUGE;
        }
        if (state == FillState.HUGE && wanted == FillState.BLOATED) {
            bloat();
            state = FillState.BLOATED;
        }
    }

    public boolean isEmpty() {
        return state == FillState.EMPTY;
    }

    public boolean isBloated() {
        return state == FillState.BLOATED;
    }

    public Database database() {
        return database;
    }

    public Db db() {
        return db;
    }

    /// The number of oldest rows, which are dead once the tables are bloated.
    public int deadRows() {
        return rows / 10 * 9;
    }

    /// Turns off autovacuum, because the counters would include its reads.
    private void stopVacuum() {
        unmeasured(tx -> {
            for (String table :
                    tx.query(
                            """
                            select relname from pg_class
                             where relkind = 'r' and relname ~ '^(event|delivery|attempt|lane)(_work|_2.*)?$'
                            """,
                            row -> row.text("relname"))) {
                tx.update("alter table " + table + " set (autovacuum_enabled = false)");
            }
            return true;
        });
    }

    private static UUID uuid(int kind, long number) {
        return UUID.fromString("00000000-0000-%04x-8000-%012x".formatted(kind, number));
    }

    public static ConnectionId connection(int lane) {
        return new ConnectionId(uuid(0x1000, lane));
    }

    public static Lane lane(int number) {
        return new Lane(connection(number), Trigger.INGEST, SOURCE_ID);
    }

    private static int laneOf(int row) {
        return row % 2 == 0 ? 0 : row % LANE_COUNT;
    }

    public static EventId event(int row) {
        return new EventId(
                UUID.fromString(
                        "%s-%s-7000-8%03x-%09x000"
                                .formatted(
                                        hex(row).substring(0, 8),
                                        hex(row).substring(8),
                                        row >> 16 >> 16,
                                        row)));
    }

    private static String hex(int row) {
        return "%012x".formatted(OLDEST_WORK_AT.toEpochMilli() + row);
    }

    public static UnfinishedDelivery work(int row) {
        return new UnfinishedDelivery(
                DeliveryId.of(event(row), 1),
                SOURCE_ID,
                connection(laneOf(row)),
                Trigger.INGEST,
                0,
                Optional.empty());
    }

    private void fill() {
        unmeasured(tx -> {
            tx.update(
                    """
                    insert into delivery_work (id, next_at, source_id, connection_id, owner, trigger)
                    select (lpad(to_hex(? + n), 12, '0') || '70008' || lpad(to_hex(n), 12, '0') || '001')::uuid,
                           case when n < ? then ?::timestamptz + n * interval '1 millisecond' end,
                           ?, ('00000000-0000-1000-8000-' || lpad(to_hex(case when n % 2 = 0 then 0 else n % ? end), 12, '0'))::uuid,
                           case when n >= ? then ? end, 1
                      from generate_series(0, ? - 1) as n
                    """,
                    OLDEST_WORK_AT.toEpochMilli(),
                    rows - OWNED_ROWS,
                    OLDEST_WORK_AT,
                    SOURCE_ID.value(),
                    LANE_COUNT,
                    rows - OWNED_ROWS,
                    OWNER_NODE,
                    rows);
            tx.update(
                    """
                    insert into event (id, source_id, method, verification, fanout, body_size, headers, body)
                    select (lpad(to_hex(? + n), 12, '0') || '70008' || lpad(to_hex(n), 12, '0') || '000')::uuid,
                           ?, 'POST', 3, 1, 100, '', repeat('x', 100)::bytea
                      from generate_series(0, ? - 1, 20) as n
                    """,
                    OLDEST_WORK_AT.toEpochMilli(),
                    SOURCE_ID.value(),
                    rows);
            tx.update(
                    """
                    insert into delivery (id, finished_at, source_id, connection_id, status, trigger, attempts)
                    select (lpad(to_hex(? + n), 12, '0') || '70008' || lpad(to_hex(n), 12, '0') || '002')::uuid,
                           ?, ?, ?, 3, 1, 1
                      from generate_series(0, ? - 1, 10) as n
                    """,
                    OLDEST_WORK_AT.toEpochMilli(),
                    Some.NOON,
                    SOURCE_ID.value(),
                    connection(0).value(),
                    rows);
            LaneStore.wake(
                    tx,
                    IntStream.range(0, LANE_COUNT)
                            .mapToObj(n ->
                                    new LaneStore.LaneWake(lane(n), OLDEST_WORK_AT.plusSeconds(n)))
                            .toList());
            return true;
        });
    }

    /// Deletes the oldest rows while a snapshot still sees them.
    private void bloat() {
        try {
            snapshotHolder.setAutoCommit(false);
            snapshotHolder.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
            try (var statement = snapshotHolder.createStatement()) {
                statement.execute("select count(*) from node");
            }
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
        unmeasured(tx ->
                tx.update("delete from delivery_work where id < ?", event(deadRows()).value()));
    }

    private Connection snapshotHolder() {
        try {
            return DriverManager.getConnection(
                    "jdbc:postgresql://%s:%d/%s?currentSchema=%s"
                            .formatted(
                                    database.host(),
                                    database.port(),
                                    database.name(),
                                    Database.SCHEMA),
                    database.user(),
                    database.password().reveal());
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    /// Runs `work` in a transaction whose reads are not part of a later measurement: its counters
    /// are flushed when it ends.
    public <T> T unmeasured(Function<Tx, T> work) {
        return db.call(tx -> {
            flushCounters(tx);
            return work.apply(tx);
        });
    }

    private static void flushCounters(Tx tx) {
        tx.query("select pg_stat_force_next_flush()", _ -> 0);
    }

    /// Runs `test` once per plan cache mode, with a function that measures work on a
    /// [DedicatedConnection], as the hot path uses.
    public void forEachPlanCacheMode(Consumer<Function<Function<Tx, ?>, QueryCost>> test) {
        forEachPlanCacheMode(connection::call, test);
    }

    /// Runs `test` once per plan cache mode, with a function that measures work on a connection
    /// from the pool.
    public void forEachPlanCacheModeInPool(Consumer<Function<Function<Tx, ?>, QueryCost>> test) {
        forEachPlanCacheMode(db::call, test);
    }

    private void forEachPlanCacheMode(
            Consumer<Function<Tx, Boolean>> transaction,
            Consumer<Function<Function<Tx, ?>, QueryCost>> test) {
        for (String plan : PLAN_CACHE_MODES) {
            test.accept(work -> {
                var before = costTotals();
                transaction.accept(tx -> {
                    tx.update("set local plan_cache_mode = " + plan);
                    flushCounters(tx);
                    return work.apply(tx) != null;
                });
                return costTotals().since(before);
            });
        }
    }

    /// Measures work that uses the pool in transactions of its own, on this thread.
    public QueryCost costOf(Runnable work) {
        var before = costTotals();
        work.run();
        unmeasured(_ -> true); // flushes the counters of that connection
        return costTotals().since(before);
    }

    private QueryCost costTotals() {
        return unmeasured(QueryCost::readTotals);
    }

    /// Returns rows of work that no other test has used and that stay alive in a bloated table.
    public List<UnfinishedDelivery> waitingWork(int count) {
        int from = deadRows() + usedWaiting;
        usedWaiting += count;
        return IntStream.range(from, from + count).mapToObj(HotTables::work).toList();
    }

    public List<UnfinishedDelivery> ownedWork(int count) {
        int to = rows - usedOwned;
        usedOwned += count;
        return IntStream.range(to - count, to).mapToObj(HotTables::work).toList();
    }

    /// Counts the rows of work that stay alive in a bloated table, plus the history rows made from
    /// them.
    public long liveRowCount() {
        return unmeasured(tx ->
                tx.single(
                        """
                        select (select count(*) from delivery_work where id >= ?)
                               + (select count(*) from delivery where id >= ?)
                               + (select count(*) from attempt where delivery_id >= ?) as n
                        """,
                        row -> row.number("n"),
                        event(deadRows()).value(),
                        event(deadRows()).value(),
                        event(deadRows()).value()));
    }

    @Override
    public void close() throws SQLException {
        connection.close();
        snapshotHolder.close();
        db.close();
    }
}
