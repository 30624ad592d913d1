package dev.sluice.features.recovery;

import static dev.sluice.testkit.HotTables.OLDEST_WORK_AT;
import static dev.sluice.testkit.HotTables.SOURCE_ID;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.account.workspace.WorkspaceId;
import dev.sluice.engine.DeliveryId;
import dev.sluice.engine.DeliveryStatus;
import dev.sluice.engine.EventId;
import dev.sluice.engine.commit.ResendStore;
import dev.sluice.gateway.connection.ConnectionId;
import dev.sluice.gateway.destination.DestinationStore;
import dev.sluice.gateway.routing.ConfigurationCache;
import dev.sluice.gateway.source.SourceId;
import dev.sluice.gateway.source.SourceStore;
import dev.sluice.platform.db.Tx;
import dev.sluice.platform.id.Uuid7;
import dev.sluice.platform.loop.Wake;
import dev.sluice.testkit.Given;
import dev.sluice.testkit.GivenRows;
import dev.sluice.testkit.HotTables;
import dev.sluice.testkit.ManualClock;
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
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import java.util.function.Function;
import java.util.stream.IntStream;

/// Tests how many rows resends read from history and from unfinished work. Runs on empty, huge and
/// bloated tables, with each kind of plan.
@ParameterizedClass
@EnumSource(HotTables.FillState.class)
class ReplayQueryPlanTest {

    private static final HotTables HOT_TABLES = new HotTables(200_000);
    private static final int DEAD_ROWS = HOT_TABLES.deadRows();

    /// Every 20th row of work has its event in history.
    private static final int FINISHED_ROW_STRIDE = 20;

    private static final int CHUNK_EVENTS = 50;
    private static final int DEAD_LETTERS = 30;
    private static final UUID END_ID = Uuid7.floor(Some.NOON);
    private static final Instant JOB_CREATED_AT = Some.NOON.plusNanos(4_000);

    private static boolean isFilled;
    private static int used;

    @Parameter HotTables.FillState state = HotTables.FillState.EMPTY;

    @BeforeEach
    void fill() {
        HOT_TABLES.bringTo(state);
        if (!HOT_TABLES.isEmpty() && !isFilled) {
            isFilled = true;
            fillLetters();
        }
    }

    @AfterAll
    static void close() throws SQLException {
        HOT_TABLES.close();
    }

    /// Inserts dead letters of events whose work rows are dead once the tables are bloated.
    private static void fillLetters() {
        var rows =
                events(DEAD_ROWS / 2, DEAD_LETTERS).stream()
                        .map(event ->
                                new GivenRows.DeliveryRow(
                                        DeliveryId.of(event, 3),
                                        SOURCE_ID,
                                        HotTables.connection(0),
                                        DeliveryStatus.EXHAUSTED,
                                        Some.NOON))
                        .toList();
        HOT_TABLES.unmeasured(tx -> {
            GivenRows.insertDeliveries(tx, rows);
            return true;
        });
    }

    /// Events that are stored unless the tables are empty. Each has a delivery that succeeded.
    private static List<EventId> events(int row, int count) {
        return IntStream.range(0, count)
                .mapToObj(n -> HotTables.event(row + FINISHED_ROW_STRIDE * n))
                .toList();
    }

    /// Events that no other test has used and whose work rows are alive.
    private static List<EventId> unused(int count) {
        var events = events(DEAD_ROWS + used * FINISHED_ROW_STRIDE, count);
        used += count;
        return events;
    }

    private static ResendSelection selection(DeliveryStatus status, UUID after) {
        return new ResendSelection(
                SOURCE_ID, HotTables.connection(0), Set.of(status), after, END_ID);
    }

    private static int unlessEmpty(int count) {
        return HOT_TABLES.isEmpty() ? 0 : count;
    }

    /// The query, prepared like every transaction that reads many events.
    private static <T> Function<Tx, T> prepared(Function<Tx, T> query) {
        return tx -> {
            SelectionQueries.forceIndexScan(tx);
            return query.apply(tx);
        };
    }

    @Test
    void a_few_dead_letters_among_many_others_are_read_and_nothing_else() {
        var selection = selection(DeliveryStatus.EXHAUSTED, Uuid7.floor(OLDEST_WORK_AT));
        HOT_TABLES.forEachPlanCacheModeInPool(cost -> {
            var events = new ArrayList<EventId>();
            cost.apply(
                            prepared(tx ->
                                    events.addAll(
                                            SelectionQueries.page(tx, selection, 1_000).events())))
                    .assertFewRows(DEAD_LETTERS);
            assertThat(events).hasSize(unlessEmpty(DEAD_LETTERS));
        });
    }

    @Test
    void events_are_read_as_many_as_one_chunk_takes() {
        for (int row : List.of(0, DEAD_ROWS)) {
            var selection =
                    selection(
                            DeliveryStatus.SUCCEEDED, Uuid7.floor(OLDEST_WORK_AT.plusMillis(row)));
            HOT_TABLES.forEachPlanCacheModeInPool(cost -> {
                var events = new ArrayList<EventId>();
                cost.apply(
                                prepared(tx ->
                                        events.addAll(
                                                SelectionQueries.page(tx, selection, CHUNK_EVENTS)
                                                        .events())))
                        .assertFewRows(CHUNK_EVENTS);
                assertThat(events)
                        .isEqualTo(HOT_TABLES.isEmpty() ? List.of() : events(row, CHUNK_EVENTS));
            });
        }
    }

    @Test
    void the_end_of_what_is_stored_is_found_without_what_is_before_it() {
        HOT_TABLES.forEachPlanCacheModeInPool(cost -> {
            var end = new ArrayList<UUID>();
            cost.apply(
                            prepared(tx ->
                                    end.addAll(
                                            SelectionQueries.lastId(tx, SOURCE_ID.value()).stream()
                                                    .toList())))
                    .assertFewRows(1);
            assertThat(end).hasSize(unlessEmpty(1));
        });
    }

    /// Each event has a delivery in history and one that waits. The waiting one is dead where the
    /// tables are bloated.
    @Test
    void how_events_stand_is_read_of_their_deliveries_alone() {
        var selection = selection(DeliveryStatus.SUCCEEDED, END_ID);
        for (int row : List.of(DEAD_ROWS / 4, DEAD_ROWS + 10_000)) {
            var events = events(row, CHUNK_EVENTS);
            HOT_TABLES.forEachPlanCacheModeInPool(cost -> {
                var found = new ArrayList<ResendCandidate>();
                cost.apply(
                                prepared(tx ->
                                        found.addAll(
                                                SelectionQueries.candidates(
                                                        tx, selection, events))))
                        .assertFewRows(2 * CHUNK_EVENTS);
                assertThat(found).extracting(ResendCandidate::event).isEqualTo(events);
                assertThat(found.stream().filter(ResendCandidate::hasSelectedStatus))
                        .hasSize(unlessEmpty(CHUNK_EVENTS));
            });
        }
    }

    /// Reads the event by its key, its delivery in history, its waiting delivery and the new one.
    @Test
    void a_resend_reads_its_event_and_that_events_deliveries() {
        HOT_TABLES.forEachPlanCacheModeInPool(cost -> {
            var event = unused(1).getFirst();
            var resend = new ResendStore.EventResend(event, HotTables.connection(0));
            var locked = new ArrayList<EventId>();
            cost.apply(tx -> locked.addAll(ResendStore.lockEvents(tx, SOURCE_ID, List.of(event))))
                    .assertFewRows(1);
            assertThat(locked).hasSize(unlessEmpty(1));
            for (int resends = 1; resends <= 2; resends++) {
                var full = new ArrayList<EventId>();
                cost.apply(tx ->
                                full.addAll(
                                        ResendStore.add(
                                                tx,
                                                SOURCE_ID,
                                                List.of(resend),
                                                Some.NOON,
                                                Some.NOON,
                                                Some.id())))
                        .assertFewRows(2);
                assertThat(full).isEmpty();
                assertThat(resendsOf(event)).isEqualTo(resends);
            }
        });
    }

    private static int resendsOf(EventId event) {
        return HOT_TABLES.unmeasured(tx ->
                tx.single(
                        "select count(*) as n from delivery_work where id >= ? and id <= ?",
                        row -> row.integer("n"),
                        DeliveryId.of(event, DeliveryId.MIN_RESEND_ORDINAL).value(),
                        DeliveryId.maxIdOf(event)));
    }

    @Test
    void a_chunk_reads_by_the_event_and_resends_them_once() {
        var selection = selection(DeliveryStatus.SUCCEEDED, END_ID);
        var job =
                new LeasedJob(replay(selection, JOB_CREATED_AT), List.of(), Long.MAX_VALUE, false);
        HOT_TABLES.forEachPlanCacheModeInPool(cost -> {
            var events = unused(CHUNK_EVENTS);
            var chunks = new ArrayList<ReplayChunk>();
            Function<Tx, ?> resend =
                    prepared(tx ->
                            chunks.add(
                                    ReplayChunkStore.resend(
                                                    tx,
                                                    job,
                                                    selection,
                                                    events,
                                                    Integer.MAX_VALUE,
                                                    () -> true,
                                                    () -> Some.NOON,
                                                    Some.id())
                                            .orElseThrow()));
            cost.apply(resend).assertFewRows(4 * CHUNK_EVENTS);
            long rows = HOT_TABLES.liveRowCount();
            cost.apply(resend).assertFewRows(4 * CHUNK_EVENTS);
            assertThat(chunks)
                    .containsOnly(new ReplayChunk(unlessEmpty(CHUNK_EVENTS), 0, Optional.empty()));
            assertThat(HOT_TABLES.liveRowCount()).isEqualTo(rows);
        });
    }

    /// A throttled job counts the waiting deliveries of its connection up to the limit, then
    /// pauses. Runs enough rounds for a generic plan.
    @Test
    void a_job_that_is_paced_counts_no_more_than_may_wait() {
        int maxWaiting = 100;
        int rounds = 12;
        var given = new Given(HOT_TABLES.db());
        var source = given.source();
        var connection = given.connection(source, given.destination("a.example", 4));
        var clock = new ManualClock(Some.NOON);
        int dead = HOT_TABLES.isBloated() ? 1_000 : 0;
        if (!HOT_TABLES.isEmpty()) {
            fillResends(source, connection, dead);
        }
        var job = job(source, connection);
        var worker =
                new ReplayWorker(
                        HOT_TABLES.db(),
                        ConfigurationCache.open(
                                HOT_TABLES.db(),
                                new SourceStore(Given.SEALER),
                                new DestinationStore(Given.SEALER),
                                new Wake()),
                        _ -> ReplayFixture.RETENTION,
                        new Uuid7(clock, new Random(6)),
                        new ReplayWorker.WorkerClocks(clock, clock, System::nanoTime),
                        new Wake(),
                        new ReplayWorker.ReplayLimits(10, maxWaiting));

        HOT_TABLES
                .costOf(() -> {
                    for (int round = 0; round < rounds; round++) {
                        worker.run();
                        clock.advance(Duration.ofSeconds(2));
                    }
                })
                .assertFewRows(rounds * maxWaiting, rounds * 2 * dead);

        var now =
                HOT_TABLES
                        .unmeasured(tx -> ReplayStore.find(tx, job.workspace(), job.id()))
                        .orElseThrow();
        assertThat(now.state().status())
                .isEqualTo(
                        HOT_TABLES.isEmpty()
                                ? Replay.ReplayStatus.COMPLETED
                                : Replay.ReplayStatus.RUNNING);
        assertThat(now.state().reason().map(reason -> reason.substring(0, 9)))
                .isEqualTo(HOT_TABLES.isEmpty() ? Optional.empty() : Optional.of("Throttled"));
    }

    /// Inserts two thousand waiting resends.
    ///
    /// @param dead number of additional rows that are deleted again
    private static void fillResends(SourceId source, ConnectionId connection, int dead) {
        var rows =
                IntStream.rangeClosed(1, 2_000 + dead)
                        .mapToObj(n ->
                                GivenRows.WorkRow.waiting(
                                                DeliveryId.of(
                                                        Some.eventId(Some.NOON),
                                                        DeliveryId.MIN_RESEND_ORDINAL),
                                                source,
                                                connection,
                                                Some.NOON.plusMillis(n))
                                        .withCreatedAt(Some.NOON))
                        .toList();
        HOT_TABLES.unmeasured(tx -> {
            GivenRows.insertWork(tx, rows);
            return true;
        });
        HOT_TABLES.unmeasured(tx ->
                tx.update(
                        """
                        delete from delivery_work
                         where connection_id = ? and next_at <= ?::timestamptz + ? * interval '1 millisecond'
                        """,
                        connection.value(),
                        Some.NOON,
                        dead));
    }

    /// Makes this the only job.
    private static Replay job(SourceId source, ConnectionId connection) {
        var selection =
                new ResendSelection(
                        source,
                        connection,
                        Set.of(DeliveryStatus.EXHAUSTED),
                        Uuid7.floor(OLDEST_WORK_AT),
                        END_ID);
        var replay = replay(selection, Some.NOON);
        HOT_TABLES.unmeasured(tx -> {
            tx.update("delete from replay_job");
            ReplayStore.insert(tx, replay);
            return true;
        });
        return replay;
    }

    private static Replay replay(ResendSelection selection, Instant madeAt) {
        return Replay.started(
                Some.id(),
                new WorkspaceId(Some.id()),
                selection,
                new BulkResendRequest.ArrivalPeriod(Optional.empty(), Optional.empty()),
                ResendEstimate.EMPTY,
                madeAt);
    }
}
