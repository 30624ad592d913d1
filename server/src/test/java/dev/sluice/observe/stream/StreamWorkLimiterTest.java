package dev.sluice.observe.stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

class StreamWorkLimiterTest {

    private static final Duration LONG = Duration.ofSeconds(20);

    private record DelayedTask(Runnable task, long nanos) {}

    private final AtomicLong clock = new AtomicLong();
    private final Queue<DelayedTask> delayed = new ArrayDeque<>();
    private final StreamWorkLimiter limiter =
            new StreamWorkLimiter(
                    1,
                    0.25,
                    clock::get,
                    (task, nanos) -> delayed.add(new DelayedTask(task, nanos)));

    @AutoClose private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();

    private StreamWorkLimiter.WorkPermit permit() throws InterruptedException {
        return limiter.acquire(Duration.ZERO).orElseThrow();
    }

    /// Starts a stream that waits for a permit, and returns once it is waiting.
    private Future<Optional<StreamWorkLimiter.WorkPermit>> waiter() {
        var waiter = threads.submit(() -> limiter.acquire(LONG));
        await().until(limiter::hasWaiters);
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

        assertThat(limiter.acquire(Duration.ZERO)).isEmpty();

        first.close();
        assertThat(limiter.acquire(Duration.ZERO)).isPresent();
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
}
