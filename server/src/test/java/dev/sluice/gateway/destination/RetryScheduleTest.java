package dev.sluice.gateway.destination;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

class RetryScheduleTest {

    @ParameterizedTest
    @CsvSource({"1, 30", "2, 120", "3, 600", "4, 3600", "5, 14400"})
    void the_standard_schedule_waits_longer_each_time(int attempt, long seconds) {
        assertThat(RetrySchedule.DEFAULT.delayAfter(attempt, 0, new Random(1)))
                .contains(Duration.ofSeconds(seconds));
    }

    @Test
    void a_delivery_gets_one_attempt_more_than_there_are_intervals() {
        assertThat(RetrySchedule.DEFAULT.maxAttempts()).isEqualTo(6);
        assertThat(RetrySchedule.DEFAULT.delayAfter(6, 0.2, new Random(1))).isEmpty();
        assertThat(new RetrySchedule(List.of(Duration.ofSeconds(1))).maxAttempts()).isEqualTo(2);
    }

    @Test
    void deliveries_that_failed_together_do_not_come_back_together() {
        var random = new Random(7);
        var schedule = new RetrySchedule(List.of(Duration.ofSeconds(100)));
        var delays = new ArrayList<Duration>();
        for (int i = 0; i < 1_000; i++) {
            delays.add(schedule.delayAfter(1, 0.2, random).orElseThrow());
        }

        assertThat(delays).allMatch(d -> d.toMillis() >= 80_000 && d.toMillis() <= 120_000);
        assertThat(delays.stream().distinct().count()).isGreaterThan(900);
        assertThat(delays).anyMatch(d -> d.toMillis() < 82_000);
        assertThat(delays).anyMatch(d -> d.toMillis() > 118_000);
    }

    @Test
    void a_schedule_is_not_changed_through_the_list_it_was_made_of() {
        var intervals = new ArrayList<>(List.of(Duration.ofSeconds(5)));
        var schedule = new RetrySchedule(intervals);

        intervals.clear();

        assertThat(schedule.intervals()).containsExactly(Duration.ofSeconds(5));
    }
}
