package dev.sluice.relay.replay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.observe.audit.Conservation;
import dev.sluice.observe.audit.Report;
import dev.sluice.platform.db.Database;
import dev.sluice.platform.db.Db;
import dev.sluice.platform.db.DbException;
import dev.sluice.relay.DeliveryId;
import dev.sluice.relay.DeliveryStatus;
import dev.sluice.relay.EventId;
import dev.sluice.relay.replay.Replaying.Sizes;
import dev.sluice.testkit.Ended;
import dev.sluice.testkit.Some;
import dev.sluice.testkit.TcpProxy;
import dev.sluice.testkit.TcpProxy.Cut;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;

/// The rounds of a job, run by the test.
@ResourceLock(Jobs.ROOM)
class ReplayingTest {

    private static final Sizes TENS = new Sizes(10, 1_000);

    private Jobs jobs;

    @BeforeEach
    void open() {
        jobs = new Jobs();
    }

    @AfterEach
    void close() {
        jobs.close();
    }

    @Test
    void a_job_resends_each_event_once_in_chunks() {
        var events = jobs.ended(DeliveryStatus.EXHAUSTED, 25);
        jobs.ended(DeliveryStatus.FAILED, 5);
        var job = jobs.job(25, DeliveryStatus.EXHAUSTED);
        var process = jobs.process(TENS);

        assertThat(process.run()).as("there is more").isTrue();
        assertThat(jobs.now(job).created()).isEqualTo(10);
        rounds(process, 3);

        eachOnce(events);
        isDone(job, 25, 0);
        assertThat(conservation()).matches(Report::isClean);
    }

    @Test
    void a_least_number_grows_with_what_is_found_and_is_exact_at_the_end() {
        jobs.ended(DeliveryStatus.FAILED, 25);
        var job =
                jobs.job(
                        new Plan(5, false, List.of()), jobs.clock.instant(), DeliveryStatus.FAILED);
        var process = jobs.process(TENS);

        process.run();
        assertThat(jobs.now(job).planned()).isEqualTo(10);
        assertThat(jobs.now(job).isExact()).isFalse();
        rounds(process, 3);

        isDone(job, 25, 0);
        assertThat(jobs.now(job).planned()).isEqualTo(25);
        assertThat(jobs.now(job).isExact()).isTrue();
    }

    @Test
    void a_cancelled_job_that_was_not_seen_whole_keeps_a_least_number() {
        jobs.ended(DeliveryStatus.FAILED, 25);
        var job =
                jobs.job(
                        new Plan(5, false, List.of()), jobs.clock.instant(), DeliveryStatus.FAILED);
        var process = jobs.process(TENS);
        process.run();
        jobs.cancel(job);

        rounds(process, 2);

        assertThat(jobs.now(job).planned()).isEqualTo(10);
        assertThat(jobs.now(job).isExact()).isFalse();
    }

    /// Each of the commits that bring a job on: tidying, looking what is open, the lease, what
    /// waits, reading, the chunk, the position, the wake hint; then those of the next round.
    @ParameterizedTest
    @CsvSource({
        "3, AFTER_COMMIT",
        "4, AFTER_COMMIT",
        "5, AFTER_COMMIT",
        "6, BEFORE_COMMIT",
        "6, WITH_COMMIT",
        "6, AFTER_COMMIT",
        "7, BEFORE_COMMIT",
        "7, WITH_COMMIT",
        "7, AFTER_COMMIT",
        "8, BEFORE_COMMIT",
        "8, AFTER_COMMIT",
        "10, AFTER_COMMIT",
        "12, AFTER_COMMIT",
        "13, BEFORE_COMMIT",
        "13, AFTER_COMMIT",
        "14, BEFORE_COMMIT"
    })
    void a_process_killed_at_any_commit_leaves_a_job_that_another_brings_to_its_end(
            int commit, Cut cut) {
        var events = jobs.ended(DeliveryStatus.FAILED, 25);
        var job = jobs.job(25, DeliveryStatus.FAILED);
        try (var proxy = TcpProxy.to(jobs.database.host(), jobs.database.port());
                var way = through(proxy)) {
            var killed = jobs.process(way, TENS);
            proxy.dieAtCommit(commit, cut, () -> {}, () -> {});
            assertThatThrownBy(() -> rounds(killed, 10)).isInstanceOf(DbException.class);
        }
        var heir = jobs.process(TENS);

        rounds(heir, 5);
        assertThat(jobs.now(job).status())
                .as("while the lease holds")
                .isEqualTo(Replay.Status.RUNNING);
        jobs.endLeases();
        rounds(heir, 5);

        eachOnce(events);
        isDone(job, 25, 0);
        assertThat(conservation()).matches(Report::isClean);
    }

    private Db through(TcpProxy proxy) {
        var database = jobs.database;
        return Db.open(
                new Database(
                        "127.0.0.1",
                        proxy.port(),
                        database.name(),
                        database.user(),
                        database.password(),
                        ""),
                "killed",
                2,
                Duration.ofSeconds(20));
    }

    @Test
    void two_who_believe_to_hold_a_job_make_each_resend_once() {
        var events = jobs.ended(DeliveryStatus.FAILED, 200);
        var job = jobs.job(200, DeliveryStatus.FAILED);
        var one = jobs.process(TENS);
        var other = jobs.process(TENS);

        var first = CompletableFuture.runAsync(() -> untilDone(one, job));
        var second = CompletableFuture.runAsync(() -> untilDone(other, job));
        while (jobs.now(job).status() == Replay.Status.RUNNING) {
            jobs.endLeases();
        }
        first.join();
        second.join();

        eachOnce(events);
        isDone(job, 200, 0);
        assertThat(conservation()).matches(Report::isClean);
    }

    private void untilDone(Replaying process, Replay job) {
        while (jobs.now(job).status() == Replay.Status.RUNNING) {
            process.run();
        }
    }

    @Test
    void a_process_that_stops_lets_another_go_on_at_once() {
        var events = jobs.ended(DeliveryStatus.FAILED, 15);
        var job = jobs.job(15, DeliveryStatus.FAILED);
        var stopped = jobs.process(TENS);
        stopped.run();

        stopped.leave();
        rounds(jobs.process(TENS), 3);

        eachOnce(events);
        isDone(job, 15, 0);
    }

    @Test
    void a_job_rests_while_as_many_resends_wait_as_may() {
        var events = jobs.ended(DeliveryStatus.FAILED, 60);
        var job = jobs.job(60, DeliveryStatus.FAILED);
        var process = jobs.process(new Sizes(10, 30));

        rounds(process, 10);

        assertThat(jobs.now(job).created()).isEqualTo(30);
        assertThat(jobs.now(job).reason())
                .hasValue(
                        "Paced: 30 resends of the connection wait at most. It goes on as they are"
                                + " delivered.");
        jobs.deliverAll();
        jobs.clock.advance(Duration.ofSeconds(1));
        rounds(process, 1);
        assertThat(jobs.now(job).reason()).isEmpty();
        rounds(process, 9);
        assertThat(jobs.now(job).created()).isEqualTo(60);
        assertThat(jobs.resends().keySet())
                .containsExactlyInAnyOrderElementsOf(events.subList(30, 60));
    }

    @Test
    void what_holds_a_job_lets_it_go_on_later() {
        var events = jobs.ended(DeliveryStatus.FAILED, 15);
        var job = jobs.job(15, DeliveryStatus.FAILED);

        jobs.given.enabled(jobs.connection, false);
        rounds(jobs.process(TENS), 2);
        assertThat(jobs.now(job).reason())
                .hasValue(
                        "Held: the connection is disabled. It goes on when the connection is"
                                + " enabled again.");
        jobs.endLeases();
        jobs.given.enabled(jobs.connection, true);
        jobs.given.trashed(jobs.source);
        rounds(jobs.process(TENS), 2);
        assertThat(jobs.now(job).reason())
                .hasValue("Held: the source is in the trash. It goes on when it is restored.");
        assertThat(jobs.resends()).isEmpty();
        jobs.endLeases();
        jobs.given.restored(jobs.source);
        jobs.given.paused(jobs.source, true);
        rounds(jobs.process(TENS), 3);

        eachOnce(events);
        isDone(job, 15, 0);
        assertThat(jobs.now(job).reason()).isEmpty();
    }

    @Test
    void a_deletion_ends_a_job() {
        jobs.ended(DeliveryStatus.FAILED, 15);
        var job = jobs.job(15, DeliveryStatus.FAILED);
        jobs.process(TENS).run();
        jobs.endLeases();
        jobs.given.deleted(jobs.connection);

        rounds(jobs.process(TENS), 3);

        var ended = jobs.now(job);
        assertThat(ended.status()).isEqualTo(Replay.Status.FAILED);
        assertThat(ended.reason()).hasValue("Stopped: the connection was deleted.");
        assertThat(ended.created()).isEqualTo(10);
        assertThat(ended.finishedAt()).hasValue(jobs.clock.instant());
        assertThat(jobs.resends()).hasSize(10);
    }

    @Test
    void the_deletion_of_its_destination_ends_a_job() {
        jobs.ended(DeliveryStatus.FAILED, 15);
        var job = jobs.job(15, DeliveryStatus.FAILED);
        jobs.given.deleted(jobs.destination);

        rounds(jobs.process(TENS), 3);

        assertThat(jobs.now(job).reason()).hasValue("Stopped: the destination was deleted.");
        assertThat(jobs.resends()).isEmpty();
    }

    @Test
    void a_cancelled_job_makes_nothing_more_and_counts_what_it_made() {
        jobs.ended(DeliveryStatus.FAILED, 25);
        var job = jobs.job(25, DeliveryStatus.FAILED);
        try (var proxy = TcpProxy.to(jobs.database.host(), jobs.database.port());
                var way = through(proxy)) {
            var killed = jobs.process(way, TENS);
            proxy.dieAtCommit(7, Cut.BEFORE_COMMIT, () -> {}, () -> {}); // its chunk is not counted
            assertThatThrownBy(killed::run).isInstanceOf(DbException.class);
        }
        assertThat(jobs.cancel(job)).isPresent();
        assertThat(jobs.cancel(job)).isEmpty();
        jobs.endLeases();

        rounds(jobs.process(TENS), 3);

        assertThat(jobs.now(job).status()).isEqualTo(Replay.Status.CANCELLED);
        assertThat(jobs.now(job).created()).isEqualTo(10);
        assertThat(jobs.resends()).hasSize(10);
        assertThat(conservation()).matches(Report::isClean);
    }

    @Test
    void what_somebody_else_resent_meanwhile_is_skipped() {
        var events = jobs.ended(DeliveryStatus.FAILED, 25);
        var job = jobs.job(25, DeliveryStatus.FAILED);
        jobs.clock.advance(Duration.ofSeconds(1));
        jobs.resend(events.subList(8, 12));

        rounds(jobs.process(TENS), 5);

        eachOnce(events);
        isDone(job, 21, 4);
    }

    @Test
    void what_is_past_its_retention_is_left_out_and_counts_as_skipped() {
        jobs.ended(
                DeliveryStatus.FAILED,
                Jobs.RETENTION.expiredAt(jobs.clock.instant()).plusSeconds(60),
                5);
        var events = jobs.ended(DeliveryStatus.FAILED, 15);
        var job = jobs.job(20, DeliveryStatus.FAILED);
        jobs.clock.advance(Duration.ofMinutes(2));

        rounds(jobs.process(TENS), 5);

        eachOnce(events);
        isDone(job, 15, 5);
    }

    @Test
    void what_succeeded_is_resent_when_it_was_asked_for() {
        var events = jobs.ended(DeliveryStatus.SUCCEEDED, 25);
        var failed = jobs.ended(DeliveryStatus.FAILED, 10);
        var job = jobs.job(25, DeliveryStatus.SUCCEEDED);

        rounds(jobs.process(TENS), 6);

        eachOnce(events);
        assertThat(jobs.resends()).doesNotContainKeys(failed.toArray(EventId[]::new));
        isDone(job, 25, 0);
    }

    @Test
    void a_job_asks_for_succeeded_and_repeats_its_chunk_without_doubles() {
        var events = jobs.ended(DeliveryStatus.SUCCEEDED, 25);
        var job = jobs.job(25, DeliveryStatus.SUCCEEDED, DeliveryStatus.FAILED);
        try (var proxy = TcpProxy.to(jobs.database.host(), jobs.database.port());
                var way = through(proxy)) {
            var killed = jobs.process(way, TENS);
            proxy.dieAtCommit(7, Cut.BEFORE_COMMIT, () -> {}, () -> {});
            assertThatThrownBy(killed::run).isInstanceOf(DbException.class);
        }
        jobs.endLeases();

        rounds(jobs.process(TENS), 6);

        eachOnce(events);
        isDone(job, 25, 0);
    }

    @Test
    void an_event_that_was_resent_too_often_is_skipped() {
        var events = jobs.ended(DeliveryStatus.FAILED, 3);
        jobs.db.run(tx ->
                tx.update(
                        """
                        insert into delivery (id, finished_at, source_id, connection_id, status, trigger, attempts)
                        values (?, ?, ?, ?, 4, 2, 1)
                        """,
                        DeliveryId.lastOf(events.get(1)),
                        Some.NOON,
                        jobs.source.value(),
                        jobs.connection.value()));
        var job = jobs.job(3, DeliveryStatus.FAILED);

        rounds(jobs.process(TENS), 2);

        isDone(job, 2, 1);
    }

    @Test
    void dead_letters_of_other_connections_are_passed_over() {
        var other = jobs.given.connection(jobs.source, jobs.given.destination("b.example", 4));
        var events = jobs.ended(DeliveryStatus.FAILED, 12);
        Ended.events(
                jobs.db,
                jobs.source,
                other,
                DeliveryStatus.FAILED,
                jobs.clock.instant().minusSeconds(59),
                5_500);
        var late = jobs.ended(DeliveryStatus.FAILED, jobs.clock.instant().minusSeconds(50), 3);
        var job = jobs.job(15, DeliveryStatus.FAILED);

        rounds(jobs.process(TENS), 6);

        eachOnce(Stream.concat(events.stream(), late.stream()).toList());
        isDone(job, 15, 0);
    }

    @Test
    void jobs_take_turns_and_one_that_fails_keeps_none_of_the_others() {
        jobs.ended(DeliveryStatus.FAILED, 15);
        var broken = jobs.job(15, DeliveryStatus.FAILED);
        long most = Long.MAX_VALUE; // nothing can be added to that
        jobs.db.run(tx -> tx.update("update replay_job set created = ?", most));
        jobs.ended(DeliveryStatus.EXHAUSTED, 15);
        var whole = jobs.job(15, DeliveryStatus.EXHAUSTED);

        rounds(jobs.process(TENS), 4);

        isDone(whole, 15, 0);
        assertThat(jobs.now(broken).created()).isEqualTo(most);
    }

    @Test
    void finished_jobs_are_forgotten_after_thirty_days() {
        jobs.ended(DeliveryStatus.FAILED, 5);
        var job = jobs.job(5, DeliveryStatus.FAILED);
        var process = jobs.process(TENS);
        rounds(process, 2);

        jobs.clock.advance(Duration.ofDays(30));
        rounds(process, 1);
        isDone(job, 5, 0);
        jobs.clock.advance(Duration.ofHours(2));
        rounds(process, 1);

        long left = jobs.db.call(tx -> ReplayStore.count(tx, job.workspace()));
        assertThat(left).isZero();
    }

    private static void rounds(Replaying process, int count) {
        for (int i = 0; i < count; i++) {
            process.run();
        }
    }

    private void eachOnce(List<EventId> events) {
        assertThat(jobs.resends().keySet()).containsExactlyInAnyOrderElementsOf(events);
        assertThat(jobs.resends().values()).containsOnly(1L);
    }

    private void isDone(Replay job, int created, int skipped) {
        var now = jobs.now(job);
        assertThat(now.status()).isEqualTo(Replay.Status.COMPLETED);
        assertThat(now.created()).as("created").isEqualTo(created);
        assertThat(now.skipped()).as("skipped").isEqualTo(skipped);
        assertThat(now.finishedAt()).isPresent();
    }

    private Report conservation() {
        return Conservation.check(jobs.db, Some.NOON.minus(Duration.ofHours(1)), Some.NOON);
    }
}
