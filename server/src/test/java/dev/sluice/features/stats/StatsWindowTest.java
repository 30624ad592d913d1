package dev.sluice.features.stats;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.time.Duration;
import java.time.Instant;

/// The tests run in a zone that is not UTC and has a summer time.
class StatsWindowTest {

    private static final Instant NOW = Instant.parse("2026-03-10T12:34:56.789Z");

    private static StatsWindow window(String after, String before) {
        return StatsWindow.between(Instant.parse(after), Instant.parse(before), NOW);
    }

    @ParameterizedTest
    @CsvSource({
        "PT1S, HOUR",
        "PT48H, HOUR",
        "PT48H0.001S, DAY",
        "P90D, DAY",
        "PT2160H0.001S, MONTH",
        "P3650D, MONTH"
    })
    void the_length_that_was_asked_for_decides_on_the_bucket(Duration length, StatsUnit unit) {
        assertThat(StatsWindow.between(NOW.minus(length), NOW, NOW).unit()).isEqualTo(unit);
    }

    @ParameterizedTest
    @CsvSource({"P92DT23H, HOUR", "P93D, HOUR", "PT2232H0.001S, DAY"})
    void hours_that_are_no_longer_kept_are_answered_in_days(Duration age, StatsUnit unit) {
        var after = NOW.minus(age);

        assertThat(StatsWindow.between(after, after.plusSeconds(60), NOW).unit()).isEqualTo(unit);
    }

    @ParameterizedTest
    @CsvSource({
        "2026-03-09T10:20:30Z, 2026-03-09T11:00:00Z, 2026-03-09T10:00:00Z, 2026-03-09T11:00:00Z",
        "2026-03-09T10:00:00Z, 2026-03-09T11:00:00.001Z, 2026-03-09T10:00:00Z,"
                + " 2026-03-09T12:00:00Z",
        "2026-03-01T00:00:00.001Z, 2026-03-04T23:59:59Z, 2026-03-01T00:00:00Z,"
                + " 2026-03-05T00:00:00Z",
        "2025-11-15T00:00:00Z, 2026-03-01T00:00:00Z, 2025-11-01T00:00:00Z, 2026-03-01T00:00:00Z",
        "2024-02-29T12:00:00Z, 2026-03-09T00:00:00Z, 2024-02-01T00:00:00Z, 2026-04-01T00:00:00Z"
    })
    void it_is_widened_to_whole_buckets_in_utc(
            String after, String before, Instant wideAfter, Instant wideBefore) {
        var window = window(after, before);

        assertThat(window.after()).isEqualTo(wideAfter);
        assertThat(window.before()).isEqualTo(wideBefore);
        assertThat(window.askedAfter()).isEqualTo(Instant.parse(after));
    }

    @Test
    void its_buckets_follow_each_other_without_a_gap() {
        assertThat(window("2026-03-08T00:30:00Z", "2026-03-08T03:00:00Z").starts())
                .containsExactly(
                        Instant.parse("2026-03-08T00:00:00Z"),
                        Instant.parse("2026-03-08T01:00:00Z"),
                        Instant.parse("2026-03-08T02:00:00Z"));
        assertThat(window("2025-10-31T23:59:59Z", "2026-02-01T00:00:01Z").starts())
                .containsExactly(
                        Instant.parse("2025-10-01T00:00:00Z"),
                        Instant.parse("2025-11-01T00:00:00Z"),
                        Instant.parse("2025-12-01T00:00:00Z"),
                        Instant.parse("2026-01-01T00:00:00Z"),
                        Instant.parse("2026-02-01T00:00:00Z"));
        assertThat(window("2026-01-01T12:00:00Z", "2026-03-10T00:00:00Z").starts())
                .hasSize(68); // through the end of winter time
    }
}
