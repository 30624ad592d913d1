package dev.sluice.cli.stream;

import java.time.Duration;

/// The timeouts of an [EventFeed].
///
/// @param noData after this time without data, a stream counts as lost
/// @param reconnect how long to try to reconnect a lost stream
public record StreamTimeouts(Duration noData, Duration reconnect) {

    /// The server sends a heartbeat every 15 s.
    private static final Duration NO_DATA = Duration.ofSeconds(35);

    public static StreamTimeouts withReconnect(Duration time) {
        return new StreamTimeouts(NO_DATA, time);
    }
}
