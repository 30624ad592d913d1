package dev.sluice.engine.commit;

import java.time.Duration;

/// Decides how long heavy events (those with a large payload or many deliveries) rest after some of
/// them have been committed. While they rest, they are held back.
///
/// While light events are arriving, heavy events normally get at most a third of the writer's time:
/// after each commit of heavy events, they rest for twice as long as the commit took, up to
/// [#MAX_REST]. Without this rest, a flood of heavy events would keep the database busy, and light
/// events would wait for the database even though the writer takes them first.
///
/// Heavy events do not rest if no light event was written shortly before their commit. All times
/// are [System#nanoTime] values. Not thread-safe.
final class HeavyRest {

    private static final int REST_FACTOR = 2;

    /// The maximum rest. This cap matters mainly when something other than the heavy events made
    /// the commit slow, such as a database that was not responding.
    static final Duration MAX_REST = Duration.ofMillis(200);

    /// Heavy events rest only if light events were written within this time before the commit of
    /// the heavy events began. This time does not exceed the maximum rest, so that a few light
    /// events a second do not slow down heavy events permanently.
    private static final Duration LIGHT_TIMEOUT = MAX_REST;

    private boolean isLightKnown;
    private long lightAt;
    private long restEnd;
    private boolean isResting;
    private boolean isOver;

    /// Records that light events were written.
    void wroteLight(long now) {
        isLightKnown = true;
        lightAt = now;
    }

    /// Records that heavy events were written from `begun` to `now`.
    void wroteHeavy(long begun, long now) {
        isResting = isLightKnown && begun - lightAt < LIGHT_TIMEOUT.toNanos();
        restEnd = now + Math.min(REST_FACTOR * (now - begun), MAX_REST.toNanos());
    }

    /// Ends the current rest and allows no further ones, because the writer must empty its queue.
    void end() {
        isOver = true;
    }

    /// Returns the number of nanoseconds for which heavy events must still rest, or 0 if they may
    /// be written.
    long left(long now) {
        return isResting && !isOver ? Math.max(0, restEnd - now) : 0;
    }
}
