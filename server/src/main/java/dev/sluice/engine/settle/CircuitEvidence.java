package dev.sluice.engine.settle;

import dev.sluice.engine.Outcome;
import dev.sluice.engine.ResponseClass;

import java.time.Duration;

/// What an attempt's outcome tells the circuit breaker about the destination.
///
/// | outcome | evidence |
/// | --- | --- |
/// | 2xx, and 4xx other than 408 and 429 | reached |
/// | 408, 429, 5xx, 1xx, 3xx, no usable response | failed (the same outcomes are retried) |
/// | the transformation failed, or this process cancelled the attempt | none |
/// | a failure more than 1 s after the attempt's time limit | none: this process was frozen |
public enum CircuitEvidence {
    REACHED,
    FAILED,
    NONE;

    /// How long after the deadline a busy machine may take to notice a timeout.
    private static final Duration MAX_TIMEOUT_DELAY = Duration.ofSeconds(1);

    /// Returns what `outcome` proves.
    ///
    /// @param timeout the time that the attempt was allowed to take
    public static CircuitEvidence of(Outcome outcome, Duration timeout) {
        var evidence = of(outcome);
        boolean wasFrozen = outcome.latency().compareTo(timeout.plus(MAX_TIMEOUT_DELAY)) > 0;
        return evidence == FAILED && wasFrozen ? NONE : evidence;
    }

    private static CircuitEvidence of(Outcome outcome) {
        return switch (outcome) {
            case Outcome.DestinationResponse(int status, _, _, _, _) ->
                    switch (ResponseClass.of(status)) {
                        case SUCCESS, REFUSAL -> REACHED;
                        case REDIRECT, TEMPORARY_FAILURE -> FAILED;
                    };
            case Outcome.AttemptError(var code, _, _) ->
                    switch (code) {
                        case TRANSFORMATION_FAILED, INTERRUPTED -> NONE;
                        default -> FAILED;
                    };
        };
    }
}
