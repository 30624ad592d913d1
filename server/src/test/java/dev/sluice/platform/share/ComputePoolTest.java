package dev.sluice.platform.share;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;

class ComputePoolTest {

    @AutoClose private final ComputePool pool = new ComputePool(1);
    private final List<String> done = Collections.synchronizedList(new ArrayList<>());
    private final List<Thread> threads = new ArrayList<>();

    private void start(String owner, Runnable work) {
        threads.add(
                Thread.ofVirtual()
                        .start(() ->
                                pool.call(
                                        owner,
                                        () -> {
                                            work.run();
                                            return done.add(owner);
                                        })));
    }

    private void startAndWaitInLine(String owner) {
        int before = pool.waiting();
        start(owner, () -> {});
        await().until(() -> pool.waiting() == before + 1);
    }

    @Test
    void an_owner_that_comes_late_waits_for_one_work_of_a_flood_at_most() throws Exception {
        var isRunning = new CountDownLatch(1);
        var end = new CountDownLatch(1);
        start(
                "flood",
                () -> {
                    isRunning.countDown();
                    awaitUninterruptibly(end);
                });
        isRunning.await();
        for (int i = 0; i < 20; i++) {
            startAndWaitInLine("flood");
        }
        startAndWaitInLine("late");

        end.countDown();
        for (var thread : threads) {
            assertThat(thread.join(Duration.ofMinutes(1))).isTrue();
        }

        assertThat(done).hasSize(22);
        assertThat(done.subList(0, 3)).contains("late");
    }

    private static void awaitUninterruptibly(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void work_runs_on_a_platform_thread_and_what_it_throws_is_thrown() {
        assertThat(pool.<Boolean>call("a", () -> Thread.currentThread().isVirtual())).isFalse();
        assertThatThrownBy(() ->
                        pool.call(
                                "a",
                                () -> {
                                    throw new IllegalArgumentException("no such work");
                                }))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("no such work");
        assertThat(pool.<Integer>call("a", () -> 7)).as("the thread is free again").isEqualTo(7);
    }

    @Test
    void an_owner_alone_has_half_of_the_places_and_leaves_some_to_others() {
        var taken = new ArrayList<ComputePool.ComputePlace>();
        for (int i = 0; i < ComputePool.MAX_REQUESTS / 2; i++) {
            taken.add(pool.take("flood").orElseThrow());
        }

        assertThat(pool.take("flood")).isEmpty();
        assertThat(pool.refused()).isOne();
        var other = pool.take("other").orElseThrow();
        assertThat(pool.heldByOwner())
                .isEqualTo(Map.of("flood", ComputePool.MAX_REQUESTS / 2, "other", 1));

        other.close();
        taken.forEach(ComputePool.ComputePlace::close);
        assertThat(pool.heldByOwner()).isEmpty();
    }

    @Test
    void without_places_everybody_is_refused_until_there_are_some_again() {
        pool.resize(0);
        assertThat(pool.take("a")).isEmpty();

        pool.resize(ComputePool.MAX_REQUESTS);
        assertThat(pool.take("a")).isPresent();
    }
}
