package dev.sluice.relay.store;

import static dev.sluice.testkit.Cost.BLOCKS;
import static dev.sluice.testkit.Cost.DEAD_ROWS_A_BLOCK;
import static dev.sluice.testkit.HotTables.LANES;
import static dev.sluice.testkit.HotTables.OWNER;
import static dev.sluice.testkit.HotTables.SOURCE;
import static dev.sluice.testkit.HotTables.START;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.sluice.gateway.routing.Route;
import dev.sluice.platform.db.DbException;
import dev.sluice.platform.db.Tx;
import dev.sluice.relay.DeliveryStatus;
import dev.sluice.relay.EventId;
import dev.sluice.testkit.Cost;
import dev.sluice.testkit.HotTables;
import dev.sluice.testkit.Some;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Function;

/// What each hot statement reads, by PostgreSQL's own counters: on tables that are empty and were
/// never analysed, with a million rows of work, and when nine in ten of those are dead and cannot
/// be vacuumed away. Each runs as the relay runs it, by plans made for its arguments and by a
/// generic one; and what writes runs twice, and the second time changes nothing.
@ParameterizedClass
@EnumSource(HotTables.State.class)
class HotPlanTest {

    private static final Instant FOREVER = Instant.parse("9999-01-01T00:00:00Z");

    private static final HotTables HOT = new HotTables(1_000_000);
    private static final int DEAD = HOT.dead();

    @Parameter HotTables.State state = HotTables.State.EMPTY;

    @BeforeEach
    void fill() {
        HOT.bring(state);
    }

    @AfterAll
    static void close() throws SQLException {
        HOT.close();
    }

    @Test
    void storing_events_reads_nothing_and_is_refused_the_second_time() {
        HOT.forEachPlan(cost -> {
            var batch = new ArrayList<Accepted>();
            for (int i = 0; i < 50; i++) {
                batch.add(Stored.event(i % 2 == 0, route(), route()));
            }
            cost.apply(
                            tx -> {
                                new EventStore().write(tx, batch, Some.id(), OWNER, Some.NOON);
                                return true;
                            })
                    .assertCheap(3 * batch.size());
            var again =
                    catchThrowableOfType(
                            DbException.class,
                            () ->
                                    HOT.db()
                                            .run(tx ->
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
        HOT.forEachPlan(cost -> {
            var event = Stored.event(true, route());
            var read = cost.apply(tx -> EventStore.isStored(tx, event));
            read.assertCheap(1);
            assertThat(read.partitions()).isLessThanOrEqualTo(1);
        });
    }

    @Test
    void finishing_reads_its_rows_by_their_keys_and_once() {
        HOT.forEachPlan(cost -> {
            var batch = new ArrayList<Settled>();
            HOT.waiting(100)
                    .forEach(work -> batch.add(Stored.finished(work, DeliveryStatus.SUCCEEDED)));
            HOT.waiting(50)
                    .forEach(work -> batch.add(Stored.finished(work, DeliveryStatus.EXHAUSTED)));
            assertWrittenOnce(cost, batch);
        });
    }

    @Test
    void retrying_reads_its_rows_by_their_keys_and_once() {
        HOT.forEachPlan(cost -> {
            var batch = new ArrayList<Settled>();
            HOT.waiting(100).forEach(work -> batch.add(Stored.retried(work, Some.NOON)));
            assertWrittenOnce(cost, batch);
        });
    }

    @Test
    void releasing_reads_its_rows_by_their_keys_and_once() {
        HOT.forEachPlan(cost -> {
            var batch = new ArrayList<Settled>();
            HOT.owned(100).forEach(work -> batch.add(Stored.released(work, Some.NOON)));
            assertWrittenOnce(cost, batch);
        });
    }

    private void assertWrittenOnce(Function<Function<Tx, ?>, Cost> cost, List<Settled> batch) {
        var written = new ArrayList<Settled>();
        cost.apply(tx -> written.addAll(ResultStore.write(tx, batch, Some.id(), OWNER)))
                .assertCheap(2 * batch.size());
        assertThat(written).hasSize(HOT.isEmpty() ? 0 : batch.size());

        long rows = HOT.rowsAtAll();
        written.clear();
        cost.apply(tx -> written.addAll(ResultStore.write(tx, batch, Some.id(), OWNER)))
                .assertCheap(2 * batch.size());
        assertThat(written).isEmpty();
        assertThat(HOT.rowsAtAll()).isEqualTo(rows);
    }

    /// From a position, as a reader has it that goes through its lane.
    @Test
    void a_lane_is_read_from_a_position_by_its_index() {
        HOT.forEachPlan(cost -> {
            var at = HotTables.work(DEAD + 50_000).id().value();
            var since = START.plusMillis(DEAD + 50_000);
            var read = new ArrayList<LaneStore.Waiting>();
            cost.apply(tx ->
                            read.addAll(
                                    LaneStore.due(tx, HotTables.lane(0), FOREVER, since, at, 64)))
                    .assertCheap(64);
            assertThat(read).hasSize(HOT.isEmpty() ? 0 : 64);
            var again =
                    HOT.aside(tx -> LaneStore.due(tx, HotTables.lane(0), FOREVER, since, at, 64));
            assertThat(again).isEqualTo(read);
        });
    }

    /// As a reader begins that has just leased the lane. The dead of the lane are stepped over,
    /// many with each block, and those of other lanes are not seen.
    @Test
    void a_lane_is_read_from_its_beginning_by_its_index() {
        HOT.forEachPlan(cost -> {
            var read = new ArrayList<LaneStore.Waiting>();
            var spent =
                    cost.apply(tx ->
                            read.addAll(
                                    LaneStore.due(
                                            tx,
                                            HotTables.lane(0),
                                            Some.NOON,
                                            Instant.EPOCH,
                                            new UUID(0, 0),
                                            64)));
            assertThat(read).hasSize(HOT.isEmpty() ? 0 : 64);
            spent.assertCheap(64, HOT.isBloated() ? DEAD / 2 / DEAD_ROWS_A_BLOCK : 0);
        });
    }

    /// From the very beginning: dead entries that nobody may remove are stepped over, those of the
    /// lane alone.
    @Test
    void the_first_of_a_lane_is_found_by_its_index_alone() {
        HOT.forEachPlan(cost -> {
            var first = cost.apply(tx -> LaneStore.firstDue(tx, HotTables.lane(1)));
            assertThat(first.wholeTables()).isZero();
            assertThat(first.blocks())
                    .isLessThanOrEqualTo(HOT.isBloated() ? 2 * DEAD / LANES + BLOCKS : BLOCKS);
        });
    }

    @Test
    void payloads_are_read_by_key_from_one_partition() {
        HOT.forEachPlan(cost -> {
            var events = new ArrayList<EventId>();
            for (int row = DEAD; row < DEAD + 640; row += 20) {
                events.add(HotTables.event(row));
            }
            var read = new HashSet<EventId>();
            var spent =
                    cost.apply(tx -> read.addAll(LaneStore.payloads(tx, SOURCE, events).keySet()));
            spent.assertCheap(events.size());
            assertThat(read).hasSize(HOT.isEmpty() ? 0 : events.size());
        });
    }

    /// Where rows are dead, each is stepped over once, and the table is not read for it.
    @Test
    void the_sweep_costs_by_the_lane_and_not_by_the_row() {
        HOT.forEachPlan(cost -> {
            var found = new ArrayList<LaneStore.Wake>();
            var spent = cost.apply(tx -> found.addAll(LaneStore.sweep(tx)));
            spent.assertCheap(found.size(), HOT.isBloated() ? DEAD : 0);
            assertThat(found).hasSizeGreaterThanOrEqualTo(HOT.isEmpty() ? 0 : LANES / 2);
            long changed = HOT.rowsAtAll();
            HOT.aside(tx -> {
                LaneStore.wake(tx, found);
                LaneStore.wake(tx, found);
                return true;
            });
            assertThat(HOT.rowsAtAll()).isEqualTo(changed);
        });
    }

    @Test
    void lanes_are_leased_and_freed_without_a_look_at_work() {
        HOT.forEachPlan(cost -> {
            var leased = new ArrayList<Lane>();
            cost.apply(tx -> leased.addAll(LaneStore.lease(tx, OWNER, Some.NOON, 10)))
                    .assertCheap(4 * 10);
            assertThat(leased).hasSize(HOT.isEmpty() ? 0 : 10);
            var ours = HOT.aside(tx -> LaneStore.leased(tx, OWNER));
            assertThat(ours).hasSameElementsAs(leased);
            for (var lane : leased) {
                HOT.aside(tx -> {
                    LaneStore.release(tx, lane, OWNER, Optional.of(START));
                    LaneStore.release(tx, lane, OWNER, Optional.of(START));
                    return true;
                });
            }
            var left = HOT.aside(tx -> LaneStore.leased(tx, OWNER));
            assertThat(left).isEmpty();
        });
    }

    /// Once a minute, and after a crash: they go through the table of work at most once, which
    /// counts as three with the workers of a parallel scan, and never through history.
    @Test
    void rare_looks_read_work_once_and_no_history() {
        HOT.forEachPlan(cost -> {
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
        HOT.forEachPlan(cost -> {
            for (Function<Tx, ?> step :
                    List.<Function<Tx, ?>>of(
                            tx -> NodeStore.heartbeat(tx, OWNER, Duration.ofSeconds(15)),
                            tx -> NodeStore.declareDead(tx, OWNER, Some.id()),
                            NodeStore::gone,
                            NodeStore::epochs,
                            Ledger::fold)) {
                var spent = cost.apply(step);
                assertThat(spent).isEqualTo(Cost.NOTHING);
            }
            int folded = HOT.aside(Ledger::fold);
            assertThat(folded).as("the second time").isZero();
        });
    }
}
