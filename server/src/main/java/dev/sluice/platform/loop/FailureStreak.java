package dev.sluice.platform.loop;

import java.time.Duration;
import java.util.function.LongSupplier;

/// Counts the failures in a row of something that is tried again and again. Thread-safe.
///
/// A streak is long from the third failure on, and also when no success has followed one failure
/// within thirty seconds of the next try. Shorter ones are ordinary: a connection breaks, a lock is
/// held.
public final class FailureStreak {

    private static final int MAX_ORDINARY_FAILURES = 2;
    private static final Duration MAX_ORDINARY_DURATION = Duration.ofSeconds(30);

    private final LongSupplier nanos;
    private final long maxOrdinaryNanos;

    /// Guarded, like the next field, by this object's monitor.
    private int failures;

    private long firstFailureNanos;

    /// @param interval how long after a failure the next try begins
    public FailureStreak(Duration interval) {
        this(interval, System::nanoTime);
    }

    /// @param nanos the monotonic clock of this process
    FailureStreak(Duration interval, LongSupplier nanos) {
        this.nanos = nanos;
        this.maxOrdinaryNanos = interval.plus(MAX_ORDINARY_DURATION).toNanos();
    }

    public synchronized void failed() {
        if (failures == 0) {
            firstFailureNanos = nanos.getAsLong();
        }
        failures++;
    }

    public synchronized void succeeded() {
        failures = 0;
    }

    public synchronized boolean isLong() {
        return failures > MAX_ORDINARY_FAILURES
                || (failures > 0 && nanos.getAsLong() - firstFailureNanos >= maxOrdinaryNanos);
    }
}
