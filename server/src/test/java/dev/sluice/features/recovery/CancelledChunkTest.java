package dev.sluice.features.recovery;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sluice.engine.DeliveryStatus;
import dev.sluice.engine.EventId;
import dev.sluice.engine.commit.ResendStore;
import dev.sluice.features.audit.DatabaseAuditor;
import dev.sluice.testkit.Some;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.ResourceLock;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;

/// Tests a chunk that takes longer than its lease. Its job is cancelled meanwhile, and another
/// process counts the resends and closes the job.
@ResourceLock(ReplayFixture.RESOURCE_LOCK)
class CancelledChunkTest {

    private static final ReplayWorker.ReplayLimits CHUNKS_OF_TEN =
            new ReplayWorker.ReplayLimits(10, 1_000);

    private final CountDownLatch isLocked = new CountDownLatch(1);
    private final CountDownLatch mayGoOn = new CountDownLatch(1);

    private ReplayFixture fixture;
    private List<EventId> events;
    private Replay job;

    @BeforeEach
    void open() {
        fixture = new ReplayFixture();
        events = fixture.ended(DeliveryStatus.FAILED, 25);
        job = fixture.job(25, DeliveryStatus.FAILED);
    }

    @AfterEach
    void close() {
        mayGoOn.countDown();
        fixture.close();
    }

    @Test
    void a_chunk_under_way_when_its_job_is_cancelled_is_counted() throws InterruptedException {
        // the last event of the chunk, so the chunk locks the others first
        var holdUp = lockFor(events.get(9));
        var slow = start(fixture.worker(CHUNKS_OF_TEN)::run);
        awaitWaiting(1);
        fixture.cancel(job);
        fixture.endLeases();
        var closing = start(fixture.worker(CHUNKS_OF_TEN)::run);
        await().until(() -> closing.isDone() || waiting() == 2);

        mayGoOn.countDown();
        CompletableFuture.allOf(holdUp, slow, closing).join();

        assertThat(fixture.resends()).hasSize(10);
        assertThat(fixture.reload(job).progress().created()).isEqualTo(10);
        assertThat(isConserved()).isTrue();
    }

    @Test
    void a_job_that_is_cancelled_after_it_was_leased_makes_nothing_more() {
        var worker = fixture.worker(fixture.db, CHUNKS_OF_TEN, () -> fixture.cancel(job));

        worker.run();
        worker.run();

        assertThat(fixture.resends()).isEmpty();
        assertThat(fixture.reload(job).state().status()).isEqualTo(Replay.ReplayStatus.CANCELLED);
        assertThat(owners()).as("it is closed").isZero();
    }

    @Test
    void a_cancelled_job_whose_last_chunk_cannot_be_counted_is_closed_in_the_end() {
        var worker = fixture.worker(CHUNKS_OF_TEN);
        worker.run();
        fixture.cancel(job);
        fixture.db.run(tx -> tx.update("alter table delivery rename to delivery_away"));
        try {
            for (int i = 0; i < 30; i++) {
                assertThat(owners()).as("after %d rounds", i).isOne();
                worker.run();
                fixture.clock.advance(Duration.ofSeconds(1));
            }
        } finally {
            fixture.db.run(tx -> tx.update("alter table delivery_away rename to delivery"));
        }

        assertThat(owners()).isZero();
        assertThat(fixture.reload(job).progress().created()).isEqualTo(10);
    }

    /// The number of jobs that a process still has to work on or to close.
    private long owners() {
        return fixture.db.call(tx ->
                tx.single(
                        "select count(owner) as n from replay_job where id = ?",
                        row -> row.number("n"),
                        job.id()));
    }

    @Test
    void a_chunk_that_begins_after_its_lease_makes_nothing() throws InterruptedException {
        var holdUp = lockFor(events.getFirst());
        var slow = start(fixture.worker(CHUNKS_OF_TEN)::run);
        awaitWaiting(1);
        fixture.cancel(job);
        fixture.endLeases();
        fixture.nanos.addAndGet(Duration.ofSeconds(10).toNanos());

        mayGoOn.countDown();
        CompletableFuture.allOf(holdUp, slow).join();
        fixture.worker(CHUNKS_OF_TEN).run();

        assertThat(fixture.resends()).isEmpty();
        assertThat(fixture.reload(job).progress().created()).isZero();
        assertThat(isConserved()).isTrue();
    }

    @Test
    void a_chunk_that_was_too_late_is_made_in_a_later_round() throws InterruptedException {
        var holdUp = lockFor(events.getFirst());
        var worker = fixture.worker(CHUNKS_OF_TEN);
        var slow = start(worker::run);
        awaitWaiting(1);
        fixture.nanos.addAndGet(Duration.ofSeconds(10).toNanos());
        mayGoOn.countDown();
        CompletableFuture.allOf(holdUp, slow).join();
        assertThat(fixture.resends()).isEmpty();
        fixture.clock.advance(Duration.ofSeconds(1));

        worker.run();

        assertThat(fixture.reload(job).progress().created()).isEqualTo(10);
    }

    /// Runs a transaction that keeps the event locked until the test ends it.
    private CompletableFuture<Void> lockFor(EventId event) throws InterruptedException {
        var lock =
                start(() ->
                        fixture.db.run(tx -> {
                            tx.update("set local idle_in_transaction_session_timeout = 0");
                            ResendStore.lockEvents(tx, fixture.source, List.of(event));
                            isLocked.countDown();
                            awaitLeave();
                        }));
        isLocked.await();
        return lock;
    }

    /// Runs the work on a thread of its own, because the common pool may have only one.
    private static CompletableFuture<Void> start(Runnable work) {
        return CompletableFuture.runAsync(work, Thread::startVirtualThread);
    }

    private void awaitLeave() {
        try {
            mayGoOn.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void awaitWaiting(int count) {
        await().until(() -> waiting() == count);
    }

    /// The number of sessions that wait for a lock.
    private int waiting() {
        return fixture.db.call(tx ->
                tx.single(
                        """
                        select count(*)::integer as n
                          from pg_stat_activity
                         where datname = current_database() and wait_event_type = 'Lock'
                        """,
                        row -> row.integer("n")));
    }

    private boolean isConserved() {
        return DatabaseAuditor.check(fixture.db, Some.NOON.minus(Duration.ofHours(1)), Some.NOON)
                .isClean();
    }
}
