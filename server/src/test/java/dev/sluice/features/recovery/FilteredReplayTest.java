package dev.sluice.features.recovery;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.engine.DeliveryId;
import dev.sluice.engine.DeliveryStatus;
import dev.sluice.engine.EventId;
import dev.sluice.features.recovery.ReplayWorker.ReplayLimits;
import dev.sluice.gateway.connection.ConnectionId;
import dev.sluice.platform.db.DbException;
import dev.sluice.testkit.FinishedEvents;
import dev.sluice.testkit.GivenRows;
import dev.sluice.testkit.PostgresProxy;
import dev.sluice.testkit.PostgresProxy.CommitCut;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;

/// Tests jobs over the dead letters of several connections; the test runs each round itself.
@ResourceLock(ReplayFixture.RESOURCE_LOCK)
class FilteredReplayTest {

    private static final ReplayLimits CHUNKS_OF_TEN = new ReplayLimits(10, 1_000);

    private ReplayFixture fixture;
    private List<ConnectionId> connections;

    @BeforeEach
    void open() {
        fixture = new ReplayFixture();
        connections =
                List.of(
                        fixture.connection,
                        fixture.given.connection(
                                fixture.source, fixture.given.destination("b.example", 4)),
                        fixture.given.connection(
                                fixture.source, fixture.given.destination("c.example", 4)));
    }

    @AfterEach
    void close() {
        fixture.close();
    }

    private List<EventId> failed(ConnectionId connection, int count) {
        return FinishedEvents.insert(
                fixture.db,
                fixture.source,
                connection,
                DeliveryStatus.FAILED,
                fixture.clock.instant().minusSeconds(60),
                count);
    }

    private List<EventId> failedOnEach(int count) {
        var events = new ArrayList<EventId>();
        connections.forEach(connection -> events.addAll(failed(connection, count)));
        return events;
    }

    private static void rounds(ReplayWorker worker, int count) {
        for (int i = 0; i < count; i++) {
            worker.run();
        }
    }

    private void assertCompleted(Replay job, long created, long skipped) {
        var ended = fixture.reload(job);
        assertThat(ended.state().status()).isEqualTo(Replay.ReplayStatus.COMPLETED);
        assertThat(ended.progress().created()).isEqualTo(created);
        assertThat(ended.progress().skipped()).isEqualTo(skipped);
        assertThat(fixture.resends().values()).hasSize((int) created).containsOnly(1L);
    }

    @Test
    void one_job_resends_on_one_connection_after_the_other() {
        var events = failedOnEach(15);
        var job = fixture.filteredJob(connections, 45, Optional.empty(), Optional.empty());

        rounds(fixture.worker(CHUNKS_OF_TEN), 9);

        assertThat(fixture.resends()).containsOnlyKeys(events);
        assertCompleted(job, 45, 0);
    }

    @Test
    void a_limit_ends_a_job_in_the_midst_of_a_connection() {
        failedOnEach(15);
        var job = fixture.filteredJob(connections, 18, Optional.of(18L), Optional.empty());

        rounds(fixture.worker(CHUNKS_OF_TEN), 9);

        assertCompleted(job, 18, 0);
    }

    @Test
    void a_rate_is_kept_from_second_to_second() {
        failedOnEach(5);
        var job = fixture.filteredJob(connections, 15, Optional.empty(), Optional.of(4));
        var worker = fixture.worker(CHUNKS_OF_TEN);

        rounds(worker, 5);
        assertThat(fixture.reload(job).progress().created()).isEqualTo(4);
        fixture.clock.advance(Duration.ofMillis(900));
        rounds(worker, 5);
        assertThat(fixture.reload(job).progress().created()).isEqualTo(4);
        fixture.clock.advance(Duration.ofMillis(100));
        rounds(worker, 1);
        assertThat(fixture.reload(job).progress().created()).isEqualTo(5);
        for (int i = 0; i < 10; i++) {
            fixture.clock.advance(Duration.ofSeconds(1));
            rounds(worker, 2);
        }

        assertCompleted(job, 15, 0);
    }

    @Test
    void what_fails_or_is_dismissed_after_the_request_is_not_resent() {
        var events = failed(fixture.connection, 12);
        fixture.db.run(tx ->
                GivenRows.insertDismissal(
                        tx,
                        fixture.source,
                        DeliveryId.of(events.get(3), 1).value(),
                        fixture.clock.instant()));
        var job = fixture.filteredJob(connections, 11, Optional.empty(), Optional.empty());
        failLater(fixture.connection);

        rounds(fixture.worker(CHUNKS_OF_TEN), 9);

        assertThat(fixture.resends()).doesNotContainKey(events.get(3));
        assertCompleted(job, 11, 0);
    }

    /// An event between the others in time, whose delivery fails only after the job was made.
    private void failLater(ConnectionId connection) {
        var event =
                FinishedEvents.insert(
                                fixture.db,
                                fixture.source,
                                connection,
                                DeliveryStatus.SUCCEEDED,
                                fixture.clock.instant().minusSeconds(60),
                                1)
                        .getFirst();
        var row =
                new GivenRows.DeliveryRow(
                        DeliveryId.of(event, 2),
                        fixture.source,
                        connection,
                        DeliveryStatus.FAILED,
                        fixture.clock.instant().plusMillis(1));
        fixture.db.run(tx -> GivenRows.insertDeliveries(tx, List.of(row)));
    }

    @Test
    void a_connection_that_is_held_does_not_hold_the_others() {
        failedOnEach(10);
        fixture.given.enabled(fixture.connection, false);
        var job = fixture.filteredJob(connections, 30, Optional.empty(), Optional.empty());

        rounds(fixture.worker(CHUNKS_OF_TEN), 9);

        assertThat(fixture.reload(job).state().status()).isEqualTo(Replay.ReplayStatus.RUNNING);
        assertThat(fixture.reload(job).progress().created()).isEqualTo(20);
        assertThat(fixture.reload(job).state().reason()).get().asString().contains("disabled");
    }

    @Test
    void a_connection_that_is_deleted_is_left_out() {
        failedOnEach(10);
        var job = fixture.filteredJob(connections, 30, Optional.empty(), Optional.empty());
        fixture.given.deleted(fixture.destination);

        rounds(fixture.worker(CHUNKS_OF_TEN), 9);

        assertCompleted(job, 20, 10);
    }

    @Test
    void a_paused_job_makes_nothing_and_goes_on_where_it_was() {
        failedOnEach(10);
        var job = fixture.filteredJob(connections, 30, Optional.empty(), Optional.empty());
        var worker = fixture.worker(CHUNKS_OF_TEN);
        rounds(worker, 1);
        assertThat(fixture.setPaused(job, true)).isPresent();
        assertThat(fixture.setPaused(job, true)).isEmpty();

        rounds(worker, 3);
        assertThat(fixture.reload(job).progress().created()).isEqualTo(10);
        assertThat(fixture.setPaused(job, false)).isPresent();
        rounds(worker, 6);

        assertCompleted(job, 30, 0);
    }

    @Test
    void a_job_that_is_cancelled_while_it_is_paused_counts_its_last_chunk() {
        failedOnEach(10);
        var job = fixture.filteredJob(connections, 30, Optional.empty(), Optional.empty());
        try (var proxy = PostgresProxy.to(fixture.database);
                var way = ReplayFixture.through(proxy)) {
            var killed = fixture.worker(way, CHUNKS_OF_TEN);
            proxy.killAtCommit(5, CommitCut.BEFORE_COMMIT, () -> {}, () -> {});
            assertThatThrownBy(killed::run).isInstanceOf(DbException.class);
        }
        assertThat(fixture.reload(job).progress().created()).isZero();
        fixture.setPaused(job, true);
        fixture.endLeases();
        rounds(fixture.worker(CHUNKS_OF_TEN), 2);
        assertThat(fixture.cancel(job)).isPresent();

        rounds(fixture.worker(CHUNKS_OF_TEN), 2);

        assertThat(fixture.reload(job).state().status()).isEqualTo(Replay.ReplayStatus.CANCELLED);
        assertThat(fixture.reload(job).progress().created()).isEqualTo(10);
        assertThat(fixture.resends()).hasSize(10);
    }

    /// Cuts a commit of a chunk, of its position, or of the step to the next connection.
    ///
    /// @param uncounted how many resends are then created and not counted
    @ParameterizedTest
    @CsvSource({
        "4, AFTER_COMMIT, 10",
        "5, BEFORE_COMMIT, 10",
        "5, AFTER_COMMIT, 0",
        "11, AFTER_COMMIT, 2",
        "12, BEFORE_COMMIT, 2",
        "12, AFTER_COMMIT, 0",
        "17, AFTER_COMMIT, 10",
        "18, BEFORE_COMMIT, 10"
    })
    void a_killed_process_does_not_make_a_job_exceed_its_limit(
            int commit, CommitCut cut, int uncounted) {
        failedOnEach(12);
        var job = fixture.filteredJob(connections, 27, Optional.of(27L), Optional.empty());
        try (var proxy = PostgresProxy.to(fixture.database);
                var way = ReplayFixture.through(proxy)) {
            var killed = fixture.worker(way, CHUNKS_OF_TEN);
            proxy.killAtCommit(commit, cut, () -> {}, () -> {});
            assertThatThrownBy(() -> rounds(killed, 9)).isInstanceOf(DbException.class);
        }
        assertThat(fixture.resends().size() - fixture.reload(job).progress().created())
                .isEqualTo(uncounted);
        fixture.endLeases();
        connections.forEach(this::failLater);

        rounds(fixture.worker(CHUNKS_OF_TEN), 12);

        assertCompleted(job, 27, 0);
    }

    /// The resends on the connection that is left are made and not counted when the process is
    /// killed.
    ///
    /// @param chunk how many events the heir looks at in one round
    @ParameterizedTest
    @ValueSource(ints = {10, 4})
    void a_connection_that_is_held_after_a_kill_is_counted_before_the_job_leaves_it(int chunk) {
        failedOnEach(12);
        var job = fixture.filteredJob(connections, 20, Optional.of(20L), Optional.empty());
        try (var proxy = PostgresProxy.to(fixture.database);
                var way = ReplayFixture.through(proxy)) {
            var killed = fixture.worker(way, CHUNKS_OF_TEN);
            proxy.killAtCommit(5, CommitCut.BEFORE_COMMIT, () -> {}, () -> {});
            assertThatThrownBy(() -> rounds(killed, 9)).isInstanceOf(DbException.class);
        }
        assertThat(fixture.resends()).hasSize(10);
        assertThat(fixture.reload(job).progress().created()).isZero();
        fixture.given.enabled(connections.getFirst(), false);
        fixture.endLeases();

        rounds(fixture.worker(new ReplayLimits(chunk, 1_000)), 20);

        assertCompleted(job, 20, 0);
    }

    @Test
    void thousands_are_resent_once_while_deliveries_fail_and_succeed_and_a_process_is_killed() {
        var events = failedOnEach(1_000);
        var job = fixture.filteredJob(connections, 2_500, Optional.of(2_500L), Optional.empty());
        var limits = new ReplayLimits(100, 100_000);
        var isOver = new AtomicBoolean();
        var traffic =
                CompletableFuture.runAsync(() -> {
                    while (!isOver.get()) {
                        connections.forEach(this::failLater);
                        succeedSome(50);
                    }
                });
        try (var proxy = PostgresProxy.to(fixture.database);
                var way = ReplayFixture.through(proxy)) {
            var killed = fixture.worker(way, limits);
            proxy.killAtCommit(70, CommitCut.AFTER_COMMIT, () -> {}, () -> {});
            assertThatThrownBy(() -> rounds(killed, 40)).isInstanceOf(DbException.class);
        }
        fixture.endLeases();
        rounds(fixture.worker(limits), 40);
        isOver.set(true);
        traffic.join();

        assertCompleted(job, 2_500, 0);
        assertThat(new HashSet<>(events)).containsAll(fixture.resends().keySet());
    }

    /// Ends waiting resends with success, as the relay does: each moves in one transaction.
    private void succeedSome(int count) {
        var at = fixture.clock.instant();
        fixture.db.run(tx -> {
            var rows =
                    tx.query(
                            """
                            delete from delivery_work
                             where ctid = any (array(select ctid from delivery_work limit ?))
                            returning id, connection_id, created_at
                            """,
                            row ->
                                    new GivenRows.DeliveryRow(
                                            new DeliveryId(row.uuid("id")),
                                            fixture.source,
                                            new ConnectionId(row.uuid("connection_id")),
                                            DeliveryStatus.SUCCEEDED,
                                            at,
                                            row.instantOrNone("created_at"),
                                            Optional.empty(),
                                            Optional.empty()),
                            count);
            GivenRows.insertDeliveries(tx, rows);
        });
    }
}
