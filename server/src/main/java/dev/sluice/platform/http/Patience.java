package dev.sluice.platform.http;

import java.time.Duration;

/// How long slow senders are waited for.
///
/// @param idle between two requests, between two bytes of a body, and for a receiver that takes
///   nothing of its answer
/// @param head from the first byte of a request to the end of its headers
/// @param body before the least rate of a body is asked for
record Patience(Duration idle, Duration head, Duration body) {

    static final Patience USUAL =
            new Patience(Duration.ofSeconds(30), Duration.ofSeconds(10), Duration.ofSeconds(10));

    /// How slow a body may be after that, in bytes a second.
    static final int LEAST_RATE = 1024;

    /// How many nanoseconds after its beginning a body must have brought more than `length` bytes.
    long nanosFor(int length) {
        return Math.max(body.toNanos(), length * (1_000_000_000L / LEAST_RATE));
    }
}
