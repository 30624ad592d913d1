package dev.sluice.platform.http;

import java.time.Duration;

/// How long the HTTP server waits for slow clients.
///
/// @param idle the longest pause between two requests, between two bytes of a body, or while a
///   client reads nothing of its reply
/// @param head the longest time from the first byte of a request to the end of its headers
/// @param body how far a body may fall behind its minimum rate, and so the longest time in which
///   nothing of it arrives
record HttpTimeouts(Duration idle, Duration head, Duration body) {

    static final HttpTimeouts DEFAULT_TIMEOUTS =
            new HttpTimeouts(
                    Duration.ofSeconds(30), Duration.ofSeconds(10), Duration.ofSeconds(10));

    /// The minimum rate at which a body must arrive.
    static final int MIN_BODY_BYTES_PER_SECOND = 1024;

    private static final long NANOS_PER_BODY_BYTE = 1_000_000_000L / MIN_BODY_BYTES_PER_SECOND;

    /// Returns the deadline of a body of which nothing has arrived.
    long bodyDeadline(long now) {
        return now + body.toNanos();
    }

    /// Returns the deadline of a body of which `bytes` more have arrived.
    ///
    /// Each byte buys its time at the minimum rate (a token bucket). Nobody can save more than
    /// `body` of it, so a body that was fast may not stall for longer than any other.
    long extendBodyDeadline(long deadline, int bytes, long now) {
        return now + Math.min(deadline - now + bytes * NANOS_PER_BODY_BYTE, body.toNanos());
    }
}
