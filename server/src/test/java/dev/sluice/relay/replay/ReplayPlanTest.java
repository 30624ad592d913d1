package dev.sluice.relay.replay;

import static dev.sluice.testkit.HotTables.SOURCE;
import static dev.sluice.testkit.HotTables.START;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.account.workspace.WorkspaceId;
import dev.sluice.gateway.connection.ConnectionId;
import dev.sluice.gateway.destination.DestinationStore;
import dev.sluice.gateway.routing.Routing;
import dev.sluice.gateway.source.SourceId;
import dev.sluice.gateway.source.SourceStore;
import dev.sluice.platform.db.Tx;
import dev.sluice.platform.id.Uuid7;
import dev.sluice.relay.DeliveryId;
import dev.sluice.relay.DeliveryStatus;
import dev.sluice.relay.EventId;
import dev.sluice.relay.store.ResendStore;
import dev.sluice.testkit.Given;
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

/// What resends read of history and of unfinished work: what they are about, on tables that are
/// empty, huge and bloated, by each kind of plan.
@ParameterizedClass
@EnumSource(HotTables.State.class)
class ReplayPlanTest {

    private static final HotTables HOT = new HotTables(200_000);
    private static final int DEAD = HOT.dead();

    /// One row of work in so many has its event in history.
    private static final int STEP = 20;

    private static final int EVENTS = 50;
    private static final int LETTERS = 30;
    private static final UUID END = Uuid7.floor(Some.NOON);
    private static final Instant MADE_AT = Some.NOON.plusNanos(4_000);

    private static boolean isFilled;
    private static int used;

    @Parameter HotTables.State state = HotTables.State.EMPTY;

    @BeforeEach
    void fill() {
        HOT.bring(state);
        if (!HOT.isEmpty() && !isFilled) {
            isFilled = true;
            fillLetters();
        }
    }

    @AfterAll
    static void close() throws SQLException {
        HOT.close();
    }

    /// Of events whose work is dead once the tables are bloated.
    private static void fillLetters() {
        HOT.aside(tx ->
                tx.updateEach(
                        """
                        insert into delivery (id, finished_at, source_id, connection_id, status, trigger, attempts)
                        values (?, ?, ?, ?, ?, 1, 1)
                        """,
                        events(DEAD / 2, LETTERS).stream()
                                .map(event ->
                                        List.of(
                                                DeliveryId.of(event, 3).value(),
                                                Some.NOON,
                                                SOURCE.value(),
                                                HotTables.connection(0).value(),
                                                (int) DeliveryStatus.EXHAUSTED.number()))
                                .toList()));
    }

    /// That are stored, unless nothing is; each has a delivery that succeeded.
    private static List<EventId> events(int row, int count) {
        return IntStream.range(0, count).mapToObj(n -> HotTables.event(row + STEP * n)).toList();
    }

    /// That no other test has used, and whose work is alive.
    private static List<EventId> unused(int count) {
        var events = events(DEAD + used * STEP, count);
        used += count;
        return events;
    }

    private static Selection selection(DeliveryStatus status, UUID after) {
        return new Selection(SOURCE, HotTables.connection(0), Set.of(status), after, END);
    }

    private static int unlessEmpty(int count) {
        return HOT.isEmpty() ? 0 : count;
    }

    /// As all that looks at many events.
    private static <T> Function<Tx, T> prepared(Function<Tx, T> look) {
        return tx -> {
            Chunk.prepare(tx);
            return look.apply(tx);
        };
    }

    @Test
    void a_few_dead_letters_among_many_others_are_read_and_nothing_else() {
        var selection = selection(DeliveryStatus.EXHAUSTED, Uuid7.floor(START));
        HOT.forEachPlanInPool(cost -> {
            var events = new ArrayList<EventId>();
            cost.apply(prepared(tx -> events.addAll(Scan.read(tx, selection, 1_000).events())))
                    .assertFew(LETTERS);
            assertThat(events).hasSize(unlessEmpty(LETTERS));
        });
    }

    @Test
    void events_are_read_as_many_as_one_chunk_takes() {
        for (int row : List.of(0, DEAD)) {
            var selection = selection(DeliveryStatus.SUCCEEDED, Uuid7.floor(START.plusMillis(row)));
            HOT.forEachPlanInPool(cost -> {
                var events = new ArrayList<EventId>();
                cost.apply(prepared(tx -> events.addAll(Scan.read(tx, selection, EVENTS).events())))
                        .assertFew(EVENTS);
                assertThat(events).isEqualTo(HOT.isEmpty() ? List.of() : events(row, EVENTS));
            });
        }
    }

    @Test
    void the_end_of_what_is_stored_is_found_without_what_is_before_it() {
        HOT.forEachPlanInPool(cost -> {
            var end = new ArrayList<UUID>();
            cost.apply(prepared(tx -> end.addAll(Scan.end(tx, SOURCE.value()).stream().toList())))
                    .assertFew(1);
            assertThat(end).hasSize(unlessEmpty(1));
        });
    }

    /// Each has a delivery in history and one that waits, which is dead by now where the tables are
    /// bloated.
    @Test
    void how_events_stand_is_read_of_their_deliveries_alone() {
        var selection = selection(DeliveryStatus.SUCCEEDED, END);
        for (int row : List.of(DEAD / 4, DEAD + 10_000)) {
            var events = events(row, EVENTS);
            HOT.forEachPlanInPool(cost -> {
                var found = new ArrayList<Candidate>();
                cost.apply(prepared(tx -> found.addAll(Candidate.of(tx, selection, events))))
                        .assertFew(2 * EVENTS);
                assertThat(found).extracting(Candidate::event).isEqualTo(events);
                assertThat(found.stream().filter(Candidate::isMeant)).hasSize(unlessEmpty(EVENTS));
            });
        }
    }

    /// The event, by its key, its delivery in history, the one that waits and the new one.
    @Test
    void a_resend_reads_its_event_and_that_events_deliveries() {
        HOT.forEachPlanInPool(cost -> {
            var event = unused(1).getFirst();
            var resend = new ResendStore.Resend(event, HotTables.connection(0));
            var locked = new ArrayList<EventId>();
            cost.apply(tx -> locked.addAll(ResendStore.lock(tx, SOURCE, List.of(event))))
                    .assertFew(1);
            assertThat(locked).hasSize(unlessEmpty(1));
            for (int resends = 1; resends <= 2; resends++) {
                var full = new ArrayList<EventId>();
                cost.apply(tx ->
                                full.addAll(
                                        ResendStore.add(
                                                tx,
                                                SOURCE,
                                                List.of(resend),
                                                Some.NOON,
                                                Some.NOON,
                                                Some.id())))
                        .assertFew(2);
                assertThat(full).isEmpty();
                assertThat(resendsOf(event)).isEqualTo(resends);
            }
        });
    }

    private static int resendsOf(EventId event) {
        return HOT.aside(tx ->
                tx.single(
                        "select count(*) as n from delivery_work where id >= ? and id <= ?",
                        row -> row.integer("n"),
                        DeliveryId.of(event, DeliveryId.FIRST_RESEND).value(),
                        DeliveryId.lastOf(event)));
    }

    @Test
    void a_chunk_reads_by_the_event_and_resends_them_once() {
        var selection = selection(DeliveryStatus.SUCCEEDED, END);
        var job = new Held(replay(selection, MADE_AT), List.of(), Long.MAX_VALUE);
        HOT.forEachPlanInPool(cost -> {
            var events = unused(EVENTS);
            var chunks = new ArrayList<Chunk>();
            Function<Tx, ?> resend =
                    prepared(tx ->
                            chunks.add(
                                    Chunk.resend(
                                                    tx,
                                                    job,
                                                    selection,
                                                    events,
                                                    () -> true,
                                                    () -> Some.NOON,
                                                    Some.id())
                                            .orElseThrow()));
            cost.apply(resend).assertFew(4 * EVENTS);
            long rows = HOT.rowsAtAll();
            cost.apply(resend).assertFew(4 * EVENTS);
            assertThat(chunks).containsOnly(new Chunk(unlessEmpty(EVENTS), 0));
            assertThat(HOT.rowsAtAll()).isEqualTo(rows);
        });
    }

    /// A job counts what waits of its connection up to the most that may, and rests. By rounds
    /// enough for a generic plan.
    @Test
    void a_job_that_is_paced_counts_no_more_than_may_wait() {
        int most = 100;
        int rounds = 12;
        var given = new Given(HOT.db());
        var source = given.source();
        var connection = given.connection(source, given.destination("a.example", 4));
        var clock = new ManualClock(Some.NOON);
        int dead = HOT.isBloated() ? 1_000 : 0;
        if (!HOT.isEmpty()) {
            fillResends(source, connection, dead);
        }
        var job = job(source, connection);
        var process =
                new Replaying(
                        HOT.db(),
                        Routing.open(
                                HOT.db(),
                                new SourceStore(Given.SEALER),
                                new DestinationStore(Given.SEALER)),
                        _ -> Jobs.RETENTION,
                        new Uuid7(clock, new Random(6)),
                        clock,
                        System::nanoTime,
                        new Replaying.Sizes(10, most));

        HOT.costOf(
                        () -> {
                            for (int round = 0; round < rounds; round++) {
                                process.run();
                                clock.advance(Duration.ofSeconds(2));
                            }
                        })
                .assertFew(rounds * most, rounds * 2 * dead);

        var now = HOT.aside(tx -> ReplayStore.find(tx, job.workspace(), job.id())).orElseThrow();
        assertThat(now.status())
                .isEqualTo(HOT.isEmpty() ? Replay.Status.COMPLETED : Replay.Status.RUNNING);
        assertThat(now.reason().map(reason -> reason.substring(0, 5)))
                .isEqualTo(HOT.isEmpty() ? Optional.empty() : Optional.of("Paced"));
    }

    /// Two thousand that wait.
    ///
    /// @param dead so many more
    private static void fillResends(SourceId source, ConnectionId connection, int dead) {
        HOT.aside(tx ->
                tx.update(
                        """
                        insert into delivery_work (id, next_at, created_at, source_id, connection_id, trigger)
                        select gen_random_uuid(), ?::timestamptz + n * interval '1 millisecond', ?, ?, ?, 2
                          from generate_series(1, ?) as n
                        """,
                        Some.NOON,
                        Some.NOON,
                        source.value(),
                        connection.value(),
                        2_000 + dead));
        HOT.aside(tx ->
                tx.update(
                        """
                        delete from delivery_work
                         where connection_id = ? and next_at <= ?::timestamptz + ? * interval '1 millisecond'
                        """,
                        connection.value(),
                        Some.NOON,
                        dead));
    }

    /// The only one.
    private static Replay job(SourceId source, ConnectionId connection) {
        var selection =
                new Selection(
                        source,
                        connection,
                        Set.of(DeliveryStatus.EXHAUSTED),
                        Uuid7.floor(START),
                        END);
        var replay = replay(selection, Some.NOON);
        HOT.aside(tx -> {
            tx.update("delete from replay_job");
            ReplayStore.insert(tx, replay);
            return true;
        });
        return replay;
    }

    private static Replay replay(Selection selection, Instant madeAt) {
        return new Replay(
                Some.id(),
                new WorkspaceId(Some.id()),
                selection,
                Optional.empty(),
                Optional.empty(),
                Replay.Status.RUNNING,
                0,
                true,
                0,
                0,
                Optional.empty(),
                madeAt,
                madeAt,
                Optional.empty());
    }
}
