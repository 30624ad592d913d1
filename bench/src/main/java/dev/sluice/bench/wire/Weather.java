package dev.sluice.bench.wire;

import java.time.Duration;
import java.util.Set;

/// How a wire treats what passes.
///
/// @param delay of each byte, in each direction
/// @param bytesPerSecond in each direction; 0 is unlimited
/// @param blocked directions in which nothing passes; what was sent meanwhile passes later, as TCP
///   would send it again
/// @param cutAfter a connection is reset once so many bytes came from the client; 0 is never
public record Weather(Duration delay, int bytesPerSecond, Set<Direction> blocked, long cutAfter) {

    /// Everything passes at once.
    public static final Weather FAIR = new Weather(Duration.ZERO, 0, Set.of(), 0);

    /// Seen from the client, who connects.
    public enum Direction {
        TO_SERVER,
        TO_CLIENT
    }

    public Weather {
        blocked = Set.copyOf(blocked);
    }

    public static Weather blocked(Direction... directions) {
        return new Weather(Duration.ZERO, 0, Set.of(directions), 0);
    }

    public static Weather delayed(Duration delay) {
        return new Weather(delay, 0, Set.of(), 0);
    }

    public static Weather narrow(int bytesPerSecond) {
        return new Weather(Duration.ZERO, bytesPerSecond, Set.of(), 0);
    }

    public static Weather cutAfter(long bytes) {
        return new Weather(Duration.ZERO, 0, Set.of(), bytes);
    }
}
