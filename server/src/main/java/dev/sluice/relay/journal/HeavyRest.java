package dev.sluice.relay.journal;

import java.time.Duration;

/// Decides how long heavy events rest after a commit of heavy events. While light events arrive,
/// heavy events get at most a third of the writer's time: after a commit of heavy events they rest
/// for twice the time that it took. Without the rest, a flood of heavy events would keep the
/// database busy, and light events would wait for it although they are taken first.
///
/// Heavy events do not rest if no light event was written shortly before their commit. All times
/// are those of [System#nanoTime]. Not thread-safe.
final class HeavyRest {

    private static final int REST_FACTOR = 2;

    /// Limits the rest after a commit that was slow for another reason, such as a database that did
    /// not answer.
    static final Duration MAX_REST = Duration.ofMillis(200);

    /// How long before a commit of heavy events light events must have been written for a rest. It
    /// is as long as a rest: a few light events a second do not slow down heavy ones for good.
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

    /// Ends the rest for good, because the writer must empty its queue.
    void end() {
        isOver = true;
    }

    /// Returns for how many more nanoseconds heavy events rest; 0 if they may be written.
    long left(long now) {
        return isResting && !isOver ? Math.max(0, restEnd - now) : 0;
    }
}
