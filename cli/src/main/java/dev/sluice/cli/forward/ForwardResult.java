package dev.sluice.cli.forward;

import java.time.Duration;

/// The result of sending an event to a local address.
public sealed interface ForwardResult {

    Duration latency();

    /// Returns whether the local service answered with a 2xx status.
    boolean isSuccess();

    /// @param excerpt the beginning of the response body
    record Answered(int status, String excerpt, Duration latency) implements ForwardResult {

        @Override
        public boolean isSuccess() {
            return status / 100 == 2;
        }
    }

    /// @param problem a human-readable phrase, such as `nothing is listening on localhost:3000`
    record Unanswered(String problem, Duration latency) implements ForwardResult {

        @Override
        public boolean isSuccess() {
            return false;
        }
    }
}
