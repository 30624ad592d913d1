package dev.sluice.engine.settle;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.engine.ErrorCode;
import dev.sluice.engine.Outcome;
import dev.sluice.engine.settle.Pace.CapacitySignal;
import dev.sluice.engine.settle.Pace.PaceAnswer;
import dev.sluice.testkit.Some;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Random;

class PaceTest {

    private static final int MAX_IN_FLIGHT = 32;

    private Instant now = Some.NOON;
    private final Pace pace = new Pace(Some.NOON, new Random(1));

    /// An attempt begins and is answered a millisecond later.
    private boolean answer(CapacitySignal signal, int onTheWire, Duration retryAfter) {
        var begun = now.plusNanos(1);
        now = now.plusMillis(1);
        return pace.answered(
                new PaceAnswer(signal, retryAfter, begun, now, true, onTheWire, MAX_IN_FLIGHT));
    }

    private void answer(CapacitySignal signal, int times) {
        for (int i = 0; i < times; i++) {
            answer(signal, MAX_IN_FLIGHT, Duration.ZERO);
        }
    }

    /// 429 is not in the table: it takes more than one.
    @ParameterizedTest
    @CsvSource({
        "200, TAKEN",
        "404, REJECTED",
        "408, FAILED",
        "429, TOO_MANY",
        "301, FAILED",
        "500, FAILED",
        "502, FAILED",
        "503, UNAVAILABLE",
        "504, FAILED"
    })
    void status_says_how_much_the_destination_takes(int status, CapacitySignal signal) {
        var outcome = new Outcome.DestinationResponse(status, "", Duration.ZERO, Optional.empty());

        assertThat(CapacitySignal.of(outcome)).contains(signal);
    }

    @ParameterizedTest
    @CsvSource({
        "CONNECT_REFUSED, UNREACHABLE",
        "CONNECT_TIMEOUT, UNREACHABLE",
        "CONNECTION_RESET, UNREACHABLE",
        "RESPONSE_TIMEOUT, UNREACHABLE",
        "DNS_FAILURE, FAILED",
        "TLS_FAILED, FAILED",
        "BLOCKED_ADDRESS, FAILED",
        "INVALID_RESPONSE, FAILED",
        "INTERRUPTED,",
        "TRANSFORMATION_FAILED,"
    })
    void error_says_how_much_the_destination_takes(ErrorCode code, CapacitySignal signal) {
        var outcome = new Outcome.AttemptError(code, "", Duration.ZERO);

        assertThat(CapacitySignal.of(outcome)).isEqualTo(Optional.ofNullable(signal));
    }

    @ParameterizedTest
    @EnumSource(names = {"TAKEN", "REJECTED", "FAILED"})
    void answers_that_say_nothing_of_capacity_leave_no_pace(CapacitySignal signal) {
        answer(signal, 100);

        assertThat(pace.window()).isEmpty();
        assertThat(pace.rate()).isEmpty();
        assertThat(pace.restsUntil(now)).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({"20, 12", "2, 1", "1, 1", "64, 19"})
    void a_503_cuts_the_window_to_three_fifths_of_what_was_on_the_wire(int onTheWire, int window) {
        answer(CapacitySignal.UNAVAILABLE, onTheWire, Duration.ZERO);

        assertThat(pace.window()).isEqualTo(OptionalInt.of(window));
        assertThat(pace.restsUntil(now)).isEmpty();
    }

    @Test
    void answers_to_attempts_begun_before_the_cut_change_nothing() {
        var begun = now;
        answer(CapacitySignal.UNAVAILABLE, 20, Duration.ZERO);
        for (int i = 0; i < 19; i++) {
            var late =
                    new PaceAnswer(
                            CapacitySignal.UNAVAILABLE,
                            Duration.ZERO,
                            begun,
                            now,
                            true,
                            20,
                            MAX_IN_FLIGHT);
            assertThat(pace.answered(late)).isTrue();
        }

        assertThat(pace.window()).isEqualTo(OptionalInt.of(12));
    }

    @Test
    void window_grows_by_one_for_each_success_up_to_seven_tenths_and_then_slowly() {
        answer(CapacitySignal.UNAVAILABLE, 20, Duration.ZERO);
        answer(CapacitySignal.TAKEN, 2);
        assertThat(pace.window()).isEqualTo(OptionalInt.of(14));

        answer(CapacitySignal.TAKEN, 200);
        assertThat(pace.window()).isEqualTo(OptionalInt.of(14));
        answer(CapacitySignal.TAKEN, 100);
        assertThat(pace.window()).isEqualTo(OptionalInt.of(15));
    }

    @Test
    void window_gives_way_by_one_where_the_same_size_was_refused_before() {
        answer(CapacitySignal.UNAVAILABLE, 5, Duration.ZERO);
        answer(CapacitySignal.TAKEN, 500);
        answer(CapacitySignal.UNAVAILABLE, 5, Duration.ZERO);

        assertThat(pace.window()).isEqualTo(OptionalInt.of(4));
    }

    @Test
    void three_429_in_a_row_change_nothing_and_the_fourth_makes_it_rest_for_a_second() {
        answer(CapacitySignal.TAKEN, 1);
        answer(CapacitySignal.TOO_MANY, 3);
        assertThat(pace.restsUntil(now)).isEmpty();

        answer(CapacitySignal.TOO_MANY, 1);
        assertThat(Duration.between(now, pace.restsUntil(now).orElseThrow()))
                .isBetween(Duration.ofSeconds(1), Duration.ofMillis(1_100));
        assertThat(pace.window()).isEqualTo(OptionalInt.of(1));
        assertThat(pace.nextBeginning(now)).isEqualTo(pace.restsUntil(now).orElseThrow());
    }

    @ParameterizedTest
    @CsvSource({"5, 5", "60, 60", "3600, 60"})
    void rest_is_as_long_as_retry_after_says_but_at_most_a_minute(int asked, int rest) {
        answer(CapacitySignal.TAKEN, 1);
        for (int i = 0; i < 4; i++) {
            answer(CapacitySignal.TOO_MANY, 1, Duration.ofSeconds(asked));
        }

        assertThat(Duration.between(now, pace.restsUntil(now).orElseThrow()))
                .isBetween(Duration.ofSeconds(rest), Duration.ofMillis(1_100L * rest));
    }

    @Test
    void one_429_among_many_rejected_events_changes_nothing() {
        answer(CapacitySignal.TAKEN, 1);
        answer(CapacitySignal.REJECTED, 40);
        answer(CapacitySignal.TOO_MANY, 1);

        assertThat(pace.restsUntil(now)).isEmpty();
        assertThat(pace.window()).isEmpty();
    }

    @Test
    void thirteen_429_among_the_last_fifty_make_it_rest() {
        for (int i = 0; i < 12; i++) {
            answer(CapacitySignal.TOO_MANY, 1);
            answer(CapacitySignal.TAKEN, 2);
        }
        assertThat(pace.restsUntil(now)).isEmpty();

        answer(CapacitySignal.TOO_MANY, 1);
        assertThat(pace.restsUntil(now)).isPresent();
    }

    @Test
    void rest_doubles_while_nothing_succeeds() {
        answer(CapacitySignal.TAKEN, 1);
        answer(CapacitySignal.TOO_MANY, 4);
        now = pace.restsUntil(now).orElseThrow();
        answer(CapacitySignal.TOO_MANY, 1);

        assertThat(Duration.between(now, pace.restsUntil(now).orElseThrow()))
                .isBetween(Duration.ofSeconds(2), Duration.ofMillis(2_200));
    }

    @Test
    void destination_that_takes_nothing_never_rests() {
        now = now.plus(Pace.RECENT);
        answer(CapacitySignal.TOO_MANY, 100);

        assertThat(pace.restsUntil(now)).isEmpty();
        assertThat(pace.window()).isEmpty();
    }

    @Test
    void every_429_counts_for_the_circuit_except_those_begun_before_a_cut() {
        answer(CapacitySignal.TAKEN, 1);
        var begun = now;
        for (int i = 0; i < 4; i++) {
            assertThat(answer(CapacitySignal.TOO_MANY, 8, Duration.ZERO)).isTrue();
        }
        var late =
                new PaceAnswer(
                        CapacitySignal.TOO_MANY, Duration.ZERO, begun, now, true, 8, MAX_IN_FLIGHT);
        assertThat(pace.answered(late)).isFalse();
        assertThat(answer(CapacitySignal.TOO_MANY, 8, Duration.ZERO)).isTrue();
    }

    @Test
    void rate_follows_where_twenty_succeeded_while_something_waited() {
        for (int i = 0; i < 200; i++) {
            now = now.plusMillis(49);
            answer(CapacitySignal.TAKEN, 1);
        }
        answer(CapacitySignal.TOO_MANY, 4);

        assertThat(pace.rate().orElseThrow()).isBetween(14.0, 18.0); // 0.8 of 20
        assertThat(pace.window()).isEqualTo(OptionalInt.of(MAX_IN_FLIGHT));
    }

    @Test
    void no_rate_follows_where_nothing_waited_in_between() {
        for (int i = 0; i < 200; i++) {
            now = now.plusMillis(49);
            answer(CapacitySignal.TAKEN, 1);
            pace.idle(now);
        }
        answer(CapacitySignal.TOO_MANY, 4);

        assertThat(pace.rate()).isEmpty();
        assertThat(pace.window()).isEqualTo(OptionalInt.of(1));
    }

    @Test
    void attempts_begin_at_the_rate() {
        for (int i = 0; i < 200; i++) {
            now = now.plusMillis(49);
            answer(CapacitySignal.TAKEN, 1);
        }
        answer(CapacitySignal.TOO_MANY, 4);
        double rate = pace.rate().orElseThrow();
        now = pace.restsUntil(now).orElseThrow();

        int begun = 0;
        for (var end = now.plusSeconds(10); now.isBefore(end); now = now.plusMillis(1)) {
            if (!pace.nextBeginning(now).isAfter(now)) {
                pace.began(now);
                begun++;
            }
        }

        assertThat(begun).isBetween((int) (10 * rate), (int) (10 * rate) + 2);
    }

    @Test
    void pace_is_forgotten_ten_minutes_after_the_last_signal() {
        answer(CapacitySignal.UNAVAILABLE, 20, Duration.ZERO);

        assertThat(pace.isForgotten(now.plus(Pace.MEMORY))).isFalse();
        assertThat(pace.isForgotten(now.plus(Pace.MEMORY).plusMillis(1))).isTrue();
    }

    @Test
    void window_begins_at_one_after_an_open_circuit() {
        answer(CapacitySignal.UNAVAILABLE, 20, Duration.ZERO);
        pace.reopened();

        assertThat(pace.window()).isEqualTo(OptionalInt.of(1));
    }
}
