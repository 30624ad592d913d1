package dev.sluice.faults.wire;

import java.time.Duration;
import java.util.Set;

/// The conditions that a proxy imposes on its connections: delay, limited bandwidth and
/// interruptions.
///
/// @param delay how long each byte is delayed, in each direction
/// @param bytesPerSecond the bandwidth in each direction; 0 means unlimited
/// @param blocked the directions in which no data passes. Data sent while a direction is blocked
///   arrives once the direction is unblocked, as on a real network, where TCP retransmits it
/// @param cutAfter the number of bytes from the client after which a connection is reset; 0 means
///   never
public record LinkConditions(
        Duration delay, int bytesPerSecond, Set<LinkDirection> blocked, long cutAfter) {

    /// Conditions that impair nothing: all data passes immediately.
    public static final LinkConditions UNIMPAIRED =
            new LinkConditions(Duration.ZERO, 0, Set.of(), 0);

    /// A direction as seen from the client, which is the side that connects.
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
