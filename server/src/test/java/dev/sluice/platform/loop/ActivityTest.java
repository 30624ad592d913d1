package dev.sluice.platform.loop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/// Drives [Activity] with a clock of its own.
class ActivityTest {

    private static final Duration HALF_A_SECOND = Duration.ofMillis(500);

    private final AtomicLong nanos = new AtomicLong();
    private final Activity activity = new Activity(nanos::get);

    private void pass(Duration time) {
        nanos.addAndGet(time.toNanos());
    }

    @Test
    void the_process_is_idle_ten_seconds_after_the_last_mark() {
        pass(Duration.ofSeconds(5));
        activity.mark();
        pass(Activity.IDLE_AFTER.minusNanos(1));
        assertThat(activity.isIdle()).isFalse();

        pass(Duration.ofNanos(1));

        assertThat(activity.isIdle()).isTrue();
    }

    @Test
    void idle_intervals_are_longer_but_only_up_to_five_seconds() {
        assertThat(Activity.stretch(HALF_A_SECOND)).isEqualTo(Duration.ofMillis(2_500));
        assertThat(Activity.stretch(Duration.ofSeconds(1))).isEqualTo(Duration.ofSeconds(5));
        assertThat(Activity.stretch(Duration.ofSeconds(3))).isEqualTo(Duration.ofSeconds(5));
        assertThat(Activity.stretch(Duration.ofMinutes(1))).isEqualTo(Duration.ofMinutes(1));
    }

    @Test
    void only_the_first_mark_after_a_rest_resumes_work() {
        activity.mark();
        pass(Duration.ofSeconds(8));
        activity.mark();
        assertThat(activity.resumed().take()).isFalse();

        pass(Activity.IDLE_AFTER);
        activity.mark();
        assertThat(activity.resumed().take()).isTrue();

        activity.mark();
        assertThat(activity.resumed().take()).isFalse();
        assertThat(activity.isIdle()).isFalse();
    }

    @Test
    void a_mark_wakes_the_chores_of_an_idle_process() {
        var rounds = new AtomicInteger();
        pass(Activity.IDLE_AFTER);
        try (var shutdown = new Shutdown(activity)) {
            shutdown.start(
                    Chore.of("idle", Duration.ofMinutes(1), rounds::incrementAndGet)
                            .idlingAt(Duration.ofHours(1)));
            await().until(() -> rounds.get() == 1);

            activity.mark();

            await().until(() -> rounds.get() == 2);
        }
    }

    @Test
    void a_steady_chore_keeps_its_interval() {
        var rounds = new AtomicInteger();
        pass(Activity.IDLE_AFTER);
        try (var shutdown = new Shutdown(activity)) {
            var often = Chore.of("steady", Duration.ofMillis(1), rounds::incrementAndGet);
            shutdown.start(often.steady());

            await().atMost(Duration.ofSeconds(4)).until(() -> rounds.get() >= 3);
        }
    }

    @Test
    void a_chore_with_a_gap_runs_once_for_many_wakes() {
        var rounds = new AtomicInteger();
        var wake = new Wake();
        var gap = Duration.ofMillis(200);
        try (var shutdown = new Shutdown(activity)) {
            shutdown.start(
                    Chore.of("spaced", Duration.ofMinutes(1), rounds::incrementAndGet)
                            .withGap(gap)
                            .wokenBy(wake));
            await().until(() -> rounds.get() == 1);
            long begun = System.nanoTime();

            await().pollInterval(Duration.ofMillis(1))
                    .until(() -> {
                        wake.wake();
                        return rounds.get() >= 3;
                    });

            long longest = System.nanoTime() - begun;
            assertThat(Duration.ofNanos(longest)).isGreaterThan(gap);
        }
    }
}
