package dev.sluice.engine.commit;

import static dev.sluice.testkit.HotTables.OLDEST_WORK_AT;
import static dev.sluice.testkit.HotTables.OWNER_NODE;
import static dev.sluice.testkit.HotTables.SOURCE_ID;
import static dev.sluice.testkit.QueryCost.DEAD_ROWS_PER_BLOCK;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.engine.DeliveryId;
import dev.sluice.engine.InterruptedAttempt;
import dev.sluice.engine.UnfinishedDelivery;
import dev.sluice.engine.lanes.ExpiryStore;
import dev.sluice.engine.lanes.ExpiryStore.ArrivalRange;
import dev.sluice.engine.node.OwnedDeliveryStore;
import dev.sluice.engine.node.RecoveryStore;
import dev.sluice.gateway.source.SourceId;
import dev.sluice.platform.db.Tx;
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
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;

/// Tests how many rows of unfinished work the chores outside the hot path read: ending expired
/// deliveries, counting process deaths, releasing leaked deliveries. Works like [HotQueryPlanTest],
/// on the connections that these chores use.
@ParameterizedClass
@EnumSource(HotTables.FillState.class)
class UpkeepQueryPlanTest {

    private static final int WORK_ROWS = 200_000;
    private static final HotTables HOT_TABLES = new HotTables(WORK_ROWS);
    private static final int DEAD_ROWS = HOT_TABLES.deadRows();
    private static final int MAX_ROWS_PER_READ = 50;

    /// Later than every arrival.
    private static final Instant ARRIVALS_END = OLDEST_WORK_AT.plusMillis(WORK_ROWS);

    private static final Set<SourceId> SOURCES = Set.of(SOURCE_ID, Some.sourceId());

    @Parameter HotTables.FillState state = HotTables.FillState.EMPTY;

    @BeforeEach
    void fill() {
        HOT_TABLES.bringTo(state);
    }

    @AfterAll
    static void close() throws SQLException {
        HOT_TABLES.close();
    }

    private static int unlessEmpty(int count) {
        return HOT_TABLES.isEmpty() ? 0 : count;
    }

    @Test
    void what_is_unfinished_is_read_from_a_place_by_the_row() {
        var range = new ArrivalRange(HotTables.event(DEAD_ROWS + 9_000).value(), ARRIVALS_END);
        for (Function<Tx, List<UnfinishedDelivery>> query :
                List.<Function<Tx, List<UnfinishedDelivery>>>of(
                        tx -> ExpiryStore.waiting(tx, SOURCES, range, MAX_ROWS_PER_READ),
                        tx -> ExpiryStore.unfinished(tx, SOURCES, range, MAX_ROWS_PER_READ))) {
            HOT_TABLES.forEachPlanCacheModeInPool(cost -> {
                var read = new ArrayList<UnfinishedDelivery>();
                cost.apply(tx -> read.addAll(query.apply(tx))).assertFewRows(MAX_ROWS_PER_READ);
                assertThat(read).hasSize(unlessEmpty(MAX_ROWS_PER_READ));
                var again = HOT_TABLES.unmeasured(query);
                assertThat(again).isEqualTo(read);
            });
        }
    }

    /// However many events arrive later.
    @Test
    void what_is_old_is_read_up_to_its_end() {
        var before = OLDEST_WORK_AT.plusMillis(MAX_ROWS_PER_READ);
        for (Function<Tx, List<UnfinishedDelivery>> query :
                List.<Function<Tx, List<UnfinishedDelivery>>>of(
                        tx ->
                                ExpiryStore.waiting(
                                        tx,
                                        SOURCES,
                                        ArrivalRange.between(Instant.EPOCH, before),
                                        WORK_ROWS),
                        tx -> ExpiryStore.unfinishedBefore(tx, before, WORK_ROWS))) {
            HOT_TABLES.forEachPlanCacheModeInPool(cost -> {
                var read = new ArrayList<UnfinishedDelivery>();
                cost.apply(tx -> read.addAll(query.apply(tx))).assertFewRows(MAX_ROWS_PER_READ);
                assertThat(read)
                        .hasSize(HOT_TABLES.isBloated() ? 0 : unlessEmpty(MAX_ROWS_PER_READ));
            });
        }
    }

    /// Dead rows that still exist are stepped over once, many in each block.
    @Test
    void the_oldest_are_read_from_the_beginning_in_their_order() {
        for (Function<Tx, List<UnfinishedDelivery>> query :
                List.<Function<Tx, List<UnfinishedDelivery>>>of(
                        tx ->
                                ExpiryStore.waiting(
                                        tx,
                                        SOURCES,
                                        ArrivalRange.between(Instant.EPOCH, ARRIVALS_END),
                                        MAX_ROWS_PER_READ),
                        tx ->
                                ExpiryStore.unfinished(
                                        tx,
                                        SOURCES,
                                        ArrivalRange.between(Instant.EPOCH, ARRIVALS_END),
                                        MAX_ROWS_PER_READ),
                        tx -> ExpiryStore.unfinishedBefore(tx, ARRIVALS_END, MAX_ROWS_PER_READ))) {
            HOT_TABLES.forEachPlanCacheModeInPool(cost -> {
                var read = new ArrayList<UnfinishedDelivery>();
                cost.apply(tx -> read.addAll(query.apply(tx)))
                        .assertFewRows(
                                MAX_ROWS_PER_READ,
                                HOT_TABLES.isBloated() ? DEAD_ROWS / DEAD_ROWS_PER_BLOCK : 0);
                assertThat(read).hasSize(unlessEmpty(MAX_ROWS_PER_READ));
            });
        }
    }

    @Test
    void what_is_expired_is_ended_by_its_keys_and_once() {
        HOT_TABLES.forEachPlanCacheModeInPool(cost -> {
            var works = HOT_TABLES.waitingWork(100);
            var ended = new ArrayList<DeliveryResult>();
            Function<Tx, ?> end =
                    tx -> ended.addAll(ExpiryStore.expire(tx, works, Some.id(), Some.NOON));
            cost.apply(end).assertFewRows(works.size());
            assertThat(ended).hasSize(unlessEmpty(works.size()));

            long rows = HOT_TABLES.liveRowCount();
            ended.clear();
            cost.apply(end).assertFewRows(works.size());
            assertThat(ended).isEmpty();
            assertThat(HOT_TABLES.liveRowCount()).isEqualTo(rows);
        });
    }

    @Test
    void what_has_no_day_is_discarded_by_its_keys_and_once() {
        HOT_TABLES.forEachPlanCacheModeInPool(cost -> {
            var works = HOT_TABLES.waitingWork(100);
            long rows = HOT_TABLES.liveRowCount();
            var discarded = new AtomicInteger();
            Function<Tx, ?> discard = tx -> discarded.addAndGet(ExpiryStore.discard(tx, works));
            cost.apply(discard).assertFewRows(works.size());
            cost.apply(discard).assertFewRows(works.size());
            assertThat(discarded).hasValue(unlessEmpty(works.size()));
            assertThat(rows - HOT_TABLES.liveRowCount()).isEqualTo(unlessEmpty(works.size()));
        });
    }

    @Test
    void deaths_are_counted_by_the_keys_of_what_was_on_the_wire_and_once() {
        HOT_TABLES.forEachPlanCacheModeInPool(cost -> {
            var traces =
                    HOT_TABLES.ownedWork(50).stream()
                            .map(delivery ->
                                    new InterruptedAttempt(
                                            delivery.id(), SOURCE_ID, 0, OWNER_NODE, false))
                            .toList();
            var counted = new AtomicInteger();
            Function<Tx, ?> count =
                    tx -> counted.addAndGet(RecoveryStore.recordRecoveries(tx, traces));
            cost.apply(count).assertFewRows(traces.size());
            cost.apply(count).assertFewRows(traces.size());
            assertThat(counted).hasValue(unlessEmpty(traces.size()));
        });
    }

    @Test
    void what_leaked_is_released_by_its_keys_and_once() {
        HOT_TABLES.forEachPlanCacheModeInPool(cost -> {
            var leaked = HOT_TABLES.ownedWork(50).stream().map(UnfinishedDelivery::id).toList();
            for (var now : List.of(Some.NOON, Some.NOON.plus(Duration.ofHours(1)))) {
                cost.apply(
                                tx -> {
                                    OwnedDeliveryStore.release(tx, leaked, OWNER_NODE, now);
                                    return true;
                                })
                        .assertFewRows(leaked.size());
            }
            assertThat(dueAtNoon(leaked)).isEqualTo(unlessEmpty(leaked.size()));
        });
    }

    private static int dueAtNoon(List<DeliveryId> deliveries) {
        return HOT_TABLES.unmeasured(tx ->
                tx.single(
                        "select count(*) as n from delivery_work where id = any (?) and next_at ="
                                + " ?",
                        row -> row.integer("n"),
                        deliveries.stream().map(DeliveryId::value).toList(),
                        Some.NOON));
    }
}
