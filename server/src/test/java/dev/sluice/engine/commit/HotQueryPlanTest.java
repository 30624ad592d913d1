package dev.sluice.engine.commit;

import static dev.sluice.testkit.HotTables.LANE_COUNT;
import static dev.sluice.testkit.HotTables.OLDEST_WORK_AT;
import static dev.sluice.testkit.HotTables.OWNER_NODE;
import static dev.sluice.testkit.HotTables.SOURCE_ID;
import static dev.sluice.testkit.QueryCost.BASE_BLOCKS;
import static dev.sluice.testkit.QueryCost.DEAD_ROWS_PER_BLOCK;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.sluice.account.workspace.WorkspaceId;
import dev.sluice.engine.DeliveryStatus;
import dev.sluice.engine.EventId;
import dev.sluice.engine.lanes.Lane;
import dev.sluice.engine.lanes.LaneStore;
import dev.sluice.engine.ledger.LedgerStore;
import dev.sluice.engine.node.NodeStore;
import dev.sluice.engine.node.OwnedDeliveryStore;
import dev.sluice.gateway.routing.Route;
import dev.sluice.platform.db.DbException;
import dev.sluice.platform.db.Tx;
import dev.sluice.testkit.HotTables;
import dev.sluice.testkit.QueryCost;
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

/// Tests with PostgreSQL's own counters how many rows each hot statement reads.
///
/// The tables are empty and never analysed; filled with 200 000 rows of work; or bloated, with nine
/// in ten rows dead and not vacuumable. Each statement runs as the relay runs it, with custom plans
/// and with a generic one. Each write runs twice, and the second run must change nothing.
@ParameterizedClass
@EnumSource(HotTables.FillState.class)
class HotQueryPlanTest {

    private static final Instant FAR_FUTURE = Instant.parse("9999-01-01T00:00:00Z");

    private static final HotTables HOT_TABLES = new HotTables(200_000);
    private static final int DEAD_ROWS = HOT_TABLES.deadRows();

    @Parameter HotTables.FillState state = HotTables.FillState.EMPTY;

    @BeforeEach
    void fill() {
        HOT_TABLES.bringTo(state);
    }

    @AfterAll
    static void close() throws SQLException {
        HOT_TABLES.close();
    }

    @Test
    void storing_events_reads_nothing_and_is_refused_the_second_time() {
        HOT_TABLES.forEachPlanCacheMode(cost -> {
            var batch = new ArrayList<AcceptedEvent>();
            for (int i = 0; i < 50; i++) {
                batch.add(StoreFixture.event(i % 2 == 0, route(), route()));
            }
            cost.apply(
                            tx -> {
                                new EventStore().write(tx, batch, Some.id(), OWNER_NODE, Some.NOON);
                                return true;
                            })
                    .assertIndexed(3 * batch.size());
            var again =
                    catchThrowableOfType(
                            DbException.class,
                            () ->
                                    HOT_TABLES
                                            .db()
                                            .run(tx ->
                                                    new EventStore()
                                                            .write(
                                                                    tx,
                                                                    batch,
                                                                    Some.id(),
                                                                    OWNER_NODE,
                                                                    Some.NOON)));
            assertThat(again.isDuplicate()).isTrue();
        });
    }

    private static Route route() {
        return Some.route(SOURCE_ID);
    }

    @Test
    void the_look_for_a_batch_in_doubt_reads_one_partition() {
        HOT_TABLES.forEachPlanCacheMode(cost -> {
            var event = StoreFixture.event(true, route());
            var read = cost.apply(tx -> EventStore.isStored(tx, event));
            read.assertIndexed(1);
            assertThat(read.partitionIndexScans()).isLessThanOrEqualTo(1);
        });
    }

    @Test
    void finishing_reads_its_rows_by_their_keys_and_once() {
        HOT_TABLES.forEachPlanCacheMode(cost -> {
            var batch = new ArrayList<DeliveryResult>();
            HOT_TABLES
                    .waitingWork(100)
                    .forEach(delivery ->
                            batch.add(StoreFixture.finished(delivery, DeliveryStatus.SUCCEEDED)));
            HOT_TABLES
                    .waitingWork(50)
                    .forEach(delivery ->
                            batch.add(StoreFixture.finished(delivery, DeliveryStatus.EXHAUSTED)));
            assertWrittenOnce(cost, batch);
        });
    }

    @Test
    void retrying_reads_its_rows_by_their_keys_and_once() {
        HOT_TABLES.forEachPlanCacheMode(cost -> {
            var batch = new ArrayList<DeliveryResult>();
            HOT_TABLES
                    .waitingWork(100)
                    .forEach(delivery -> batch.add(StoreFixture.retried(delivery, Some.NOON)));
            assertWrittenOnce(cost, batch);
        });
    }

    @Test
    void releasing_reads_its_rows_by_their_keys_and_once() {
        HOT_TABLES.forEachPlanCacheMode(cost -> {
            var batch = new ArrayList<DeliveryResult>();
            HOT_TABLES
                    .ownedWork(100)
                    .forEach(delivery -> batch.add(StoreFixture.released(delivery, Some.NOON)));
            assertWrittenOnce(cost, batch);
        });
    }

    private void assertWrittenOnce(
            Function<Function<Tx, ?>, QueryCost> cost, List<DeliveryResult> batch) {
        var written = new ArrayList<DeliveryResult>();
        cost.apply(tx -> written.addAll(ResultStore.write(tx, batch, Some.id(), OWNER_NODE)))
                .assertIndexed(2 * batch.size());
        assertThat(written).hasSize(HOT_TABLES.isEmpty() ? 0 : batch.size());

        long rows = HOT_TABLES.liveRowCount();
        written.clear();
        cost.apply(tx -> written.addAll(ResultStore.write(tx, batch, Some.id(), OWNER_NODE)))
                .assertIndexed(2 * batch.size());
        assertThat(written).isEmpty();
        assertThat(HOT_TABLES.liveRowCount()).isEqualTo(rows);
    }

    /// Starts at a position, as a reader in the middle of its lane does.
    @Test
    void a_lane_is_read_from_a_position_by_its_index() {
        HOT_TABLES.forEachPlanCacheMode(cost -> {
            var at = HotTables.work(DEAD_ROWS + 50_000).id().value();
            var since = OLDEST_WORK_AT.plusMillis(DEAD_ROWS + 50_000);
            var read = new ArrayList<LaneStore.WaitingDelivery>();
            cost.apply(tx ->
                            read.addAll(
                                    LaneStore.due(
                                            tx, HotTables.lane(0), FAR_FUTURE, since, at, 64)))
                    .assertIndexed(64);
            assertThat(read).hasSize(HOT_TABLES.isEmpty() ? 0 : 64);
            var again =
                    HOT_TABLES.unmeasured(
                            tx -> LaneStore.due(tx, HotTables.lane(0), FAR_FUTURE, since, at, 64));
            assertThat(again).isEqualTo(read);
        });
    }

    /// Starts as a reader that has just leased the lane. It steps over the dead rows of this lane,
    /// many in each block, and sees none of other lanes.
    @Test
    void a_lane_is_read_from_its_beginning_by_its_index() {
        HOT_TABLES.forEachPlanCacheMode(cost -> {
            var read = new ArrayList<LaneStore.WaitingDelivery>();
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
            assertThat(read).hasSize(HOT_TABLES.isEmpty() ? 0 : 64);
            spent.assertIndexed(
                    64, HOT_TABLES.isBloated() ? DEAD_ROWS / 2 / DEAD_ROWS_PER_BLOCK : 0);
        });
    }

    /// Starts at the very beginning. It steps over the dead entries of this lane only, which cannot
    /// be removed yet.
    @Test
    void the_first_of_a_lane_is_found_by_its_index_alone() {
        HOT_TABLES.forEachPlanCacheMode(cost -> {
            var first = cost.apply(tx -> LaneStore.firstDue(tx, HotTables.lane(1)));
            assertThat(first.tableScans()).isZero();
            assertThat(first.blocks())
                    .isLessThanOrEqualTo(
                            HOT_TABLES.isBloated()
                                    ? 2 * DEAD_ROWS / LANE_COUNT + BASE_BLOCKS
                                    : BASE_BLOCKS);
        });
    }

    @Test
    void payloads_are_read_by_key_from_one_partition() {
        HOT_TABLES.forEachPlanCacheMode(cost -> {
            var events = new ArrayList<EventId>();
            for (int row = DEAD_ROWS; row < DEAD_ROWS + 640; row += 20) {
                events.add(HotTables.event(row));
            }
            var read = new HashSet<EventId>();
            var spent =
                    cost.apply(
                            tx -> read.addAll(LaneStore.payloads(tx, SOURCE_ID, events).keySet()));
            spent.assertIndexed(events.size());
            assertThat(read).hasSize(HOT_TABLES.isEmpty() ? 0 : events.size());
        });
    }

    /// Steps over each dead entry once, and does not read the table for it.
    @Test
    void the_sweep_costs_by_the_lane_and_not_by_the_row() {
        HOT_TABLES.forEachPlanCacheMode(cost -> {
            var found = new ArrayList<LaneStore.WaitingLane>();
            var spent = cost.apply(tx -> found.addAll(LaneStore.sweep(tx)));
            spent.assertIndexed(found.size(), HOT_TABLES.isBloated() ? DEAD_ROWS : 0);
            assertThat(found)
                    .hasSizeGreaterThanOrEqualTo(HOT_TABLES.isEmpty() ? 0 : LANE_COUNT / 2);
            long changed = HOT_TABLES.liveRowCount();
            var wakes = found.stream().map(LaneStore.WaitingLane::needed).toList();
            HOT_TABLES.unmeasured(tx -> {
                LaneStore.wake(tx, wakes);
                LaneStore.wake(tx, wakes);
                return true;
            });
            assertThat(HOT_TABLES.liveRowCount()).isEqualTo(changed);
        });
    }

    private static List<Lane> dueLanes(Tx tx) {
        return LaneStore.dueFor(
                        tx, OWNER_NODE, Some.NOON, List.of(new WorkspaceId(new UUID(0, 1))), 10)
                .stream()
                .map(due -> due.leased().lane())
                .toList();
    }

    @Test
    void lanes_are_leased_and_freed_without_a_look_at_work() {
        HOT_TABLES.forEachPlanCacheMode(cost -> {
            var due = new ArrayList<Lane>();
            cost.apply(tx -> due.addAll(dueLanes(tx))).assertIndexed(4 * 10);
            var leased = new ArrayList<Lane>();
            cost.apply(tx -> leased.addAll(LaneStore.lease(tx, OWNER_NODE, Some.NOON, due)))
                    .assertIndexed(5 * 10);
            assertThat(leased).hasSize(HOT_TABLES.isEmpty() ? 0 : 10);
            var ours = HOT_TABLES.unmeasured(tx -> LaneStore.leased(tx, OWNER_NODE));
            assertThat(ours).extracting(LaneStore.LeasedLane::lane).hasSameElementsAs(leased);
            for (var lane : leased) {
                HOT_TABLES.unmeasured(tx -> {
                    LaneStore.release(tx, lane, OWNER_NODE, Optional.of(OLDEST_WORK_AT));
                    LaneStore.release(tx, lane, OWNER_NODE, Optional.of(OLDEST_WORK_AT));
                    return true;
                });
            }
            var left = HOT_TABLES.unmeasured(tx -> LaneStore.leased(tx, OWNER_NODE));
            assertThat(left).isEmpty();
        });
    }

    /// Work that waits, however much there is, is never looked at.
    @Test
    void what_a_node_owns_is_found_by_its_index() {
        HOT_TABLES.forEachPlanCacheMode(cost -> {
            cost.apply(OwnedDeliveryStore::owners).assertIndexed(2);
            cost.apply(tx -> OwnedDeliveryStore.ownedBefore(tx, OWNER_NODE, OLDEST_WORK_AT))
                    .assertIndexed(HotTables.OWNED_ROWS);
            cost.apply(tx -> NodeStore.releaseWork(tx, 99, Some.NOON, 10)).assertIndexed(0);
            var released = new ArrayList<NodeStore.ReleasedWork>();
            cost.apply(tx -> released.add(NodeStore.releaseWork(tx, OWNER_NODE, Some.NOON, 10)))
                    .assertIndexed(10);
            if (!HOT_TABLES.isEmpty()) {
                assertThat(released.getFirst().deliveries()).isEqualTo(10);
            }
        });
    }

    @Test
    void nodes_and_sums_read_no_work_and_no_history() {
        HOT_TABLES.forEachPlanCacheMode(cost -> {
            for (Function<Tx, ?> step :
                    List.<Function<Tx, ?>>of(
                            tx -> NodeStore.heartbeat(tx, OWNER_NODE, Duration.ofSeconds(15)),
                            tx -> NodeStore.declareDead(tx, OWNER_NODE, Some.id()),
                            NodeStore::liveLeases,
                            tx -> NodeStore.declareDead(tx, OWNER_NODE, Some.NOON),
                            NodeStore::goneEpochs,
                            NodeStore::epochs,
                            LedgerStore::fold)) {
                var spent = cost.apply(step);
                assertThat(spent).isEqualTo(QueryCost.ZERO);
            }
            int folded = HOT_TABLES.unmeasured(LedgerStore::fold);
            assertThat(folded).as("the second time").isZero();
        });
    }
}
