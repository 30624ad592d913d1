package dev.sluice.relay;

import java.time.Duration;
import java.util.Optional;

/// The outcome of one attempt: a response, or the reason why there was none.
public sealed interface Outcome {

    /// The time from the start of the DNS lookup until the response was read or the attempt was
    /// abandoned.
    Duration latency();

    /// The destination responded.
    ///
    /// @param body at most the first 4 KiB of the response, as text
    /// @param retryAfter the wait requested by the response's `Retry-After` header, if it has one
    record DestinationResponse(
            int status, String body, Duration latency, Optional<Duration> retryAfter)
            implements Outcome {}

    /// No usable response arrived.
    ///
    /// @param detail one sentence for the attempt's record
    record AttemptError(ErrorCode code, String detail, Duration latency) implements Outcome {}
}
