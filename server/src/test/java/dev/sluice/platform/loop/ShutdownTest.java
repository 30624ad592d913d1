package dev.sluice.platform.loop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sluice.testkit.LogRecorder;

import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/// Tests the order in which a server stops: the reverse of its start order.
class ShutdownTest {

    private final Shutdown shutdown = new Shutdown(new Activity());
    private final List<String> closed = new CopyOnWriteArrayList<>();

    private AutoCloseable step(String name) {
        return () -> closed.add(name);
    }

    @Test
    void what_was_added_last_is_closed_first() {
        shutdown.first("database", step("database"));
        shutdown.first("listener", step("listener"));

        assertThat(shutdown.order()).containsExactly("listener", "database");
        shutdown.close();

        assertThat(closed).containsExactly("listener", "database");
    }

    @Test
    void a_step_that_fails_keeps_no_other_from_running() {
        shutdown.first("database", step("database"));
        shutdown.first(
                "listener",
                () -> {
                    throw new IllegalStateException("it is gone");
                });

        shutdown.close();

        assertThat(closed).containsExactly("database");
    }

    @Test
    void a_stop_says_which_step_it_waits_for() {
        var waiting = new CountDownLatch(1);
        var impatient = new Shutdown(new Activity(), Duration.ofMillis(1));
        impatient.first("quick", step("quick"));
        impatient.first("slow", waiting::await);
        try (var log = LogRecorder.of(Shutdown.class)) {
            var stop = Thread.ofVirtual().start(impatient::close);

            await().until(() -> log.count("shutdown.delayed") >= 2);
            waiting.countDown();
            await().until(() -> !stop.isAlive());

            assertThat(log.values("shutdown.delayed", "step")).contains("slow");
            assertThat(log.values("shutdown.delayed", "milliseconds")).startsWith("1", "2");
        }
    }

    @Test
    void a_rest_may_need_a_lock_that_is_held_by_whoever_wakes_the_loop()
            throws InterruptedException {
        var lock = new Object();
        var rests = new CountDownLatch(2);
        var wake = new Wake();
        var chore =
                Chore.of("resting", Duration.ofHours(1), () -> {})
                        .restingFor(() -> {
                            synchronized (lock) {
                                rests.countDown();
                                return Duration.ZERO;
                            }
                        })
                        .wokenBy(wake);
        shutdown.start(chore);

        synchronized (lock) {
            wake.wake();
        }

        assertThat(rests.await(10, TimeUnit.SECONDS)).isTrue();
        shutdown.close();
    }

    @Test
    void a_chore_does_its_last_work_after_its_last_round() throws InterruptedException {
        var first = new CountDownLatch(1);
        var chore =
                Chore.of(
                        "sweep",
                        Duration.ofMillis(1),
                        () -> {
                            closed.add("round");
                            first.countDown();
                        });
        shutdown.start(chore.endingWith(step("end")));
        first.await();

        shutdown.close();

        assertThat(closed).endsWith("end").containsOnlyOnce("end");
    }

    @Test
    void closing_twice_closes_once() {
        shutdown.first("database", step("database"));

        shutdown.close();
        shutdown.close();

        assertThat(closed).containsExactly("database");
    }
}
