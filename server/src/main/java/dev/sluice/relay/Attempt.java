package dev.sluice.relay;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.UUID;

/// The record of one HTTP request made for a delivery.
///
/// @param number the position among the delivery's attempts, starting at 1
/// @param revision identifies the version of the destination's address that was used
/// @param latency from the start of the DNS lookup to the last byte of the response, or until the
///   attempt was given up
/// @param responseBody at most the first 4 KiB
public record Attempt(
        int number,
        Instant attemptedAt,
        UUID revision,
        Duration latency,
        Optional<Integer> responseStatus,
        Optional<ErrorCode> errorCode,
        Optional<String> errorMessage,
        Optional<String> responseBody) {

    /// Returns a copy with another number.
    public Attempt withNumber(int other) {
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
