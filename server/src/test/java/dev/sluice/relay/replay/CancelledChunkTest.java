package dev.sluice.relay.replay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sluice.observe.audit.Conservation;
import dev.sluice.relay.DeliveryStatus;
import dev.sluice.relay.EventId;
import dev.sluice.relay.store.ResendStore;
import dev.sluice.testkit.Some;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.ResourceLock;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;

/// A chunk that takes longer than its lease, of a job that is cancelled meanwhile, while another
/// process counts what was made and closes the job.
@ResourceLock(Jobs.ROOM)
class CancelledChunkTest {

    private static final Replaying.Sizes TENS = new Replaying.Sizes(10, 1_000);
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private final CountDownLatch isLocked = new CountDownLatch(1);
    private final CountDownLatch mayGoOn = new CountDownLatch(1);

    private Jobs jobs;
    private List<EventId> events;
    private Replay job;

    @BeforeEach
    void open() {
        jobs = new Jobs();
        events = jobs.ended(DeliveryStatus.FAILED, 25);
        job = jobs.job(25, DeliveryStatus.FAILED);
    }

    @AfterEach
    void close() {
        mayGoOn.countDown();
        jobs.close();
    }

    @Test
    void a_chunk_under_way_when_its_job_is_cancelled_is_counted() throws InterruptedException {
        var holdUp = lockFor(events.get(9)); // the last of the chunk: the others get locked by it
        var slow = start(jobs.process(TENS)::run);
        awaitWaiting(1);
        jobs.cancel(job);
        jobs.endLeases();
        var closing = start(jobs.process(TENS)::run);
        await().atMost(PATIENCE).until(() -> closing.isDone() || waiting() == 2);

        mayGoOn.countDown();
        CompletableFuture.allOf(holdUp, slow, closing).join();

        assertThat(jobs.resends()).hasSize(10);
        assertThat(jobs.now(job).created()).isEqualTo(10);
        assertThat(isClean()).isTrue();
    }

    @Test
    void a_chunk_that_begins_after_its_lease_makes_nothing() throws InterruptedException {
        var holdUp = lockFor(events.getFirst());
        var slow = start(jobs.process(TENS)::run);
        awaitWaiting(1);
        jobs.cancel(job);
        jobs.endLeases();
        jobs.nanos.addAndGet(Duration.ofSeconds(10).toNanos());

        mayGoOn.countDown();
        CompletableFuture.allOf(holdUp, slow).join();
        jobs.process(TENS).run();

        assertThat(jobs.resends()).isEmpty();
        assertThat(jobs.now(job).created()).isZero();
        assertThat(isClean()).isTrue();
    }

    @Test
    void a_chunk_that_was_too_late_is_made_in_a_later_round() throws InterruptedException {
        var holdUp = lockFor(events.getFirst());
        var process = jobs.process(TENS);
        var slow = start(process::run);
        awaitWaiting(1);
        jobs.nanos.addAndGet(Duration.ofSeconds(10).toNanos());
        mayGoOn.countDown();
        CompletableFuture.allOf(holdUp, slow).join();
        assertThat(jobs.resends()).isEmpty();
        jobs.clock.advance(Duration.ofSeconds(1));

        process.run();

        assertThat(jobs.now(job).created()).isEqualTo(10);
    }

    /// A transaction that keeps the event locked until the test lets it go.
    private CompletableFuture<Void> lockFor(EventId event) throws InterruptedException {
        var lock =
                start(() ->
                        jobs.db.run(tx -> {
                            tx.update("set local idle_in_transaction_session_timeout = 0");
                            ResendStore.lock(tx, jobs.source, List.of(event));
                            isLocked.countDown();
                            awaitLeave();
                        }));
        isLocked.await();
        return lock;
    }

    /// On a thread of its own: the common pool may have one for all.
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
        await().atMost(PATIENCE).until(() -> waiting() == count);
    }

    /// Who waits for a lock.
    private int waiting() {
        return jobs.db.call(tx ->
                tx.single(
                        """
                        select count(*)::integer as n
                          from pg_stat_activity
                         where datname = current_database() and wait_event_type = 'Lock'
                        """,
                        row -> row.integer("n")));
    }

    private boolean isClean() {
        return Conservation.check(jobs.db, Some.NOON.minus(Duration.ofHours(1)), Some.NOON)
                .isClean();
    }
}
