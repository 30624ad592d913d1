package dev.sluice.platform.loop;

import java.time.Duration;
import java.util.function.LongSupplier;

/// Counts consecutive failures of a repeated operation. Thread-safe.
///
/// A streak is long once it has three failures, or once thirty seconds have passed since its first
/// retry was due. Shorter streaks are normal, for example when a connection breaks or a lock is
/// held.
public final class FailureStreak {

    private static final int MAX_ORDINARY_FAILURES = 2;
    private static final Duration MAX_ORDINARY_DURATION = Duration.ofSeconds(30);

    private final LongSupplier nanos;
    private final long maxOrdinaryNanos;

    /// This field and the next two are guarded by this object's monitor.
    private int failures;

    private long firstFailureNanos;
    private long lastFailureNanos;

    /// @param interval the time between a failure and the next try
    public FailureStreak(Duration interval) {
        this(interval, System::nanoTime);
    }

    /// @param nanos the monotonic clock of this process
    FailureStreak(Duration interval, LongSupplier nanos) {
        this.nanos = nanos;
        this.maxOrdinaryNanos = interval.plus(MAX_ORDINARY_DURATION).toNanos();
    }

    public synchronized void failed() {
        lastFailureNanos = nanos.getAsLong();
        if (failures == 0) {
            firstFailureNanos = lastFailureNanos;
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

    /// Whether the last try failed, and more than `time` has passed since the first failure.
    public synchronized boolean hasLasted(Duration time) {
        return failures > 0 && nanos.getAsLong() - firstFailureNanos > time.toNanos();
    }

    /// Whether the last try failed, and the failure happened less than `time` ago.
    public synchronized boolean hasFailedWithin(Duration time) {
        return failures > 0 && nanos.getAsLong() - lastFailureNanos < time.toNanos();
    }
}
