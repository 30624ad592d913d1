package dev.sluice.faults.wire;

import java.time.Duration;
import java.util.Set;

/// The delay, bandwidth and interruptions of a proxy's connections.
///
/// @param delay of each byte, in each direction
/// @param bytesPerSecond in each direction; 0 is unlimited
/// @param blocked directions in which nothing passes; what was sent meanwhile passes later, as TCP
///   would send it again
/// @param cutAfter a connection is reset once so many bytes came from the client; 0 is never
public record LinkConditions(
        Duration delay, int bytesPerSecond, Set<LinkDirection> blocked, long cutAfter) {

    /// Everything passes at once.
    public static final LinkConditions UNIMPAIRED =
            new LinkConditions(Duration.ZERO, 0, Set.of(), 0);

    /// Seen from the client, who connects.
    public enum LinkDirection {
        TO_SERVER,
        TO_CLIENT
    }

    public LinkConditions {
        blocked = Set.copyOf(blocked);
    }

    public static LinkConditions blocked(LinkDirection... directions) {
        return new LinkConditions(Duration.ZERO, 0, Set.of(directions), 0);
    }

    public static LinkConditions delayed(Duration delay) {
        return new LinkConditions(delay, 0, Set.of(), 0);
    }

    public static LinkConditions throttled(int bytesPerSecond) {
        return new LinkConditions(Duration.ZERO, bytesPerSecond, Set.of(), 0);
    }

    public static LinkConditions cutAfter(long bytes) {
        return new LinkConditions(Duration.ZERO, 0, Set.of(), bytes);
    }
}
