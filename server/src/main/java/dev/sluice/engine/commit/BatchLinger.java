package dev.sluice.engine.commit;

import java.time.Duration;

/// Decides how long the writer pauses after a batch, so that more events share the cost of the next
/// commit.
///
/// A pause is useful only while events arrive. Some senders wait for a response before they send
/// their next event. These senders all send soon after a commit, and then send nothing until the
/// next commit. The length of the pause adapts to this: it shrinks if no event arrives in its last
/// third, and grows otherwise. A pause also ends early once as many events are queued as there are
/// senders that may be waiting ([#senders]). Not thread-safe.
final class BatchLinger {

    static final Duration MAX_LINGER = Duration.ofMillis(2);

    /// A shorter pause would end before all senders are back. If they are back sooner, it ends
    /// anyway ([#senders]).
    static final Duration MIN_LINGER = Duration.ofMillis(1);

    /// The writer pauses only after a batch of at least this many events. After such a batch, more
    /// events are likely to arrive soon.
    private static final int MIN_BATCH = 8;

    /// The writer does not pause if at least this many events are queued, or if their total cost is
    /// at least [#MAX_QUEUED_BYTES]. The next batch is then already large enough.
    private static final int MAX_QUEUED = 64;

    private static final int MAX_QUEUED_BYTES = 1 << 20;

    private static final double GROWTH = 1.5;
    private static final double SHRINKAGE = 0.9;

    private long nanos = MAX_LINGER.toNanos();

    /// Whether to pause before the next batch.
    ///
    /// @param lastBatch the number of events that were just written
    static boolean isUseful(int lastBatch, int queued, long queuedBytes) {
        return lastBatch >= MIN_BATCH && queued < MAX_QUEUED && queuedBytes < MAX_QUEUED_BYTES;
    }

    /// Returns the number of senders that may be waiting for a response: those whose events have
    /// been written and are about to be acknowledged, and those whose events are queued. If they
    /// all send their next event only after a response, no more than this many events can be
    /// queued. A sender that has been acknowledged may be back already, and would be counted twice.
    static int senders(int lastBatch, int queued) {
        return lastBatch + queued;
    }

    /// Returns the longest time that the next pause may take.
    Duration length() {
        return Duration.ofNanos(nanos);
    }

    /// Adapts the length of the next pause. Called after a pause of at most [#length].
    ///
    /// @param begun when the pause began, as a [System#nanoTime] value
    /// @param lastArrival when the last event arrived, whether before or during the pause
    void paused(long begun, long lastArrival) {
        boolean isLateArrival = lastArrival - begun > nanos * 2 / 3;
        double next = nanos * (isLateArrival ? GROWTH : SHRINKAGE);
        nanos = Math.clamp((long) next, MIN_LINGER.toNanos(), MAX_LINGER.toNanos());
    }
}
