package dev.sluice.engine;

import java.time.Duration;
import java.util.Optional;

/// The outcome of one attempt: a response, or the reason why there was none.
public sealed interface Outcome {

    /// The time from the start of the DNS lookup until the response was read or the attempt was
    /// abandoned.
    Duration latency();

    /// The destination responded.
    ///
    /// @param body the first bytes of the response, as text: at most 16 KiB, or 1 KiB of a success
    /// @param retryAfter the wait requested by the response's `Retry-After` header, if it has one
    /// @param remark something else to record: where a redirect leads, or what is wrong with the
    ///   rest of a response whose status is 2xx
    record DestinationResponse(
            int status,
            String body,
            Duration latency,
            Optional<Duration> retryAfter,
            Optional<String> remark)
            implements Outcome {

        public DestinationResponse(
                int status, String body, Duration latency, Optional<Duration> retryAfter) {
            this(status, body, latency, retryAfter, Optional.empty());
        }
    }

    /// No usable response arrived.
    ///
    /// @param detail one sentence for the attempt's record
    record AttemptError(ErrorCode code, String detail, Duration latency) implements Outcome {}
}
