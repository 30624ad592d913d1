package dev.sluice.relay.store;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.gateway.connection.ConnectionId;
import dev.sluice.gateway.routing.Route;
import dev.sluice.gateway.source.SourceId;
import dev.sluice.platform.db.Database;
import dev.sluice.platform.db.Db;
import dev.sluice.platform.db.Line;
import dev.sluice.platform.db.Tx;
import dev.sluice.relay.DeliveryId;
import dev.sluice.relay.DeliveryStatus;
import dev.sluice.relay.EventId;
import dev.sluice.relay.Trigger;
import dev.sluice.relay.Work;
import dev.sluice.testkit.Some;
import dev.sluice.testkit.TestCluster;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.IntStream;

/// What each hot statement reads, by PostgreSQL's own counters: on tables that are empty and were
/// never analysed, with a million rows of work, and when nine in ten of those are dead and cannot
/// be vacuumed away. Each runs as the relay runs it, by plans made for its arguments and by a
/// generic one; and what writes runs twice, and the second time changes nothing.
@ParameterizedClass
@EnumSource(HotPlanTest.Tables.class)
class HotPlanTest {

    enum Tables {
        EMPTY,
        HUGE,
        BLOATED
    }

    private static final int ROWS = 1_000_000;
    private static final int LANES = 200;
    private static final int DEAD = 900_000;
    private static final long OWNER = 7;
    private static final Instant START = Some.NOON.minus(Duration.ofHours(2));
    private static final Instant FOREVER = Instant.parse("9999-01-01T00:00:00Z");
    private static final SourceId SOURCE = new SourceId(named(0x5000, 1));
    private static final List<String> PLANS =
            List.of("auto", "force_custom_plan", "force_generic_plan");

    /// A few pages of an index and one of the table, for each row.
    private static final int BLOCKS_A_ROW = 16;

    /// Of catalogs and roots.
    private static final int BLOCKS = 60;

    private static final Database DATABASE = TestCluster.newDatabase();
    private static final Db DB = TestCluster.open(DATABASE);
    private static final Connection pin = pin();
    private static boolean isMade;
    private static Tables filled = Tables.EMPTY;
    private static int used;
    private static int usedOwned;

    @Parameter Tables tables = Tables.EMPTY;

    private final Line line = new Line(DATABASE, "hot");

    /// What a transaction read of the hot tables.
    private record Cost(long wholeTables, long partitions, long blocks) {}

    @BeforeEach
    void fill() {
        if (filled == Tables.EMPTY && !isMade) {
            isMade = true;
            new Partitions(DB).makeAhead(Some.NOON);
            stopVacuum();
        }
        if (filled == Tables.EMPTY && tables != Tables.EMPTY) {
            fillHuge();
            filled = Tables.HUGE;
        }
        if (filled == Tables.HUGE && tables == Tables.BLOATED) {
            bloat();
            filled = Tables.BLOATED;
        }
    }

    @AfterEach
    void closeLine() {
        line.close();
    }

    @AfterAll
    static void close() throws SQLException {
        pin.close();
        DB.close();
    }

    /// It would be counted too.
    private static void stopVacuum() {
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

    private static ConnectionId connection(int lane) {
        return new ConnectionId(named(0x1000, lane));
    }

    /// The lane that half of all rows wait in is number 0.
    private static Lane lane(int number) {
        return new Lane(connection(number), Trigger.INGEST, SOURCE);
    }

    private static int laneOf(int row) {
        return row % 2 == 0 ? 0 : row % LANES;
    }

    private static EventId event(int row) {
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

    private static Work work(int row) {
        return new Work(
                DeliveryId.of(event(row), 1),
                SOURCE,
                connection(laneOf(row)),
                Trigger.INGEST,
                0,
                Optional.empty());
    }

    /// Rows of work wait, a millisecond apart; the last thousand are owned. One in twenty has its
    /// event, one in ten a delivery in history.
    private static void fillHuge() {
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
                    ROWS - 1_000,
                    START,
                    SOURCE.value(),
                    LANES,
                    ROWS - 1_000,
                    OWNER,
                    ROWS);
            tx.update(
                    """
                    insert into event (id, source_id, method, verification, fanout, body_size, headers, body)
                    select (lpad(to_hex(? + n), 12, '0') || '70008' || lpad(to_hex(n), 12, '0') || '000')::uuid,
                           ?, 'POST', 3, 1, 100, '', repeat('x', 100)::bytea
                      from generate_series(0, ? - 1, 20) as n
                    """,
                    START.toEpochMilli(),
                    SOURCE.value(),
                    ROWS);
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
                    ROWS);
            LaneStore.wake(
                    tx,
                    IntStream.range(0, LANES)
                            .mapToObj(n -> new LaneStore.Wake(lane(n), START.plusSeconds(n)))
                            .toList());
            return true;
        });
    }

    /// The oldest are gone, and somebody still sees them.
    private static void bloat() {
        try {
            pin.setAutoCommit(false);
            pin.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
            try (var statement = pin.createStatement()) {
                statement.execute("select count(*) from node");
            }
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
        aside(tx -> tx.update("delete from delivery_work where id < ?", event(DEAD).value()));
    }

    private static Connection pin() {
        try {
            return DriverManager.getConnection(
                    "jdbc:postgresql://%s:%d/%s?currentSchema=%s"
                            .formatted(
                                    DATABASE.host(),
                                    DATABASE.port(),
                                    DATABASE.name(),
                                    Database.SCHEMA),
                    DATABASE.user(),
                    DATABASE.password().reveal());
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    /// In a transaction that is counted when it ends, and not into what is measured later.
    private static <T> T aside(Function<Tx, T> work) {
        return DB.call(tx -> {
            flushCounters(tx);
            return work.apply(tx);
        });
    }

    private static void flushCounters(Tx tx) {
        tx.query("select pg_stat_force_next_flush()", _ -> 0);
    }

    /// The cost of the work by each kind of plan, after it was prepared and used a few times.
    private void forEachPlan(Consumer<Function<Function<Tx, ?>, Cost>> test) {
        for (String plan : PLANS) {
            test.accept(work -> {
                var before = counted();
                line.call(tx -> {
                    tx.update("set local plan_cache_mode = " + plan);
                    flushCounters(tx);
                    return work.apply(tx);
                });
                var after = counted();
                return new Cost(
                        after.wholeTables() - before.wholeTables(),
                        after.partitions() - before.partitions(),
                        after.blocks() - before.blocks());
            });
        }
    }

    /// `partitions`: scans by index of history, in all partitions.
    private static Cost counted() {
        return aside(tx ->
                tx.single(
                        """
                        select (select sum(seq_scan) from pg_stat_user_tables
                                 where relname ~ '^(event|delivery|attempt)(_work|_2.*)$') as whole,
                               (select sum(idx_scan) from pg_stat_user_tables
                                 where relname ~ '^(event|delivery|attempt)_2') as partitions,
                               (select sum(heap_blks_hit + heap_blks_read
                                           + coalesce(idx_blks_hit, 0) + coalesce(idx_blks_read, 0)
                                           + coalesce(toast_blks_hit, 0) + coalesce(toast_blks_read, 0))
                                  from pg_statio_user_tables
                                 where relname ~ '^(event|delivery|attempt|lane)(_work|_2.*)?$') as blocks
                        """,
                        row ->
                                new Cost(
                                        row.number("whole"),
                                        row.number("partitions"),
                                        row.number("blocks"))));
    }

    private void assertCheap(Cost cost, int rows) {
        assertThat(cost.wholeTables()).as("whole tables read").isZero();
        assertThat(cost.blocks())
                .as("blocks read for " + rows + " rows")
                .isLessThanOrEqualTo(BLOCKS + (long) BLOCKS_A_ROW * rows);
    }

    /// Rows that no other test has used; those that are alive when most are dead.
    private static List<Work> waiting(int count) {
        int from = DEAD + used;
        used += count;
        return IntStream.range(from, from + count).mapToObj(HotPlanTest::work).toList();
    }

    private static List<Work> owned(int count) {
        int to = ROWS - usedOwned;
        usedOwned += count;
        return IntStream.range(to - count, to).mapToObj(HotPlanTest::work).toList();
    }

    private static long rowsAtAll() {
        return aside(tx ->
                tx.single(
                        """
                        select (select count(*) from delivery_work where id >= ?)
                               + (select count(*) from delivery where id >= ?)
                               + (select count(*) from attempt where delivery_id >= ?) as n
                        """,
                        row -> row.number("n"),
                        event(DEAD).value(),
                        event(DEAD).value(),
                        event(DEAD).value()));
    }

    @Test
    void storing_events_reads_nothing_and_is_refused_the_second_time() {
        forEachPlan(cost -> {
            var batch = new ArrayList<Accepted>();
            for (int i = 0; i < 50; i++) {
                batch.add(Stored.event(i % 2 == 0, route(), route()));
            }
            assertCheap(
                    cost.apply(tx -> {
                        new EventStore().write(tx, batch, Some.id(), OWNER, Some.NOON);
                        return true;
                    }),
                    3 * batch.size());
            var again =
                    org.assertj.core.api.Assertions.catchThrowableOfType(
                            dev.sluice.platform.db.DbException.class,
                            () ->
                                    DB.run(tx ->
                                            new EventStore()
                                                    .write(
                                                            tx, batch, Some.id(), OWNER,
                                                            Some.NOON)));
            assertThat(again.isDuplicate()).isTrue();
        });
    }

    private static Route route() {
        return Some.route(SOURCE);
    }

    @Test
    void the_look_for_a_batch_in_doubt_reads_one_partition() {
        forEachPlan(cost -> {
            var event = Stored.event(true, route());
            var read = cost.apply(tx -> EventStore.isStored(tx, event));
            assertCheap(read, 1);
            assertThat(read.partitions()).isLessThanOrEqualTo(1);
        });
    }

    @Test
    void finishing_reads_its_rows_by_their_keys_and_once() {
        forEachPlan(cost -> {
            var batch = new ArrayList<Settled>();
            waiting(100)
                    .forEach(work -> batch.add(Stored.finished(work, DeliveryStatus.SUCCEEDED)));
            waiting(50).forEach(work -> batch.add(Stored.finished(work, DeliveryStatus.EXHAUSTED)));
            assertWrittenOnce(cost, batch);
        });
    }

    @Test
    void retrying_reads_its_rows_by_their_keys_and_once() {
        forEachPlan(cost -> {
            var batch = new ArrayList<Settled>();
            waiting(100).forEach(work -> batch.add(Stored.retried(work, Some.NOON)));
            assertWrittenOnce(cost, batch);
        });
    }

    @Test
    void releasing_reads_its_rows_by_their_keys_and_once() {
        forEachPlan(cost -> {
            var batch = new ArrayList<Settled>();
            owned(100).forEach(work -> batch.add(Stored.released(work, Some.NOON)));
            assertWrittenOnce(cost, batch);
        });
    }

    private void assertWrittenOnce(Function<Function<Tx, ?>, Cost> cost, List<Settled> batch) {
        var written = new ArrayList<Settled>();
        assertCheap(
                cost.apply(tx -> written.addAll(ResultStore.write(tx, batch, Some.id(), OWNER))),
                2 * batch.size());
        assertThat(written).hasSize(tables == Tables.EMPTY ? 0 : batch.size());

        long rows = rowsAtAll();
        written.clear();
        assertCheap(
                cost.apply(tx -> written.addAll(ResultStore.write(tx, batch, Some.id(), OWNER))),
                2 * batch.size());
        assertThat(written).isEmpty();
        assertThat(rowsAtAll()).isEqualTo(rows);
    }

    /// From a position, as a reader has it that goes through its lane.
    @Test
    void a_lane_is_read_from_a_position_by_its_index() {
        forEachPlan(cost -> {
            var at = work(DEAD + 50_000).id().value();
            var since = START.plusMillis(DEAD + 50_000);
            var read = new ArrayList<LaneStore.Waiting>();
            assertCheap(
                    cost.apply(
                            tx -> read.addAll(LaneStore.due(tx, lane(0), FOREVER, since, at, 64))),
                    64);
            assertThat(read).hasSize(tables == Tables.EMPTY ? 0 : 64);
            var again = aside(tx -> LaneStore.due(tx, lane(0), FOREVER, since, at, 64));
            assertThat(again).isEqualTo(read);
        });
    }

    /// As a reader begins that has just leased the lane.
    @Test
    void a_lane_is_read_from_its_beginning_by_its_index() {
        forEachPlan(cost -> {
            var read = new ArrayList<LaneStore.Waiting>();
            var spent =
                    cost.apply(tx ->
                            read.addAll(
                                    LaneStore.due(
                                            tx,
                                            lane(0),
                                            Some.NOON,
                                            Instant.EPOCH,
                                            new UUID(0, 0),
                                            64)));
            assertThat(read).hasSize(tables == Tables.EMPTY ? 0 : 64);
            if (tables != Tables.BLOATED) {
                assertCheap(spent, 64);
            }
        });
    }

    /// From the very beginning: dead entries that nobody may remove are stepped over, those of the
    /// lane alone.
    @Test
    void the_first_of_a_lane_is_found_by_its_index_alone() {
        forEachPlan(cost -> {
            var first = cost.apply(tx -> LaneStore.firstDue(tx, lane(1)));
            assertThat(first.wholeTables()).isZero();
            assertThat(first.blocks())
                    .isLessThanOrEqualTo(
                            tables == Tables.BLOATED ? 2 * DEAD / LANES + BLOCKS : BLOCKS);
        });
    }

    @Test
    void payloads_are_read_by_key_from_one_partition() {
        forEachPlan(cost -> {
            var events = new ArrayList<EventId>();
            for (int row = DEAD; row < DEAD + 640; row += 20) {
                events.add(event(row));
            }
            var read = new HashSet<EventId>();
            var spent =
                    cost.apply(tx -> read.addAll(LaneStore.payloads(tx, SOURCE, events).keySet()));
            assertCheap(spent, events.size());
            assertThat(read).hasSize(tables == Tables.EMPTY ? 0 : events.size());
        });
    }

    @Test
    void the_sweep_costs_by_the_lane_and_not_by_the_row() {
        forEachPlan(cost -> {
            var found = new ArrayList<LaneStore.Wake>();
            var spent = cost.apply(tx -> found.addAll(LaneStore.sweep(tx)));
            assertThat(spent.wholeTables()).isZero();
            if (tables == Tables.HUGE) {
                assertThat(found).hasSizeGreaterThanOrEqualTo(LANES / 2);
                assertCheap(spent, found.size());
            }
            long changed = rowsAtAll();
            aside(tx -> {
                LaneStore.wake(tx, found);
                LaneStore.wake(tx, found);
                return true;
            });
            assertThat(rowsAtAll()).isEqualTo(changed);
        });
    }

    @Test
    void lanes_are_leased_and_freed_without_a_look_at_work() {
        forEachPlan(cost -> {
            var leased = new ArrayList<Lane>();
            assertCheap(
                    cost.apply(tx -> leased.addAll(LaneStore.lease(tx, OWNER, Some.NOON, 10))),
                    4 * 10);
            assertThat(leased).hasSize(tables == Tables.EMPTY ? 0 : 10);
            var ours = aside(tx -> LaneStore.leased(tx, OWNER));
            assertThat(ours).hasSameElementsAs(leased);
            for (var lane : leased) {
                aside(tx -> {
                    LaneStore.release(tx, lane, OWNER, Optional.of(START));
                    LaneStore.release(tx, lane, OWNER, Optional.of(START));
                    return true;
                });
            }
            var left = aside(tx -> LaneStore.leased(tx, OWNER));
            assertThat(left).isEmpty();
        });
    }

    /// Once a minute, and after a crash: they go through the table of work at most once, which
    /// counts as three with the workers of a parallel scan, and never through history.
    @Test
    void rare_looks_read_work_once_and_no_history() {
        forEachPlan(cost -> {
            for (Function<Tx, ?> look :
                    List.<Function<Tx, ?>>of(
                            WorkStore::owners,
                            tx -> WorkStore.ownedSince(tx, OWNER, START),
                            tx -> NodeStore.releaseWork(tx, 99, Some.NOON))) {
                var spent = cost.apply(look);
                assertThat(spent.wholeTables()).as("reads of work").isLessThanOrEqualTo(3);
                assertThat(spent.partitions()).as("reads of history").isZero();
            }
        });
    }

    @Test
    void nodes_and_sums_read_no_work_and_no_history() {
        forEachPlan(cost -> {
            for (Function<Tx, ?> step :
                    List.<Function<Tx, ?>>of(
                            tx -> NodeStore.heartbeat(tx, OWNER, Duration.ofSeconds(15)),
                            tx -> NodeStore.declareDead(tx, OWNER, Some.id()),
                            NodeStore::gone,
                            NodeStore::epochs,
                            Ledger::fold)) {
                var spent = cost.apply(step);
                assertThat(spent).isEqualTo(new Cost(0, 0, 0));
            }
            int folded = aside(Ledger::fold);
            assertThat(folded).as("the second time").isZero();
        });
    }
}
