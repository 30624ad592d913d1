package dev.sluice.features.streams;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sluice.account.workspace.WorkspaceId;
import dev.sluice.features.streams.StreamWorkLimiter.StreamTurn;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Optional;
import java.util.Queue;
import java.util.UUID;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

class StreamWorkLimiterTest {

    private static final Duration LONG = Duration.ofSeconds(20);
    private static final Duration MAX_WAIT = Duration.ofSeconds(10);

    private static final WorkspaceId WORKSPACE = new WorkspaceId(new UUID(0, 1));
    private static final WorkspaceId OTHER = new WorkspaceId(new UUID(0, 2));

    private record DelayedTask(Runnable task, long nanos) {}

    private final AtomicLong clock = new AtomicLong();
    private final Queue<DelayedTask> delayed = new ArrayDeque<>();
    private final StreamWorkLimiter limiter =
            new StreamWorkLimiter(
                    1,
                    0.25,
                    MAX_WAIT,
                    clock::get,
                    (task, nanos) -> delayed.add(new DelayedTask(task, nanos)));

    @AutoClose private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();

    private StreamWorkLimiter.WorkPermit permit() throws InterruptedException {
        return limiter.acquire(limiter.newTurn(WORKSPACE), clock.get(), Duration.ZERO)
                .orElseThrow();
    }

    /// Starts a stream that waits for a permit, and returns once it is waiting.
    private Future<Optional<StreamWorkLimiter.WorkPermit>> waiter() {
        return waiter(limiter.newTurn(WORKSPACE));
    }

    private Future<Optional<StreamWorkLimiter.WorkPermit>> waiter(StreamTurn turn) {
        int before = limiter.waiting();
        long since = clock.get();
        var waiter = threads.submit(() -> limiter.acquire(turn, since, LONG));
        await().until(() -> limiter.waiting() > before);
        return waiter;
    }

    private void work(StreamWorkLimiter.WorkPermit permit, long millis) {
        clock.addAndGet(TimeUnit.MILLISECONDS.toNanos(millis));
        permit.close();
    }

    private void endRest() {
        var rest = delayed.remove();
        clock.addAndGet(rest.nanos());
        rest.task().run();
    }

    @Test
    void one_permit_lets_one_stream_work_at_a_time() throws InterruptedException {
        var first = permit();

        assertThat(limiter.acquire(limiter.newTurn(WORKSPACE), clock.get(), Duration.ZERO))
                .isEmpty();

        first.close();
        assertThat(limiter.acquire(limiter.newTurn(WORKSPACE), clock.get(), Duration.ZERO))
                .isPresent();
    }

    @Test
    void a_stream_that_nobody_waits_for_never_rests() throws InterruptedException {
        for (int i = 0; i < 10; i++) {
            work(permit(), 100);
        }

        assertThat(delayed).isEmpty();
    }

    @Test
    void while_others_wait_a_permit_rests_so_that_the_work_keeps_its_share()
            throws InterruptedException, ExecutionException {
        var first = permit();
        var second = waiter();

        work(first, 20);

        assertThat(delayed).extracting(DelayedTask::nanos).containsExactly(60_000_000L);
        assertThat(second.isDone()).isFalse();
        endRest();
        assertThat(second.get()).isPresent();
    }

    @Test
    void short_rests_are_left_out_until_they_add_up() throws Exception {
        var permit = permit();
        for (int i = 0; i < 3; i++) {
            var next = waiter();
            work(permit, 1);
            assertThat(delayed).isEmpty();
            permit = next.get().orElseThrow();
        }
        var last = waiter();

        work(permit, 1);

        assertThat(delayed).extracting(DelayedTask::nanos).containsExactly(12_000_000L);
        endRest();
        assertThat(last.get()).isPresent();
    }

    @Test
    void a_rest_lasts_for_five_seconds_at_most() throws Exception {
        var first = permit();
        var second = waiter();

        work(first, 60_000);

        assertThat(delayed).extracting(DelayedTask::nanos).containsExactly(5_000_000_000L);
        endRest();
        assertThat(second.get()).isPresent();
    }

    @Test
    void the_stream_with_the_oldest_turn_gets_the_next_permit() throws Exception {
        var older = limiter.newTurn(WORKSPACE);
        var newer = limiter.newTurn(WORKSPACE);
        var first = permit();
        var second = waiter(newer);
        var third = waiter(older);

        first.close();
        try (var _ = third.get().orElseThrow()) {
            assertThat(second.isDone()).isFalse();
        }

        assertThat(second.get()).isPresent();
    }

    @Test
    void workspaces_get_permits_in_turn_however_many_streams_wait() throws Exception {
        var first = permit();
        var second = waiter();
        var third = waiter();
        var ofOther = waiter(limiter.newTurn(OTHER));

        first.close();
        second.get().orElseThrow().close();
        try (var _ = ofOther.get().orElseThrow()) {
            assertThat(third.isDone()).isFalse();
        }

        assertThat(third.get()).isPresent();
    }

    @Test
    void a_workspace_keeps_its_place_while_its_stream_tries_again() throws Exception {
        var first = permit();
        var second = waiter();
        first.close();
        var serving = second.get().orElseThrow(); // the workspace had its turn
        var third = waiter();
        var turn = limiter.newTurn(OTHER);
        long since = clock.get();
        assertThat(limiter.acquire(turn, since, Duration.ofMillis(1))).isEmpty();
        var ofOther = threads.submit(() -> limiter.acquire(turn, since, LONG));
        await().until(() -> limiter.waiting() == 2);

        serving.close();

        try (var _ = ofOther.get().orElseThrow()) {
            assertThat(third.isDone()).isFalse();
        }
        assertThat(third.get()).isPresent();
    }

    @Test
    void every_eighth_permit_goes_to_a_stream_that_has_waited_long() throws Exception {
        var older = limiter.newTurn(WORKSPACE);
        var newer = limiter.newTurn(WORKSPACE);
        var serving = permit();
        var starved = waiter(newer);
        clock.addAndGet(MAX_WAIT.toNanos());

        int permits = 0;
        while (!starved.isDone()) {
            var busy = waiter(older);
            serving.close();
            if (delayed.peek() != null) {
                endRest();
            }
            await().until(() -> busy.isDone() || starved.isDone());
            serving = (busy.isDone() ? busy : starved).get().orElseThrow();
            permits++;
        }

        assertThat(permits).isEqualTo(8);
    }

    @Test
    void a_stream_that_no_longer_waits_gets_no_permit() throws Exception {
        var first = permit();
        assertThat(limiter.acquire(limiter.newTurn(WORKSPACE), clock.get(), Duration.ofMillis(1)))
                .isEmpty();
        var interrupted = waiter();
        interrupted.cancel(true);
        await().until(() -> limiter.waiting() == 0);

        first.close();

        assertThat(limiter.acquire(limiter.newTurn(WORKSPACE), clock.get(), Duration.ZERO))
                .isPresent();
    }

    @Test
    void an_estimate_counts_instead_of_the_time() throws Exception {
        var first = permit();
        var second = waiter();

        first.estimateWork(TimeUnit.MILLISECONDS.toNanos(40));
        work(first, 10);

        assertThat(delayed).extracting(DelayedTask::nanos).containsExactly(150_000_000L);
        endRest();
        assertThat(second.get()).isPresent();
    }
}
