package dev.sluice.relay.dispatch;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.gateway.destination.RateLimit;
import dev.sluice.testkit.Some;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.time.Duration;
import java.time.Instant;

class PaceTest {

    private final Pace pace = new Pace();

    /// Turns that can be had from `from` on within `span`, asking every 10 ms.
    private int turns(RateLimit limit, Instant from, Duration span) {
        int turns = 0;
        for (var now = from; now.isBefore(from.plus(span)); now = now.plusMillis(10)) {
            while (pace.take(limit, now)) {
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
        for (var now = Some.NOON; now.isBefore(Some.NOON.plusSeconds(2)); now = now.plusMillis(7)) {
            boolean wasOpen = pace.isOpen(limit, now);
            assertThat(pace.take(limit, now)).isEqualTo(wasOpen);
        }
    }

    @Test
    void a_turn_given_back_can_be_taken_again() {
        var limit = new RateLimit(1);
        assertThat(pace.take(limit, Some.NOON)).isTrue();
        assertThat(pace.take(limit, Some.NOON)).isFalse();

        pace.giveBack(limit);

        assertThat(pace.take(limit, Some.NOON)).isTrue();
        assertThat(pace.take(limit, Some.NOON)).isFalse();
    }

    @Test
    void a_clock_that_is_set_back_stops_nothing() {
        var limit = new RateLimit(1);
        pace.take(limit, Some.NOON);
        var earlier = Some.NOON.minusSeconds(3600);

        assertThat(pace.take(limit, earlier)).isTrue();
        assertThat(pace.take(limit, earlier)).isFalse();
        assertThat(pace.take(limit, earlier.plusSeconds(1))).isTrue();
    }

    @Test
    void a_limit_that_is_raised_counts_at_once() {
        pace.take(new RateLimit(1), Some.NOON);
        var raised = new RateLimit(100);

        assertThat(turns(raised, Some.NOON.plusMillis(1), Duration.ofSeconds(1)))
                .isBetween(100, 106);
    }
}
