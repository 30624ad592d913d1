package dev.sluice.cli.stream;

import java.time.Duration;

/// How long an [EventFeed] waits.
///
/// @param forData after this time without data, a stream counts as lost
/// @param forReconnect how long to try to reconnect a lost stream
public record StreamPatience(Duration forData, Duration forReconnect) {

    /// The server sends a heartbeat every 15 s.
    private static final Duration FOR_DATA = Duration.ofSeconds(35);

    public static StreamPatience forReconnect(Duration time) {
        return new StreamPatience(FOR_DATA, time);
    }
}
