package dev.sluice.features.recovery;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.engine.DeliveryId;
import dev.sluice.engine.DeliveryStatus;
import dev.sluice.engine.EventId;
import dev.sluice.features.audit.AuditReport;
import dev.sluice.features.audit.DatabaseAuditor;
import dev.sluice.features.recovery.ReplayWorker.ReplayLimits;
import dev.sluice.platform.db.DbException;
import dev.sluice.platform.http.ApiException;
import dev.sluice.testkit.FinishedEvents;
import dev.sluice.testkit.GivenRows;
import dev.sluice.testkit.PostgresProxy;
import dev.sluice.testkit.PostgresProxy.CommitCut;
import dev.sluice.testkit.RowRefusal;
import dev.sluice.testkit.Some;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;

/// Tests the rounds of replay jobs; the test runs each round itself.
@ResourceLock(ReplayFixture.RESOURCE_LOCK)
class ReplayWorkerTest {

    private static final ReplayLimits CHUNKS_OF_TEN = new ReplayLimits(10, 1_000);

    private ReplayFixture fixture;

    @BeforeEach
    void open() {
        fixture = new ReplayFixture();
    }

    @AfterEach
    void close() {
        fixture.close();
    }

    @Test
    void a_job_resends_each_event_once_in_chunks() {
        var events = fixture.ended(DeliveryStatus.EXHAUSTED, 25);
        fixture.ended(DeliveryStatus.FAILED, 5);
        var job = fixture.job(25, DeliveryStatus.EXHAUSTED);
        var worker = fixture.worker(CHUNKS_OF_TEN);

        assertThat(worker.run()).as("there is more").isTrue();
        assertThat(fixture.reload(job).progress().created()).isEqualTo(10);
        rounds(worker, 3);

        assertEachResentOnce(events);
        assertCompleted(job, 25, 0);
        assertThat(conservation()).matches(AuditReport::isClean);
    }

    @Test
    void a_workspace_with_two_thousand_jobs_that_rest_delays_no_other() {
        fixture.ended(DeliveryStatus.EXHAUSTED, 240);
        var greedy = fixture.given.connection(fixture.source, fixture.given.destination("b", 4));
        FinishedEvents.insert(
                fixture.db,
                fixture.source,
                greedy,
                DeliveryStatus.FAILED,
                fixture.clock.instant().minusSeconds(60),
                100);
        fixture.clone(
                fixture.filteredJob(List.of(greedy), 100, Optional.empty(), Optional.of(1)),
                2_000,
                Some.id());
        var job = fixture.job(240, DeliveryStatus.EXHAUSTED);
        var worker = fixture.worker(new ReplayLimits(100, 1_000));

        for (int round = 0; round < 3; round++) {
            worker.run();
            fixture.clock.advance(Duration.ofSeconds(1));
        }

        assertThat(fixture.reload(job).progress().created()).isEqualTo(240);
    }

    @Test
    void a_workspace_has_ten_unfinished_jobs_and_a_thousand_finished_ones() {
        fixture.ended(DeliveryStatus.FAILED, 1);
        var first = fixture.job(1, DeliveryStatus.FAILED);
        fixture.clone(first, ReplayStore.MAX_UNFINISHED - 1, first.workspace());
        var next = fixture.unstarted(DeliveryStatus.FAILED);
        assertThatThrownBy(() -> fixture.start(next))
                .isInstanceOf(ApiException.class)
                .hasMessageContaining("at most 10 replays");

        fixture.db.run(tx ->
                tx.update("update replay_job set status = 'completed', finished_at = created_at"));
        fixture.clone(fixture.reload(first), 1_100, first.workspace());
        fixture.start(next);

        long left =
                fixture.db.call(tx ->
                        tx.single("select count(*) as n from replay_job", row -> row.number("n")));
        assertThat(left).isEqualTo(ReplayStore.MAX_FINISHED + 1L);
    }

    @Test
    void a_least_number_grows_with_what_is_found_and_is_exact_at_the_end() {
        fixture.ended(DeliveryStatus.FAILED, 25);
        var job =
                fixture.job(
                        new ResendEstimate(5, false, List.of()),
                        fixture.clock.instant(),
                        DeliveryStatus.FAILED);
        var worker = fixture.worker(CHUNKS_OF_TEN);

        worker.run();
        assertThat(fixture.reload(job).progress().planned()).isEqualTo(10);
        assertThat(fixture.reload(job).progress().isExact()).isFalse();
        rounds(worker, 3);

        assertCompleted(job, 25, 0);
        assertThat(fixture.reload(job).progress().planned()).isEqualTo(25);
        assertThat(fixture.reload(job).progress().isExact()).isTrue();
    }

    @Test
    void a_cancelled_job_that_was_not_seen_whole_keeps_a_least_number() {
        fixture.ended(DeliveryStatus.FAILED, 25);
        var job =
                fixture.job(
                        new ResendEstimate(5, false, List.of()),
                        fixture.clock.instant(),
                        DeliveryStatus.FAILED);
        var worker = fixture.worker(CHUNKS_OF_TEN);
        worker.run();
        fixture.cancel(job);

        rounds(worker, 2);

        assertThat(fixture.reload(job).progress().planned()).isEqualTo(10);
        assertThat(fixture.reload(job).progress().isExact()).isFalse();
    }

    /// Cuts each commit of a round: cleanup, listing open jobs, lease, count of waiting resends,
    /// page, chunk, position, wake hint; then those of the next round.
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
            int commit, CommitCut cut) {
        var events = fixture.ended(DeliveryStatus.FAILED, 25);
        var job = fixture.job(25, DeliveryStatus.FAILED);
        try (var proxy = PostgresProxy.to(fixture.database);
                var way = ReplayFixture.through(proxy)) {
            var killed = fixture.worker(way, CHUNKS_OF_TEN);
            proxy.killAtCommit(commit, cut, () -> {}, () -> {});
            assertThatThrownBy(() -> rounds(killed, 10)).isInstanceOf(DbException.class);
        }
        var heir = fixture.worker(CHUNKS_OF_TEN);

        rounds(heir, 5);
        assertThat(fixture.reload(job).state().status())
                .as("while the lease holds")
                .isEqualTo(Replay.ReplayStatus.RUNNING);
        fixture.endLeases();
        rounds(heir, 5);

        assertEachResentOnce(events);
        assertCompleted(job, 25, 0);
        assertThat(conservation()).matches(AuditReport::isClean);
    }

    @Test
    void a_job_goes_on_when_the_clock_was_set_back_since_its_owner_died() {
        var events = fixture.ended(DeliveryStatus.FAILED, 15);
        var job = fixture.job(15, DeliveryStatus.FAILED);
        rounds(fixture.worker(CHUNKS_OF_TEN), 1);
        fixture.db.run(
                tx -> tx.update("update replay_job set lease_until = now() + interval '10 days'"));

        rounds(fixture.worker(CHUNKS_OF_TEN), 5);

        assertEachResentOnce(events);
        assertCompleted(job, 15, 0);
    }

    @Test
    void two_who_believe_to_hold_a_job_make_each_resend_once() {
        var events = fixture.ended(DeliveryStatus.FAILED, 200);
        var job = fixture.job(200, DeliveryStatus.FAILED);
        var one = fixture.worker(CHUNKS_OF_TEN);
        var other = fixture.worker(CHUNKS_OF_TEN);

        var first = CompletableFuture.runAsync(() -> runUntilDone(one, job));
        var second = CompletableFuture.runAsync(() -> runUntilDone(other, job));
        while (fixture.reload(job).state().status() == Replay.ReplayStatus.RUNNING) {
            fixture.endLeases();
        }
        first.join();
        second.join();

        assertEachResentOnce(events);
        assertCompleted(job, 200, 0);
        assertThat(conservation()).matches(AuditReport::isClean);
    }

    private void runUntilDone(ReplayWorker worker, Replay job) {
        while (fixture.reload(job).state().status() == Replay.ReplayStatus.RUNNING) {
            worker.run();
        }
    }

    @Test
    void a_process_that_stops_lets_another_go_on_at_once() {
        var events = fixture.ended(DeliveryStatus.FAILED, 15);
        var job = fixture.job(15, DeliveryStatus.FAILED);
        var stopped = fixture.worker(CHUNKS_OF_TEN);
        stopped.run();

        stopped.releaseLeases();
        rounds(fixture.worker(CHUNKS_OF_TEN), 3);

        assertEachResentOnce(events);
        assertCompleted(job, 15, 0);
    }

    @Test
    void a_job_rests_while_as_many_resends_wait_as_may() {
        var events = fixture.ended(DeliveryStatus.FAILED, 60);
        var job = fixture.job(60, DeliveryStatus.FAILED);
        var worker = fixture.worker(new ReplayLimits(10, 30));

        rounds(worker, 10);

        assertThat(fixture.reload(job).progress().created()).isEqualTo(30);
        assertThat(fixture.reload(job).state().reason())
                .hasValue(
                        "Throttled: at most 30 resends of the connection may wait. The replay"
                                + " continues as they are delivered.");
        fixture.deliverAll();
        fixture.clock.advance(Duration.ofSeconds(1));
        rounds(worker, 1);
        assertThat(fixture.reload(job).state().reason()).isEmpty();
        rounds(worker, 9);
        assertThat(fixture.reload(job).progress().created()).isEqualTo(60);
        assertThat(fixture.resends().keySet())
                .containsExactlyInAnyOrderElementsOf(events.subList(30, 60));
    }

    @Test
    void what_holds_a_job_lets_it_go_on_later() {
        var events = fixture.ended(DeliveryStatus.FAILED, 15);
        var job = fixture.job(15, DeliveryStatus.FAILED);

        fixture.given.enabled(fixture.connection, false);
        rounds(fixture.worker(CHUNKS_OF_TEN), 2);
        assertThat(fixture.reload(job).state().reason())
                .hasValue(
                        "Held: the connection is disabled. The replay continues when the"
                                + " connection is enabled again.");
        fixture.endLeases();
        fixture.given.enabled(fixture.connection, true);
        fixture.given.trashed(fixture.source);
        rounds(fixture.worker(CHUNKS_OF_TEN), 2);
        assertThat(fixture.reload(job).state().reason())
                .hasValue(
                        "Held: the source is in the trash. The replay continues when the source is"
                                + " restored.");
        assertThat(fixture.resends()).isEmpty();
        fixture.endLeases();
        fixture.given.restored(fixture.source);
        fixture.given.paused(fixture.source, true);
        rounds(fixture.worker(CHUNKS_OF_TEN), 3);

        assertEachResentOnce(events);
        assertCompleted(job, 15, 0);
        assertThat(fixture.reload(job).state().reason()).isEmpty();
    }

    @Test
    void refusals_that_pass_never_end_a_job() {
        var events = fixture.ended(DeliveryStatus.FAILED, 15);
        var job = fixture.job(15, DeliveryStatus.FAILED);
        var worker = fixture.worker(CHUNKS_OF_TEN);
        try (var _ = RowRefusal.of(fixture.db, "delivery_work", "true", "55P03")) {
            for (int i = 0; i < 40; i++) {
                worker.run();
                fixture.clock.advance(Duration.ofSeconds(2));
            }
        }
        assertThat(fixture.reload(job).state().status()).isEqualTo(Replay.ReplayStatus.RUNNING);

        runUntilDone(worker, job);

        assertEachResentOnce(events);
    }

    @Test
    void a_deletion_ends_a_job() {
        fixture.ended(DeliveryStatus.FAILED, 15);
        var job = fixture.job(15, DeliveryStatus.FAILED);
        fixture.worker(CHUNKS_OF_TEN).run();
        fixture.endLeases();
        fixture.given.deleted(fixture.connection);

        rounds(fixture.worker(CHUNKS_OF_TEN), 3);

        var ended = fixture.reload(job);
        assertThat(ended.state().status()).isEqualTo(Replay.ReplayStatus.FAILED);
        assertThat(ended.state().reason()).hasValue("Stopped: the connection was deleted.");
        assertThat(ended.progress().created()).isEqualTo(10);
        assertThat(ended.state().finishedAt()).hasValue(fixture.clock.instant());
        assertThat(fixture.resends()).hasSize(10);
    }

    @Test
    void the_deletion_of_its_destination_ends_a_job() {
        fixture.ended(DeliveryStatus.FAILED, 15);
        var job = fixture.job(15, DeliveryStatus.FAILED);
        fixture.given.deleted(fixture.destination);

        rounds(fixture.worker(CHUNKS_OF_TEN), 3);

        assertThat(fixture.reload(job).state().reason())
                .hasValue("Stopped: the destination was deleted.");
        assertThat(fixture.resends()).isEmpty();
    }

    @Test
    void a_cancelled_job_makes_nothing_more_and_counts_what_it_made() {
        fixture.ended(DeliveryStatus.FAILED, 25);
        var job = fixture.job(25, DeliveryStatus.FAILED);
        try (var proxy = PostgresProxy.to(fixture.database);
                var way = ReplayFixture.through(proxy)) {
            var killed = fixture.worker(way, CHUNKS_OF_TEN);
            proxy.killAtCommit(5, CommitCut.BEFORE_COMMIT, () -> {}, () -> {});
            assertThatThrownBy(killed::run).isInstanceOf(DbException.class);
        }
        assertNothingIsCounted(job);
        assertThat(fixture.cancel(job)).isPresent();
        assertThat(fixture.cancel(job)).isEmpty();
        fixture.endLeases();

        rounds(fixture.worker(CHUNKS_OF_TEN), 3);

        assertThat(fixture.reload(job).state().status()).isEqualTo(Replay.ReplayStatus.CANCELLED);
        assertThat(fixture.reload(job).progress().created()).isEqualTo(10);
        assertThat(fixture.resends()).hasSize(10);
        assertThat(conservation()).matches(AuditReport::isClean);
    }

    @Test
    void what_somebody_else_resent_meanwhile_is_skipped() {
        var events = fixture.ended(DeliveryStatus.FAILED, 25);
        var job = fixture.job(25, DeliveryStatus.FAILED);
        fixture.clock.advance(Duration.ofSeconds(1));
        fixture.resend(events.subList(8, 12));

        rounds(fixture.worker(CHUNKS_OF_TEN), 5);

        assertEachResentOnce(events);
        assertCompleted(job, 21, 4);
    }

    @Test
    void what_is_past_its_retention_is_left_out_and_counts_as_skipped() {
        fixture.ended(
                DeliveryStatus.FAILED,
                ReplayFixture.RETENTION.expiryCutoff(fixture.clock.instant()).plusSeconds(60),
                5);
        var events = fixture.ended(DeliveryStatus.FAILED, 15);
        var job = fixture.job(20, DeliveryStatus.FAILED);
        fixture.clock.advance(Duration.ofMinutes(2));

        rounds(fixture.worker(CHUNKS_OF_TEN), 5);

        assertEachResentOnce(events);
        assertCompleted(job, 15, 5);
    }

    @Test
    void what_succeeded_is_resent_when_it_was_asked_for() {
        var events = fixture.ended(DeliveryStatus.SUCCEEDED, 25);
        var failed = fixture.ended(DeliveryStatus.FAILED, 10);
        var job = fixture.job(25, DeliveryStatus.SUCCEEDED);

        rounds(fixture.worker(CHUNKS_OF_TEN), 6);

        assertEachResentOnce(events);
        assertThat(fixture.resends()).doesNotContainKeys(failed.toArray(EventId[]::new));
        assertCompleted(job, 25, 0);
    }

    @Test
    void a_job_asks_for_succeeded_and_repeats_its_chunk_without_doubles() {
        var events = fixture.ended(DeliveryStatus.SUCCEEDED, 25);
        var job = fixture.job(25, DeliveryStatus.SUCCEEDED, DeliveryStatus.FAILED);
        try (var proxy = PostgresProxy.to(fixture.database);
                var way = ReplayFixture.through(proxy)) {
            var killed = fixture.worker(way, CHUNKS_OF_TEN);
            proxy.killAtCommit(5, CommitCut.BEFORE_COMMIT, () -> {}, () -> {});
            assertThatThrownBy(killed::run).isInstanceOf(DbException.class);
        }
        assertNothingIsCounted(job);
        fixture.endLeases();

        rounds(fixture.worker(CHUNKS_OF_TEN), 6);

        assertEachResentOnce(events);
        assertCompleted(job, 25, 0);
    }

    @Test
    void an_event_that_was_resent_too_often_is_skipped() {
        var events = fixture.ended(DeliveryStatus.FAILED, 3);
        var last =
                new GivenRows.DeliveryRow(
                        DeliveryId.of(events.get(1), DeliveryId.MAX_ORDINAL),
                        fixture.source,
                        fixture.connection,
                        DeliveryStatus.FAILED,
                        Some.NOON);
        fixture.db.run(tx -> GivenRows.insertDeliveries(tx, List.of(last)));
        var job = fixture.job(3, DeliveryStatus.FAILED);

        rounds(fixture.worker(CHUNKS_OF_TEN), 2);

        assertCompleted(job, 2, 1);
    }

    @Test
    void dead_letters_of_other_connections_are_passed_over() {
        var other =
                fixture.given.connection(fixture.source, fixture.given.destination("b.example", 4));
        var events = fixture.ended(DeliveryStatus.FAILED, 12);
        FinishedEvents.insert(
                fixture.db,
                fixture.source,
                other,
                DeliveryStatus.FAILED,
                fixture.clock.instant().minusSeconds(59),
                5_500);
        var late =
                fixture.ended(DeliveryStatus.FAILED, fixture.clock.instant().minusSeconds(50), 3);
        var job = fixture.job(15, DeliveryStatus.FAILED);

        rounds(fixture.worker(CHUNKS_OF_TEN), 6);

        assertEachResentOnce(Stream.concat(events.stream(), late.stream()).toList());
        assertCompleted(job, 15, 0);
    }

    @Test
    void jobs_take_turns_and_one_that_fails_keeps_none_of_the_others() {
        fixture.ended(DeliveryStatus.FAILED, 15);
        var broken = fixture.job(15, DeliveryStatus.FAILED);
        long most = Long.MAX_VALUE; // nothing can be added to that
        fixture.db.run(tx -> tx.update("update replay_job set created = ?", most));
        fixture.ended(DeliveryStatus.EXHAUSTED, 15);
        var whole = fixture.job(15, DeliveryStatus.EXHAUSTED);

        rounds(fixture.worker(CHUNKS_OF_TEN), 4);

        assertCompleted(whole, 15, 0);
        assertThat(fixture.reload(broken).progress().created()).isEqualTo(most);
    }

    @Test
    void finished_jobs_are_forgotten_after_thirty_days() {
        fixture.ended(DeliveryStatus.FAILED, 5);
        var job = fixture.job(5, DeliveryStatus.FAILED);
        var worker = fixture.worker(CHUNKS_OF_TEN);
        rounds(worker, 2);

        fixture.clock.advance(Duration.ofDays(30));
        rounds(worker, 1);
        assertCompleted(job, 5, 0);
        fixture.clock.advance(Duration.ofHours(2));
        rounds(worker, 1);

        long left = fixture.db.call(tx -> ReplayStore.count(tx, job.workspace(), ""));
        assertThat(left).isZero();
    }

    private static void rounds(ReplayWorker worker, int count) {
        for (int i = 0; i < count; i++) {
            worker.run();
        }
    }

    /// A chunk was created; its process was killed before it counted it.
    private void assertNothingIsCounted(Replay job) {
        assertThat(fixture.resends()).hasSize(10);
        assertThat(fixture.reload(job).progress().created()).isZero();
    }

    private void assertEachResentOnce(List<EventId> events) {
        assertThat(fixture.resends().keySet()).containsExactlyInAnyOrderElementsOf(events);
        assertThat(fixture.resends().values()).containsOnly(1L);
    }

    private void assertCompleted(Replay job, int created, int skipped) {
        var now = fixture.reload(job);
        assertThat(now.state().status()).isEqualTo(Replay.ReplayStatus.COMPLETED);
        assertThat(now.progress().created()).as("created").isEqualTo(created);
        assertThat(now.progress().skipped()).as("skipped").isEqualTo(skipped);
        assertThat(now.state().finishedAt()).isPresent();
    }

    private AuditReport conservation() {
        return DatabaseAuditor.check(fixture.db, Some.NOON.minus(Duration.ofHours(1)), Some.NOON);
    }
}
