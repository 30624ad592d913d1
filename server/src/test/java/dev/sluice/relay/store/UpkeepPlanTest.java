package dev.sluice.relay.store;

import static dev.sluice.testkit.Cost.DEAD_ROWS_A_BLOCK;
import static dev.sluice.testkit.HotTables.OWNER;
import static dev.sluice.testkit.HotTables.SOURCE;
import static dev.sluice.testkit.HotTables.START;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.gateway.source.SourceId;
import dev.sluice.platform.db.Tx;
import dev.sluice.relay.DeliveryId;
import dev.sluice.relay.WireTrace;
import dev.sluice.relay.Work;
import dev.sluice.relay.store.ExpiryStore.Stretch;
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

/// What is read of unfinished work apart from the hot path: to end what is expired, to count what a
/// death left, to let go what leaked. As [HotPlanTest], on the connections that these have.
@ParameterizedClass
@EnumSource(HotTables.State.class)
class UpkeepPlanTest {

    private static final int ROWS = 200_000;
    private static final HotTables HOT = new HotTables(ROWS);
    private static final int DEAD = HOT.dead();
    private static final int LIMIT = 50;

    /// After the last of them came in.
    private static final Instant END = START.plusMillis(ROWS);

    private static final Set<SourceId> SOURCES = Set.of(SOURCE, Some.sourceId());

    @Parameter HotTables.State state = HotTables.State.EMPTY;

    @BeforeEach
    void fill() {
        HOT.bring(state);
    }

    @AfterAll
    static void close() throws SQLException {
        HOT.close();
    }

    private static int unlessEmpty(int count) {
        return HOT.isEmpty() ? 0 : count;
    }

    @Test
    void what_is_unfinished_is_read_from_a_place_by_the_row() {
        var stretch = new Stretch(HotTables.event(DEAD + 9_000).value(), END);
        for (Function<Tx, List<Work>> look :
                List.<Function<Tx, List<Work>>>of(
                        tx -> ExpiryStore.waiting(tx, SOURCES, stretch, LIMIT),
                        tx -> ExpiryStore.unfinished(tx, SOURCES, stretch, LIMIT))) {
            HOT.forEachPlanInPool(cost -> {
                var read = new ArrayList<Work>();
                cost.apply(tx -> read.addAll(look.apply(tx))).assertFew(LIMIT);
                assertThat(read).hasSize(unlessEmpty(LIMIT));
                var again = HOT.aside(look);
                assertThat(again).isEqualTo(read);
            });
        }
    }

    /// However much came in later.
    @Test
    void what_is_old_is_read_up_to_its_end() {
        var before = START.plusMillis(LIMIT);
        for (Function<Tx, List<Work>> look :
                List.<Function<Tx, List<Work>>>of(
                        tx ->
                                ExpiryStore.waiting(
                                        tx, SOURCES, Stretch.between(Instant.EPOCH, before), ROWS),
                        tx -> ExpiryStore.leftBefore(tx, before, ROWS))) {
            HOT.forEachPlanInPool(cost -> {
                var read = new ArrayList<Work>();
                cost.apply(tx -> read.addAll(look.apply(tx))).assertFew(LIMIT);
                assertThat(read).hasSize(HOT.isBloated() ? 0 : unlessEmpty(LIMIT));
            });
        }
    }

    /// Those that are dead and still there are stepped over once, many with each block.
    @Test
    void the_oldest_are_read_from_the_beginning_in_their_order() {
        for (Function<Tx, List<Work>> look :
                List.<Function<Tx, List<Work>>>of(
                        tx ->
                                ExpiryStore.waiting(
                                        tx, SOURCES, Stretch.between(Instant.EPOCH, END), LIMIT),
                        tx ->
                                ExpiryStore.unfinished(
                                        tx, SOURCES, Stretch.between(Instant.EPOCH, END), LIMIT),
                        tx -> ExpiryStore.leftBefore(tx, END, LIMIT))) {
            HOT.forEachPlanInPool(cost -> {
                var read = new ArrayList<Work>();
                cost.apply(tx -> read.addAll(look.apply(tx)))
                        .assertFew(LIMIT, HOT.isBloated() ? DEAD / DEAD_ROWS_A_BLOCK : 0);
                assertThat(read).hasSize(unlessEmpty(LIMIT));
            });
        }
    }

    @Test
    void what_is_expired_is_ended_by_its_keys_and_once() {
        HOT.forEachPlanInPool(cost -> {
            var works = HOT.waiting(100);
            var ended = new ArrayList<Settled>();
            Function<Tx, ?> end =
                    tx -> ended.addAll(ExpiryStore.end(tx, works, Some.id(), Some.NOON));
            cost.apply(end).assertFew(works.size());
            assertThat(ended).hasSize(unlessEmpty(works.size()));

            long rows = HOT.rowsAtAll();
            ended.clear();
            cost.apply(end).assertFew(works.size());
            assertThat(ended).isEmpty();
            assertThat(HOT.rowsAtAll()).isEqualTo(rows);
        });
    }

    @Test
    void what_has_no_day_is_discarded_by_its_keys_and_once() {
        HOT.forEachPlanInPool(cost -> {
            var works = HOT.waiting(100);
            long rows = HOT.rowsAtAll();
            var discarded = new AtomicInteger();
            Function<Tx, ?> discard = tx -> discarded.addAndGet(ExpiryStore.discard(tx, works));
            cost.apply(discard).assertFew(works.size());
            cost.apply(discard).assertFew(works.size());
            assertThat(discarded).hasValue(unlessEmpty(works.size()));
            assertThat(rows - HOT.rowsAtAll()).isEqualTo(unlessEmpty(works.size()));
        });
    }

    @Test
    void deaths_are_counted_by_the_keys_of_what_was_on_the_wire_and_once() {
        HOT.forEachPlanInPool(cost -> {
            var traces =
                    HOT.owned(50).stream()
                            .map(work -> new WireTrace(work.id(), SOURCE, 0, OWNER, false))
                            .toList();
            var counted = new AtomicInteger();
            Function<Tx, ?> count = tx -> counted.addAndGet(RecoveryStore.count(tx, traces));
            cost.apply(count).assertFew(traces.size());
            cost.apply(count).assertFew(traces.size());
            assertThat(counted).hasValue(unlessEmpty(traces.size()));
        });
    }

    @Test
    void what_leaked_is_released_by_its_keys_and_once() {
        HOT.forEachPlanInPool(cost -> {
            var leaked = HOT.owned(50).stream().map(Work::id).toList();
            for (var now : List.of(Some.NOON, Some.NOON.plus(Duration.ofHours(1)))) {
                cost.apply(
                                tx -> {
                                    WorkStore.release(tx, leaked, OWNER, now);
                                    return true;
                                })
                        .assertFew(leaked.size());
            }
            assertThat(dueAtNoon(leaked)).isEqualTo(unlessEmpty(leaked.size()));
        });
    }

    private static int dueAtNoon(List<DeliveryId> deliveries) {
        return HOT.aside(tx ->
                tx.single(
                        "select count(*) as n from delivery_work where id = any (?) and next_at ="
                                + " ?",
                        row -> row.integer("n"),
                        deliveries.stream().map(DeliveryId::value).toList(),
                        Some.NOON));
    }
}
