package dev.sluice.platform.loop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

class WakeTest {

    private static final Duration HOUR = Duration.ofHours(1);

    private final Wake wake = new Wake();
    private final AtomicInteger items = new AtomicInteger();

    @Test
    void repeated_calls_request_one_round() {
        var told = new AtomicInteger();
        wake.listen(told::incrementAndGet);

        wake.wake();
        wake.wake();
        assertThat(told).hasValue(1);

        assertThat(wake.take()).isTrue();
        assertThat(wake.take()).isFalse();
        wake.wake();
        assertThat(told).hasValue(2);
    }

    @Test
    void call_before_anything_listens_is_remembered() {
        var told = new AtomicInteger();
        wake.wake();

        wake.listen(told::incrementAndGet);

        assertThat(told).hasValue(1);
    }

    @Test
    void call_wakes_every_loop_that_listens() {
        var one = new AtomicInteger();
        var other = new AtomicInteger();
        try (var shutdown = new Shutdown(new Activity())) {
            shutdown.start(Chore.of("one", HOUR, one::incrementAndGet).wokenBy(wake));
            shutdown.start(Chore.of("other", HOUR, other::incrementAndGet).wokenBy(wake));
            await().until(() -> one.get() == 1 && other.get() == 1);

            wake.wake();
            await().until(() -> one.get() == 2 && other.get() == 2);

            wake.wake();
            await().until(() -> one.get() == 3 && other.get() == 3);
        }
    }

    @Test
    void call_during_a_round_starts_another_round() throws InterruptedException {
        var rounds = new AtomicInteger();
        var begun = new CountDownLatch(1);
        var called = new CountDownLatch(1);
        Loop.Step step =
                () -> {
                    rounds.incrementAndGet();
                    begun.countDown();
                    return !called.await(10, TimeUnit.SECONDS);
                };
        try (var shutdown = new Shutdown(new Activity())) {
            shutdown.start(new Chore("slow", HOUR, step).wokenBy(wake));
            begun.await();

            wake.wake();
            called.countDown();

            await().until(() -> rounds.get() == 2);
        }
    }

    private void addAndCall() {
        items.incrementAndGet();
        wake.wake();
    }

    /// Each caller adds an item and then calls. If one call were lost, the last item would stay.
    @Test
    void no_call_of_many_threads_is_lost() throws InterruptedException {
        try (var shutdown = new Shutdown(new Activity())) {
            shutdown.start(Chore.of("taker", HOUR, () -> items.set(0)).wokenBy(wake));
            for (int round = 0; round < 200; round++) {
                var callers =
                        Stream.generate(() -> Thread.ofVirtual().start(this::addAndCall))
                                .limit(4)
                                .toList();
                for (var caller : callers) {
                    caller.join();
                }
                await().pollInterval(Duration.ofMillis(1)).until(() -> items.get() == 0);
            }
        }
    }
}
