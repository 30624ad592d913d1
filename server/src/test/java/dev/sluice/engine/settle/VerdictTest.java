package dev.sluice.engine.settle;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.engine.ErrorCode;
import dev.sluice.engine.Outcome;
import dev.sluice.gateway.destination.RetrySchedule;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.random.RandomGenerator;

class VerdictTest {

    private static final Instant NOW = Instant.parse("2026-03-01T12:00:00Z");
    private static final RetrySchedule TWO_RETRIES =
            new RetrySchedule(List.of(Duration.ofSeconds(30), Duration.ofMinutes(2)));

    /// Draws the middle, so that jitter changes nothing.
    private static final RandomGenerator MIDPOINT_RANDOM = new FixedRandom(0.5);

    @ParameterizedTest
    @ValueSource(ints = {200, 201, 202, 204, 206, 226, 299})
    void a_2xx_is_a_success(int status) {
        assertThat(first(answered(status))).isEqualTo(new Verdict.Succeeded());
    }

    @ParameterizedTest
    @ValueSource(ints = {400, 401, 403, 404, 405, 407, 409, 410, 413, 422, 428, 430, 451, 499})
    void a_4xx_is_final(int status) {
        assertThat(first(answered(status))).isEqualTo(new Verdict.Failed());
    }

    @ParameterizedTest
    @ValueSource(
            ints = {
                100, 101, 103, 199, 300, 301, 302, 304, 307, 308, 399, 408, 429, 500, 502, 503, 504,
                599
            })
    void everything_else_is_tried_again_after_the_first_interval(int status) {
        assertThat(first(answered(status))).isEqualTo(retryIn(Duration.ofSeconds(30)));
    }

    @ParameterizedTest
    @EnumSource(
            value = ErrorCode.class,
            mode = EnumSource.Mode.EXCLUDE,
            names = "TRANSFORMATION_FAILED")
    void no_answer_is_tried_again_whatever_the_reason(ErrorCode code) {
        assertThat(first(new Outcome.AttemptError(code, "gone", Duration.ZERO)))
                .isEqualTo(retryIn(Duration.ofSeconds(30)));
    }

    @Test
    void a_transformation_that_fails_would_fail_again() {
        var outcome =
                new Outcome.AttemptError(ErrorCode.TRANSFORMATION_FAILED, "why", Duration.ZERO);

        assertThat(first(outcome)).isEqualTo(new Verdict.Failed());
    }

    @ParameterizedTest
    @CsvSource({"1, 30", "2, 120"})
    void each_attempt_has_the_interval_of_its_number(int attempt, long seconds) {
        assertThat(verdict(answered(500), attempt)).isEqualTo(retryIn(Duration.ofSeconds(seconds)));
    }

    @ParameterizedTest
    @ValueSource(ints = {3, 4, 100})
    void after_the_last_interval_the_delivery_is_exhausted(int attempt) {
        assertThat(verdict(answered(503), attempt)).isEqualTo(new Verdict.Exhausted());
        assertThat(verdict(answered(503, Duration.ofHours(1)), attempt))
                .as("however patient it is asked to be")
                .isEqualTo(new Verdict.Exhausted());
    }

    @ParameterizedTest
    @CsvSource({
        "429,      31,     31, later than the interval",
        "503,     600,    600, later than the interval",
        "429,      29,     30, never earlier",
        "503,       0,     30, never earlier",
        "503,   86400,  86400, a day is the most",
        "503,   86401,  86400, a day is the most",
        "429, 9999999,  86400, a day is the most",
        "500,     600,     30, only with 429 and 503",
        "408,     600,     30, only with 429 and 503",
        "302,     600,     30, only with 429 and 503",
    })
    void retry_after_postpones(int status, long asked, long waited, String why) {
        assertThat(first(answered(status, Duration.ofSeconds(asked))))
                .as(why)
                .isEqualTo(retryIn(Duration.ofSeconds(waited)));
    }

    @ParameterizedTest
    @CsvSource({"0.0, 24000", "0.25, 27000", "0.5, 30000", "0.75, 33000", "0.9999999999, 36000"})
    void jitter_spreads_to_both_sides(double drawn, long millis) {
        var verdict = Verdict.of(answered(500), 1, TWO_RETRIES, 0.2, NOW, new FixedRandom(drawn));

        assertThat(verdict).isEqualTo(retryIn(Duration.ofMillis(millis)));
    }

    @Test
    void jitter_never_leaves_its_bounds() {
        var random = RandomGenerator.of("L64X128MixRandom");
        for (int i = 0; i < 10_000; i++) {
            var verdict = Verdict.of(answered(500), 1, TWO_RETRIES, 0.2, NOW, random);

            assertThat(((Verdict.RetryAt) verdict).at())
                    .isBetween(NOW.plusSeconds(24), NOW.plusSeconds(36));
        }
    }

    @Test
    void what_a_destination_asks_for_is_not_spread() {
        var verdict =
                Verdict.of(
                        answered(503, Duration.ofSeconds(90)),
                        1,
                        TWO_RETRIES,
                        0.2,
                        NOW,
                        new FixedRandom(0));

        assertThat(verdict).isEqualTo(retryIn(Duration.ofSeconds(90)));
    }

    private static Verdict first(Outcome outcome) {
        return verdict(outcome, 1);
    }

    private static Verdict verdict(Outcome outcome, int attempt) {
        return Verdict.of(outcome, attempt, TWO_RETRIES, 0.2, NOW, MIDPOINT_RANDOM);
    }

    private static Outcome answered(int status) {
        return new Outcome.DestinationResponse(status, "", Duration.ofMillis(5), Optional.empty());
    }

    private static Outcome answered(int status, Duration retryAfter) {
        return new Outcome.DestinationResponse(
                status, "", Duration.ofMillis(5), Optional.of(retryAfter));
    }

    private static Verdict retryIn(Duration delay) {
        return new Verdict.RetryAt(NOW.plus(delay));
    }

    /// Always draws the same.
    private record FixedRandom(double drawn) implements RandomGenerator {

        @Override
        public double nextDouble() {
            return drawn;
        }

        @Override
        public long nextLong() {
            throw new UnsupportedOperationException();
        }
    }
}
