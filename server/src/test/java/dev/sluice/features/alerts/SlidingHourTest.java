package dev.sluice.features.alerts;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.time.Instant;
import java.util.List;

class SlidingHourTest {

    private static final Instant NOON = Instant.parse("2026-03-01T12:00:00Z");

    private static SlidingHour sent(Instant at, int n) {
        return new SlidingHour(SlidingHour.minute(at), List.of(n));
    }

    @Test
    void a_message_counts_for_a_whole_hour_from_the_last_second_of_its_minute() {
        var use = sent(NOON, 1);

        assertThat(use.at(NOON.plusSeconds(3_659)).sum()).isEqualTo(1);
        assertThat(use.at(NOON.plusSeconds(3_660)).sum()).isZero();
        assertThat(use.at(NOON.plus(Duration.ofDays(400))).sum()).isZero();
    }

    @Test
    void a_clock_that_is_set_back_frees_nothing() {
        var use = sent(NOON, 3).at(NOON.minus(Duration.ofDays(1))).plusOne();

        assertThat(use).isEqualTo(sent(NOON, 4));
    }

    @Test
    void it_says_when_enough_messages_are_over() {
        var use = sent(NOON, 2).at(NOON.plus(Duration.ofMinutes(7))).plusOne();

        assertThat(use.isBelowAt(4)).isEqualTo(NOON.plus(Duration.ofMinutes(7)));
        assertThat(use.isBelowAt(3)).isEqualTo(NOON.plus(Duration.ofMinutes(61)));
        assertThat(use.isBelowAt(2)).isEqualTo(NOON.plus(Duration.ofMinutes(61)));
        assertThat(use.isBelowAt(1)).isEqualTo(NOON.plus(Duration.ofMinutes(68)));
        assertThat(new SlidingHour(0, List.of()).plusOne().sum()).isEqualTo(1);
    }
}
