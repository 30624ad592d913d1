package dev.sluice.relay.circuit;

import dev.sluice.relay.Outcome;

import java.time.Duration;

/// What an attempt's outcome says of its destination.
///
/// | outcome | evidence |
/// | --- | --- |
/// | 2xx, and 4xx other than 408 and 429 | it can be reached |
/// | 408, 429, 5xx, 1xx, 3xx, no usable answer | a failure, as retries see it |
/// | nothing was sent, or we broke it off ourselves | nothing |
/// | a failure after more time than the attempt had | nothing: this process stood still |
public enum Evidence {
    REACHED,
    FAILED,
    NONE;

    /// How late a timeout may be noticed on a machine that is busy.
    private static final Duration GRACE = Duration.ofSeconds(1);

    /// @param timeout that the attempt had
    public static Evidence of(Outcome outcome, Duration timeout) {
        var evidence = of(outcome);
        boolean stoodStill = outcome.latency().compareTo(timeout.plus(GRACE)) > 0;
        return evidence == FAILED && stoodStill ? NONE : evidence;
    }

    private static Evidence of(Outcome outcome) {
        return switch (outcome) {
            case Outcome.Answered(int status, _, _, _) -> isProof(status) ? REACHED : FAILED;
            case Outcome.Unreachable(var code, _, _) ->
                    switch (code) {
                        case TRANSFORMATION_FAILED, INTERRUPTED -> NONE;
                        default -> FAILED;
                    };
        };
    }

    private static boolean isProof(int status) {
        boolean isSuccess = status >= 200 && status < 300;
        boolean isRefusal = status >= 400 && status < 500 && status != 408 && status != 429;
        return isSuccess || isRefusal;
    }
}
