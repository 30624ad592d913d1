package dev.sluice.relay;

import java.time.Duration;
import java.util.Optional;

/// What one attempt came to.
public sealed interface Outcome {

    /// From the moment the address was looked up to the last byte read, or to giving up.
    Duration latency();

    /// The destination answered.
    ///
    /// @param body the beginning of the answer, at most 4 KiB of it, as text
    /// @param retryAfter how long the answer's `Retry-After` asks to wait, where it has one
    record Answered(int status, String body, Duration latency, Optional<Duration> retryAfter)
            implements Outcome {}

    /// No usable answer came. `detail` is one sentence for the attempt's record.
    record Unreachable(ErrorCode code, String detail, Duration latency) implements Outcome {}
}
