package dev.sluice.platform.http;

import java.time.Duration;

/// How long the HTTP server waits for slow clients.
///
/// @param idle how long a connection may be idle: between two requests, between two bytes of a
///   body, or while the client is not reading the reply
/// @param head the longest time from the first byte of a request to the end of its headers
/// @param body how far a body may fall behind the minimum rate, as a time; also the maximum length
///   of a pause within a body
record HttpTimeouts(Duration idle, Duration head, Duration body) {

    static final HttpTimeouts DEFAULT_TIMEOUTS =
            new HttpTimeouts(
                    Duration.ofSeconds(30), Duration.ofSeconds(10), Duration.ofSeconds(10));

    /// The minimum rate at which a body must arrive.
    static final int MIN_BODY_BYTES_PER_SECOND = 1024;

    private static final long NANOS_PER_BODY_BYTE = 1_000_000_000L / MIN_BODY_BYTES_PER_SECOND;

    /// Returns the initial deadline for a body, before any of its bytes have arrived.
    long bodyDeadline(long now) {
        return now + body.toNanos();
    }

    /// Returns the new deadline for a body after `bytes` more bytes have arrived.
    ///
    /// Each byte extends the deadline by the time that the byte takes at the minimum rate (a token
    /// bucket). The deadline is never more than `body` away, so a body that arrives fast at first
    /// cannot stall for longer than any other body.
    long extendBodyDeadline(long deadline, int bytes, long now) {
        return now + Math.min(deadline - now + bytes * NANOS_PER_BODY_BYTE, body.toNanos());
    }
}
