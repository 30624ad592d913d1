package dev.sluice.platform.loop;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;

class FailureStreakTest {

    private final AtomicLong nanos = new AtomicLong();
    private final FailureStreak streak = new FailureStreak(Duration.ZERO, nanos::get);

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

    /// A loop that runs once an hour and failed once is not failing again and again.
    @Test
    void one_failure_is_not_long_until_the_next_try_is_thirty_seconds_late() {
        var hourly = new FailureStreak(Duration.ofHours(1), nanos::get);
        hourly.failed();
        nanos.addAndGet(Duration.ofHours(1).plusSeconds(30).toNanos() - 1);
        assertThat(hourly.isLong()).isFalse();

        nanos.incrementAndGet();
        assertThat(hourly.isLong()).isTrue();
    }

    @Test
    void one_failure_is_long_after_thirty_seconds_without_a_success() {
        streak.failed();
        nanos.addAndGet(Duration.ofSeconds(30).toNanos() - 1);
        assertThat(streak.isLong()).isFalse();

        nanos.incrementAndGet();
        assertThat(streak.isLong()).isTrue();
    }

    @Test
    void a_failure_is_recent_for_a_time_and_until_a_success() {
        streak.failed();
        nanos.addAndGet(Duration.ofSeconds(10).toNanos() - 1);
        assertThat(streak.hasFailedWithin(Duration.ofSeconds(10))).isTrue();
        nanos.incrementAndGet();
        assertThat(streak.hasFailedWithin(Duration.ofSeconds(10))).isFalse();

        streak.failed();
        streak.succeeded();
        assertThat(streak.hasFailedWithin(Duration.ofSeconds(10))).isFalse();
    }

    @Test
    void it_lasts_from_its_first_failure_until_a_success() {
        var second = Duration.ofSeconds(1);
        streak.failed();
        nanos.addAndGet(second.toNanos());
        streak.failed();
        assertThat(streak.hasLasted(second)).isFalse();

        nanos.incrementAndGet();
        assertThat(streak.hasLasted(second)).isTrue();

        streak.succeeded();
        assertThat(streak.hasLasted(second)).isFalse();
    }
}
