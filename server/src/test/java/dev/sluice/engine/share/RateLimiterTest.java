package dev.sluice.engine.share;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.gateway.destination.RateLimit;
import dev.sluice.testkit.Some;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.time.Duration;
import java.time.Instant;

class RateLimiterTest {

    private Instant now = Some.NOON;

    /// Whether the clock was ever read while another thread could take a slot.
    private boolean wasReadOutside;

    private final RateLimiter rateLimiter = new RateLimiter(this::readClock);

    private Instant readClock() {
        wasReadOutside |= !Thread.holdsLock(rateLimiter);
        return now;
    }

    private boolean take(RateLimit limit, Instant at) {
        now = at;
        return rateLimiter.tryAcquire(limit);
    }

    /// How many slots are granted from `from` on within `span`, asking every 10 ms.
    private int turns(RateLimit limit, Instant from, Duration span) {
        int turns = 0;
        for (var at = from; at.isBefore(from.plus(span)); at = at.plusMillis(10)) {
            while (take(limit, at)) {
                turns++;
            }
        }
        return turns;
    }

    @ParameterizedTest
    @CsvSource({"1, 1", "2, 1", "10, 1", "20, 2", "100, 6", "10000, 501"})
    void after_a_rest_as_many_go_at_once_as_50_ms_bring_and_one(int perSecond, int burst) {
        var limit = new RateLimit(perSecond);

        assertThat(turns(limit, Some.NOON, Duration.ofMillis(1))).isEqualTo(burst);
        assertThat(turns(limit, Some.NOON.plusSeconds(3600), Duration.ofMillis(1)))
                .as("an hour's rest saves no more")
                .isEqualTo(burst);
    }

    @ParameterizedTest
    @CsvSource({"1, 60", "7, 420", "100, 6000", "10000, 600000"})
    void in_the_long_run_there_are_as_many_as_the_limit_says(int perSecond, int inMinute) {
        int turns = turns(new RateLimit(perSecond), Some.NOON, Duration.ofMinutes(1));

        assertThat(turns).isBetween(inMinute, inMinute + 1 + perSecond / 20);
    }

    @Test
    void it_is_open_exactly_when_a_turn_can_be_taken() {
        var limit = new RateLimit(10);
        for (; now.isBefore(Some.NOON.plusSeconds(2)); now = now.plusMillis(7)) {
            boolean wasOpen = rateLimiter.isAllowed(limit);
            assertThat(rateLimiter.tryAcquire(limit)).isEqualTo(wasOpen);
        }
    }

    /// Otherwise a thread that read the clock and was then overtaken by others would look like a
    /// clock set back. It would then get what was saved up once more.
    @Test
    void no_thread_comes_with_a_time_older_than_that_of_the_thread_before() {
        var limit = new RateLimit(10);
        rateLimiter.isAllowed(limit);
        rateLimiter.tryAcquire(limit);

        assertThat(wasReadOutside).isFalse();
    }

    @Test
    void a_turn_given_back_can_be_taken_again() {
        var limit = new RateLimit(1);
        assertThat(take(limit, Some.NOON)).isTrue();
        assertThat(take(limit, Some.NOON)).isFalse();

        rateLimiter.refund(limit);

        assertThat(take(limit, Some.NOON)).isTrue();
        assertThat(take(limit, Some.NOON)).isFalse();
    }

    @Test
    void a_clock_that_is_set_back_stops_nothing() {
        var limit = new RateLimit(1);
        take(limit, Some.NOON);
        var earlier = Some.NOON.minusSeconds(3600);

        assertThat(take(limit, earlier)).isTrue();
        assertThat(take(limit, earlier)).isFalse();
        assertThat(take(limit, earlier.plusSeconds(1))).isTrue();
    }

    @Test
    void a_limit_that_is_raised_counts_at_once() {
        take(new RateLimit(1), Some.NOON);
        var raised = new RateLimit(100);

        assertThat(turns(raised, Some.NOON.plusMillis(1), Duration.ofSeconds(1)))
                .isBetween(100, 106);
    }
}
