package dev.sluice.cli.forward;

import java.time.Duration;

/// What came of sending an event to a local address.
public sealed interface ForwardResult {

    Duration latency();

    /// Whether the local service answered 2xx.
    boolean isSuccess();

    /// @param excerpt the beginning of the answer's body
    record Answered(int status, String excerpt, Duration latency) implements ForwardResult {

        @Override
        public boolean isSuccess() {
            return status / 100 == 2;
        }
    }

    /// @param problem for people, such as `nothing is listening on localhost:3000`
    record Unanswered(String problem, Duration latency) implements ForwardResult {

        @Override
        public boolean isSuccess() {
            return false;
        }
    }
}
