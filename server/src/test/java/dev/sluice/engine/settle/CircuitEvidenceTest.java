package dev.sluice.engine.settle;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.engine.ErrorCode;
import dev.sluice.engine.Outcome;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;
import org.junit.jupiter.params.provider.ValueSource;

import java.time.Duration;
import java.util.Optional;

class CircuitEvidenceTest {

    private static final Duration TIMEOUT = Duration.ofSeconds(5);

    private static CircuitEvidence of(int status) {
        return of(new Outcome.DestinationResponse(status, "", Duration.ZERO, Optional.empty()));
    }

    private static CircuitEvidence of(ErrorCode code) {
        return of(new Outcome.AttemptError(code, "", Duration.ZERO));
    }

    private static CircuitEvidence of(Outcome outcome) {
        return CircuitEvidence.of(outcome, TIMEOUT);
    }

    private static Outcome timedOut(Duration after) {
        return new Outcome.AttemptError(ErrorCode.RESPONSE_TIMEOUT, "", after);
    }

    @Test
    void a_timeout_that_this_process_noticed_late_because_it_stood_still_says_nothing() {
        assertThat(of(timedOut(TIMEOUT.plusMillis(1_000)))).isEqualTo(CircuitEvidence.FAILED);
        assertThat(of(timedOut(TIMEOUT.plusMillis(1_001)))).isEqualTo(CircuitEvidence.NONE);
    }

    @Test
    void a_late_answer_that_is_meant_is_a_proof_all_the_same() {
        var late =
                new Outcome.DestinationResponse(200, "", Duration.ofMinutes(1), Optional.empty());

        assertThat(of(late)).isEqualTo(CircuitEvidence.REACHED);
    }

    @ParameterizedTest
    @ValueSource(ints = {200, 204, 299, 400, 401, 404, 410, 422, 499})
    void an_answer_that_is_meant_proves_that_it_can_be_reached(int status) {
        assertThat(of(status)).isEqualTo(CircuitEvidence.REACHED);
    }

    @ParameterizedTest
    @ValueSource(ints = {100, 199, 300, 302, 399, 408, 429, 500, 503, 599, 600})
    void what_is_tried_again_is_a_failure(int status) {
        assertThat(of(status)).isEqualTo(CircuitEvidence.FAILED);
    }

    @ParameterizedTest
    @EnumSource(
            value = ErrorCode.class,
            names = {
                "DNS_FAILURE",
                "CONNECT_REFUSED",
                "CONNECT_TIMEOUT",
                "TLS_FAILED",
                "CONNECTION_RESET",
                "RESPONSE_TIMEOUT",
                "BLOCKED_ADDRESS",
                "INVALID_RESPONSE"
            },
            mode = Mode.INCLUDE)
    void no_usable_answer_is_a_failure(ErrorCode code) {
        assertThat(of(code)).isEqualTo(CircuitEvidence.FAILED);
    }

    @ParameterizedTest
    @EnumSource(
            value = ErrorCode.class,
            names = {"TRANSFORMATION_FAILED", "INTERRUPTED"})
    void what_was_not_sent_or_broken_off_by_us_says_nothing(ErrorCode code) {
        assertThat(of(code)).isEqualTo(CircuitEvidence.NONE);
    }
}
