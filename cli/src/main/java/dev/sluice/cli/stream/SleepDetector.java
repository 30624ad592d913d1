package dev.sluice.cli.stream;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;

/// Detects whether the machine was asleep. During sleep, the wall clock keeps running but the
/// monotonic clock stops.
final class SleepDetector {

    /// The minimum difference between the two clocks that counts as sleep. A smaller difference may
    /// just be a correction to the wall clock.
    private static final Duration MIN_DIFFERENCE = Duration.ofSeconds(10);

    private final InstantSource wallClock;
    private final Instant wallStart;
    private final long monotonicStart = System.nanoTime();

    SleepDetector(InstantSource wallClock) {
        this.wallClock = wallClock;
        this.wallStart = wallClock.instant();
    }

    /// Returns whether the machine was asleep, or the wall clock was moved forward, since this
    /// detector was created.
    boolean hasSlept() {
        return Duration.between(wallStart, wallClock.instant())
                        .minusNanos(System.nanoTime() - monotonicStart)
                        .compareTo(MIN_DIFFERENCE)
                > 0;
    }
}
