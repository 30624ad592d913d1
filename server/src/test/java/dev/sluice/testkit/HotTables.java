package dev.sluice.testkit;

import dev.sluice.gateway.connection.ConnectionId;
import dev.sluice.gateway.source.SourceId;
import dev.sluice.platform.db.Database;
import dev.sluice.platform.db.Db;
import dev.sluice.platform.db.Line;
import dev.sluice.platform.db.Tx;
import dev.sluice.relay.DeliveryId;
import dev.sluice.relay.EventId;
import dev.sluice.relay.Trigger;
import dev.sluice.relay.Work;
import dev.sluice.relay.store.Lane;
import dev.sluice.relay.store.LaneStore;
import dev.sluice.relay.store.Partitions;

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

/// The hot tables of a database of its own as they may stand, and what is read of them, by
/// PostgreSQL's own counters.
///
/// Work is numbered from 0, oldest first. It comes in a millisecond apart and all of it waits, but
/// for the last thousand, which a node owns. Half of it waits in lane 0. One in twenty has its
/// event, one in ten a second delivery, in history.
public final class HotTables implements AutoCloseable {

    /// How they stand; each comes after the one before.
    public enum State {
        /// Nothing was ever in them, and nothing ever analysed.
        EMPTY,
        HUGE,
        /// Nine in ten rows of work are dead, and cannot be vacuumed away.
        BLOATED
    }

    public static final int LANES = 200;

    /// The node that owns the newest work.
    public static final long OWNER = 7;

    /// How much of it.
    public static final int OWNED = 1_000;

    /// When the oldest work came in.
    public static final Instant START = Some.NOON.minus(Duration.ofHours(2));

    public static final SourceId SOURCE = new SourceId(named(0x5000, 1));

    private static final List<String> PLANS =
            List.of("auto", "force_custom_plan", "force_generic_plan");

    private final Database database = TestCluster.newDatabase();
    private final Db db = TestCluster.open(database);
    private final Connection pin = pin();
    private final Line line = new Line(database, "hot");
    private final int rows;
    private State state = State.EMPTY;
    private int used;
    private int usedOwned;

    /// @param rows of work, once they are huge
    public HotTables(int rows) {
        this.rows = rows;
        new Partitions(db).makeAhead(Some.NOON);
        stopVacuum();
    }

    /// Fills and bloats what is not yet.
    public void bring(State wanted) {
        if (state == State.EMPTY && wanted != State.EMPTY) {
            fill();
            state = State.HUGE;
        }
        if (state == State.HUGE && wanted == State.BLOATED) {
            bloat();
            state = State.BLOATED;
        }
    }

    public boolean isEmpty() {
        return state == State.EMPTY;
    }

    public boolean isBloated() {
        return state == State.BLOATED;
    }

    public Database database() {
        return database;
    }

    public Db db() {
        return db;
    }

    /// The oldest rows, which are dead once the tables are bloated.
    public int dead() {
        return rows / 10 * 9;
    }

    /// It would be counted too.
    private void stopVacuum() {
        aside(tx -> {
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

    private static UUID named(int kind, long number) {
        return UUID.fromString("00000000-0000-%04x-8000-%012x".formatted(kind, number));
    }

    public static ConnectionId connection(int lane) {
        return new ConnectionId(named(0x1000, lane));
    }

    public static Lane lane(int number) {
        return new Lane(connection(number), Trigger.INGEST, SOURCE);
    }

    private static int laneOf(int row) {
        return row % 2 == 0 ? 0 : row % LANES;
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
        return "%012x".formatted(START.toEpochMilli() + row);
    }

    public static Work work(int row) {
        return new Work(
                DeliveryId.of(event(row), 1),
                SOURCE,
                connection(laneOf(row)),
                Trigger.INGEST,
                0,
                Optional.empty());
    }

    private void fill() {
        aside(tx -> {
            tx.update(
                    """
                    insert into delivery_work (id, next_at, source_id, connection_id, owner, trigger)
                    select (lpad(to_hex(? + n), 12, '0') || '70008' || lpad(to_hex(n), 12, '0') || '001')::uuid,
                           case when n < ? then ?::timestamptz + n * interval '1 millisecond' end,
                           ?, ('00000000-0000-1000-8000-' || lpad(to_hex(case when n % 2 = 0 then 0 else n % ? end), 12, '0'))::uuid,
                           case when n >= ? then ? end, 1
                      from generate_series(0, ? - 1) as n
                    """,
                    START.toEpochMilli(),
                    rows - OWNED,
                    START,
                    SOURCE.value(),
                    LANES,
                    rows - OWNED,
                    OWNER,
                    rows);
            tx.update(
                    """
                    insert into event (id, source_id, method, verification, fanout, body_size, headers, body)
                    select (lpad(to_hex(? + n), 12, '0') || '70008' || lpad(to_hex(n), 12, '0') || '000')::uuid,
                           ?, 'POST', 3, 1, 100, '', repeat('x', 100)::bytea
                      from generate_series(0, ? - 1, 20) as n
                    """,
                    START.toEpochMilli(),
                    SOURCE.value(),
                    rows);
            tx.update(
                    """
                    insert into delivery (id, finished_at, source_id, connection_id, status, trigger, attempts)
                    select (lpad(to_hex(? + n), 12, '0') || '70008' || lpad(to_hex(n), 12, '0') || '002')::uuid,
                           ?, ?, ?, 3, 1, 1
                      from generate_series(0, ? - 1, 10) as n
                    """,
                    START.toEpochMilli(),
                    Some.NOON,
                    SOURCE.value(),
                    connection(0).value(),
                    rows);
            LaneStore.wake(
                    tx,
                    IntStream.range(0, LANES)
                            .mapToObj(n -> new LaneStore.Wake(lane(n), START.plusSeconds(n)))
                            .toList());
            return true;
        });
    }

    /// The oldest are gone, and somebody still sees them.
    private void bloat() {
        try {
            pin.setAutoCommit(false);
            pin.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
            try (var statement = pin.createStatement()) {
                statement.execute("select count(*) from node");
            }
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
        aside(tx -> tx.update("delete from delivery_work where id < ?", event(dead()).value()));
    }

    private Connection pin() {
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

    /// In a transaction that is counted when it ends, and not into what is measured later.
    public <T> T aside(Function<Tx, T> work) {
        return db.call(tx -> {
            flushCounters(tx);
            return work.apply(tx);
        });
    }

    private static void flushCounters(Tx tx) {
        tx.query("select pg_stat_force_next_flush()", _ -> 0);
    }

    /// The cost of the work by each kind of plan, on a connection as the hot path has it.
    public void forEachPlan(Consumer<Function<Function<Tx, ?>, Cost>> test) {
        forEachPlan(line::call, test);
    }

    /// The cost of the work by each kind of plan, on a connection as all others have it.
    public void forEachPlanInPool(Consumer<Function<Function<Tx, ?>, Cost>> test) {
        forEachPlan(db::call, test);
    }

    private void forEachPlan(
            Consumer<Function<Tx, Boolean>> transaction,
            Consumer<Function<Function<Tx, ?>, Cost>> test) {
        for (String plan : PLANS) {
            test.accept(work -> {
                var before = counted();
                transaction.accept(tx -> {
                    tx.update("set local plan_cache_mode = " + plan);
                    flushCounters(tx);
                    return work.apply(tx) != null;
                });
                return counted().since(before);
            });
        }
    }

    /// Of what uses the pool, in transactions of its own, on this thread.
    public Cost costOf(Runnable work) {
        var before = counted();
        work.run();
        aside(_ -> true); // the counters of that connection come with its next transaction
        return counted().since(before);
    }

    private Cost counted() {
        return aside(Cost::sinceEver);
    }

    /// Rows that no other test has used; those that are alive when most are dead.
    public List<Work> waiting(int count) {
        int from = dead() + used;
        used += count;
        return IntStream.range(from, from + count).mapToObj(HotTables::work).toList();
    }

    public List<Work> owned(int count) {
        int to = rows - usedOwned;
        usedOwned += count;
        return IntStream.range(to - count, to).mapToObj(HotTables::work).toList();
    }

    /// Of those that are alive when most are dead, and of what became of them.
    public long rowsAtAll() {
        return aside(tx ->
                tx.single(
                        """
                        select (select count(*) from delivery_work where id >= ?)
                               + (select count(*) from delivery where id >= ?)
                               + (select count(*) from attempt where delivery_id >= ?) as n
                        """,
                        row -> row.number("n"),
                        event(dead()).value(),
                        event(dead()).value(),
                        event(dead()).value()));
    }

    @Override
    public void close() throws SQLException {
        line.close();
        pin.close();
        db.close();
    }
}
