package dev.sluice.platform.loop;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;

class FailureStreakTest {

    private final AtomicLong nanos = new AtomicLong();
    private final FailureStreak streak = new FailureStreak(nanos::get);

    @Test
    void three_failures_in_a_row_are_long_and_one_success_ends_them() {
        streak.failed();
        streak.failed();
        assertThat(streak.isLong()).isFalse();

        streak.failed();
        assertThat(streak.isLong()).isTrue();

        streak.succeeded();
        assertThat(streak.isLong()).isFalse();
    }

    @Test
    void one_failure_is_long_after_thirty_seconds_without_a_success() {
        streak.failed();
        nanos.addAndGet(Duration.ofSeconds(30).toNanos() - 1);
        assertThat(streak.isLong()).isFalse();

        nanos.incrementAndGet();
        assertThat(streak.isLong()).isTrue();
    }
}
