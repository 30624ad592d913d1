package dev.sluice.platform.loop;

import java.time.Duration;
import java.util.function.LongSupplier;

/// Tells whether this process has had something to do recently. If not, its chores run less often,
/// so that an idle server uses little CPU.
///
/// Code that handles a webhook, a delivery, an API request or an open stream calls [#mark]. It is
/// also called when a chore has more to do. The first call after an idle period wakes the chores.
/// Thread-safe.
public final class Activity {

    /// The process counts as idle when [#mark] has not been called for this long.
    static final Duration IDLE_AFTER = Duration.ofSeconds(10);

    /// While the process is idle, the interval of a chore is multiplied by this number, up to
    /// [#MAX_IDLE_INTERVAL]. This does not apply to a chore that sets its own idle interval.
    private static final int IDLE_FACTOR = 5;

    /// No interval is stretched beyond this. Some chores read data that comes from other nodes, so
    /// they must not run much later than usual.
    public static final Duration MAX_IDLE_INTERVAL = Duration.ofSeconds(5);

    /// The minimum time between two recorded marks. A mark within this time of the last recorded
    /// one is ignored, so it costs only a read.
    private static final Duration RESOLUTION = Duration.ofSeconds(1);

    private final LongSupplier nanos;
    private final Wake resumed = new Wake();
    private volatile long markedNanos;

    public Activity() {
        this(System::nanoTime);
    }

    /// @param nanos the monotonic clock of this process
    Activity(LongSupplier nanos) {
        this.nanos = nanos;
        markedNanos = nanos.getAsLong();
    }

    /// Records that there is something to do. Cheap enough to call for each event.
    public void mark() {
        long now = nanos.getAsLong();
        long rested = now - markedNanos;
        if (rested < RESOLUTION.toNanos()) {
            return;
        }
        markedNanos = now;
        if (rested >= IDLE_AFTER.minus(RESOLUTION).toNanos()) { // isIdle() may have been true
            resumed.wake();
        }
    }

    /// Returns what is called on the first mark after an idle period.
    Wake resumed() {
        return resumed;
    }

    boolean isIdle() {
        return nanos.getAsLong() - markedNanos >= IDLE_AFTER.toNanos();
    }

    /// Returns how long a chore with this interval waits while the process is idle, unless the
    /// chore sets its own idle interval.
    static Duration stretch(Duration interval) {
        if (interval.compareTo(MAX_IDLE_INTERVAL) >= 0) {
            return interval;
        }
        var longer = interval.multipliedBy(IDLE_FACTOR);
        return longer.compareTo(MAX_IDLE_INTERVAL) < 0 ? longer : MAX_IDLE_INTERVAL;
    }
}
