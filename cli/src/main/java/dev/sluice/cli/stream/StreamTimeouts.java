package dev.sluice.cli.stream;

import java.time.Duration;

/// The timeouts of an [EventFeed].
///
/// @param noData the time without data after which a stream counts as lost
/// @param reconnect how long to keep trying to reopen a lost stream
/// @param streamLimit if the workspace has too many open streams, how long to wait in total for one
///   of them to close
public record StreamTimeouts(Duration noData, Duration reconnect, Duration streamLimit) {

    /// The time without data after which a stream counts as lost. The server sends a heartbeat
    /// every 15 s.
    static final Duration NO_DATA = Duration.ofSeconds(35);

    public static StreamTimeouts of(Duration reconnect, Duration streamLimit) {
        return new StreamTimeouts(NO_DATA, reconnect, streamLimit);
    }
}
