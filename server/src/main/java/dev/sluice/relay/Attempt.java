package dev.sluice.relay;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.UUID;

/// One HTTP request made for a delivery, as it is recorded.
///
/// @param number 1-based
/// @param revision of the destination it went to
public record Attempt(
        int number,
        Instant attemptedAt,
        UUID revision,
        Duration latency,
        Optional<Integer> responseStatus,
        Optional<ErrorCode> errorCode,
        Optional<String> errorMessage,
        Optional<String> responseBody) {

    /// The same under another number.
    public Attempt at(int other) {
        return new Attempt(
                other,
                attemptedAt,
                revision,
                latency,
                responseStatus,
                errorCode,
                errorMessage,
                responseBody);
    }
}
