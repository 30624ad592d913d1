package dev.sluice.observe.stream;

import dev.sluice.account.workspace.WorkspaceId;
import dev.sluice.gateway.source.SourceId;
import dev.sluice.platform.db.TxSnapshot;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/// The queue between the feed and one stream.
///
/// It is bounded. When it is full, it is emptied, and the stream reads from the database what it
/// missed. The feed never waits for a stream. Thread-safe.
final class FeedSubscription {

    private static final int MAX_QUEUED_BYTES = 2 << 20;
    private static final int MAX_QUEUED_ROUNDS = 100;

    /// A part of a round for this stream.
    ///
    /// @param start the cursor before the first of these events
    /// @param next the cursor behind the last one
    record RoundPart(StreamCursor start, List<StreamEvent> events, StreamCursor next) {}

    private final StreamSelection selection;

    /// Everything after this snapshot comes through the queue. Set before the stream sees it.
    private @Nullable TxSnapshot joinedAt;

    private final Deque<RoundPart> queue = new ArrayDeque<>();
    private long queuedBytes;
    private boolean isOverflown;

    FeedSubscription(StreamSelection selection) {
        this.selection = selection;
    }

    StreamSelection selection() {
        return selection;
    }

    void joinAt(TxSnapshot snapshot) {
        joinedAt = snapshot;
    }

    TxSnapshot joinedAt() {
        if (joinedAt == null) {
            throw new IllegalStateException("not joined");
        }
        return joinedAt;
    }

    boolean wants(SourceId source, @Nullable WorkspaceId workspace) {
        return selection.workspace().equals(workspace) && selection.includes(source);
    }

    /// Queues a part of a round. Returns false when the queue is full, now or before.
    synchronized boolean offer(RoundPart part) {
        if (isOverflown) {
            return false;
        }
        if (part.events().isEmpty() && !queue.isEmpty()) {
            return true; // the next part says where it starts
        }
        for (var event : part.events()) {
            queuedBytes += event.memoryBytes();
        }
        queue.add(part);
        if (queuedBytes > MAX_QUEUED_BYTES || queue.size() > MAX_QUEUED_ROUNDS) {
            overflow();
        }
        notifyAll();
        return !isOverflown;
    }

    /// Empties the queue for good. The stream must join again.
    synchronized void overflow() {
        isOverflown = true;
        queue.clear();
        notifyAll();
    }

    /// Returns the next part, or empty after `wait`, or at once when the queue was full.
    synchronized Optional<RoundPart> poll(Duration wait) throws InterruptedException {
        long deadline = System.nanoTime() + wait.toNanos();
        while (queue.isEmpty() && !isOverflown) {
            long left = deadline - System.nanoTime();
            if (left <= 0) {
                break;
            }
            TimeUnit.NANOSECONDS.timedWait(this, left);
        }
        var part = Optional.ofNullable(queue.poll());
        part.ifPresent(
                taken -> taken.events().forEach(event -> queuedBytes -= event.memoryBytes()));
        return part;
    }

    /// Whether the stream missed something and must read it itself.
    synchronized boolean isOverflown() {
        return isOverflown;
    }
}
