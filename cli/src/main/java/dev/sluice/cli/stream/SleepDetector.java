package dev.sluice.cli.stream;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;

/// Notices that the machine was asleep: the wall clock goes on meanwhile, the monotonic clock does
/// not.
final class SleepDetector {

    /// A smaller difference may be a correction of the wall clock.
    private static final Duration MIN_DIFFERENCE = Duration.ofSeconds(10);

    private final InstantSource wallClock;
    private final Instant wallStart;
    private final long monotonicStart = System.nanoTime();

    SleepDetector(InstantSource wallClock) {
        this.wallClock = wallClock;
        this.wallStart = wallClock.instant();
    }

    /// Returns whether the machine was asleep since this detector was made, or somebody moved its
    /// clock on.
    boolean hasSlept() {
        return Duration.between(wallStart, wallClock.instant())
                        .minusNanos(System.nanoTime() - monotonicStart)
                        .compareTo(MIN_DIFFERENCE)
                > 0;
    }
}
