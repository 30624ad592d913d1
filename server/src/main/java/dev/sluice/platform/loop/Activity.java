package dev.sluice.platform.loop;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.LongSupplier;

/// Tells whether this process has had something to do lately. While it has not, its chores run less
/// often, so that a server at rest uses little CPU.
///
/// Code that handles a webhook, a delivery, an API request or an open stream calls [#mark]; so does
/// a chore that has more to do. The first mark after a rest wakes the chores. Thread-safe.
public final class Activity {

    /// How long after the last mark the process counts as idle.
    static final Duration IDLE_AFTER = Duration.ofSeconds(10);

    /// While the process is idle, an interval is normally this many times as long, up to
    /// [#MAX_IDLE_INTERVAL].
    private static final int IDLE_FACTOR = 5;

    /// What is read at this interval may come from another node, so it must not be much later than
    /// usual.
    static final Duration MAX_IDLE_INTERVAL = Duration.ofSeconds(5);

    /// Marks within this time of the last one are not recorded, so that they cost only a read.
    private static final Duration RESOLUTION = Duration.ofSeconds(1);

    private final LongSupplier nanos;
    private final List<Runnable> listeners = new CopyOnWriteArrayList<>();
    private volatile long markedNanos;

    public Activity() {
        this(System::nanoTime);
    }

    /// @param nanos the monotonic clock of this process
    Activity(LongSupplier nanos) {
        this.nanos = nanos;
        markedNanos = nanos.getAsLong();
    }

    /// Records that there is something to do. Cheap enough to be called for each event.
    public void mark() {
        long now = nanos.getAsLong();
        long rested = now - markedNanos;
        if (rested < RESOLUTION.toNanos()) {
            return;
        }
        markedNanos = now;
        if (rested >= IDLE_AFTER.minus(RESOLUTION).toNanos()) { // a chore may just have looked
            listeners.forEach(Runnable::run);
        }
    }

    /// Adds a callback for the first mark after a rest; it must return quickly.
    void onResume(Runnable listener) {
        listeners.add(listener);
    }

    boolean isIdle() {
        return nanos.getAsLong() - markedNanos >= IDLE_AFTER.toNanos();
    }

    /// Returns how long a chore with this interval normally waits while the process is idle.
    static Duration stretch(Duration interval) {
        if (interval.compareTo(MAX_IDLE_INTERVAL) >= 0) {
            return interval;
        }
        var longer = interval.multipliedBy(IDLE_FACTOR);
        return longer.compareTo(MAX_IDLE_INTERVAL) < 0 ? longer : MAX_IDLE_INTERVAL;
    }
}
