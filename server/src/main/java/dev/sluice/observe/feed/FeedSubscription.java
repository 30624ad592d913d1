package dev.sluice.observe.feed;

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

/// The queue between the [StreamFeed] and one live stream.
///
/// The queue is bounded. When it overflows, it is emptied and the subscription ends. The stream
/// then reads the events that it missed from the database. The feed never waits for a stream.
/// Thread-safe.
public final class FeedSubscription {

    private static final int MAX_QUEUED_BYTES = 16 << 20;
    private static final int MAX_QUEUED_ROUNDS = 100;

    /// Some of the items that one round of the feed delivers to this stream.
    ///
    /// @param start the cursor before the first of these items
    /// @param next the cursor after the last of these items
    public record RoundPart(
            StreamCursor start, List<? extends StreamItem> items, StreamCursor next) {}

    private record QueuedPart(RoundPart part, FeedMemory.FeedPage page, long bytes) {}

    private final StreamSelection selection;
    private final FeedMemory memory;

    /// The snapshot at which the stream joined the feed. The feed adds everything that this
    /// snapshot does not see to the queue. Set before the stream receives the subscription.
    private @Nullable TxSnapshot joinedAt;

    private final Deque<QueuedPart> queue = new ArrayDeque<>();
    private long queuedBytes;
    private boolean hasOverflowed;

    /// @param memory tracks the memory that the items in the queue take
    FeedSubscription(StreamSelection selection, FeedMemory memory) {
        this.selection = selection;
        this.memory = memory;
    }

    StreamSelection selection() {
        return selection;
    }

    void joinAt(TxSnapshot snapshot) {
        joinedAt = snapshot;
    }

    public TxSnapshot joinedAt() {
        if (joinedAt == null) {
            throw new IllegalStateException("not joined");
        }
        return joinedAt;
    }

    boolean wants(SourceId source, @Nullable WorkspaceId workspace) {
        return selection.workspace().equals(workspace) && selection.includes(source);
    }

    /// Adds a part of a round to the queue. Returns false if the queue overflows or has overflowed
    /// before. Drops a part without items unless the queue is empty.
    ///
    /// @param page contains the part's items
    synchronized boolean offer(RoundPart part, FeedMemory.FeedPage page) {
        if (hasOverflowed) {
            return false;
        }
        if (part.items().isEmpty() && !queue.isEmpty()) {
            return true; // the next part contains its own start
        }
        long bytes = part.items().stream().mapToLong(StreamItem::memoryBytes).sum();
        queue.add(new QueuedPart(part, page, bytes));
        queuedBytes += bytes;
        memory.enteredQueue(page, bytes);
        if (queuedBytes > MAX_QUEUED_BYTES || queue.size() > MAX_QUEUED_ROUNDS) {
            overflow();
        }
        notifyAll();
        return !hasOverflowed;
    }

    /// Returns whether the oldest part in the queue contains items of this page.
    synchronized boolean beginsWith(FeedMemory.FeedPage page) {
        return !queue.isEmpty() && queue.peekFirst().page() == page;
    }

    /// Empties the queue and ends the subscription. The stream must join the feed again.
    synchronized void overflow() {
        hasOverflowed = true;
        queue.forEach(queued -> memory.leftQueue(queued.page(), queued.bytes()));
        queue.clear();
        notifyAll();
    }

    /// Returns the next part. Returns empty if none arrives within `wait`, or at once if the queue
    /// has overflowed.
    public synchronized Optional<RoundPart> poll(Duration wait) throws InterruptedException {
        long deadline = System.nanoTime() + wait.toNanos();
        while (queue.isEmpty() && !hasOverflowed) {
            long left = deadline - System.nanoTime();
            if (left <= 0) {
                break;
            }
            TimeUnit.NANOSECONDS.timedWait(this, left);
        }
        @Nullable QueuedPart taken = queue.poll();
        if (taken == null) {
            return Optional.empty();
        }
        queuedBytes -= taken.bytes();
        memory.leftQueue(taken.page(), taken.bytes());
        return Optional.of(taken.part());
    }

    /// Returns whether the queue has overflowed. If it has, the stream must read the missed events
    /// from the database.
    public synchronized boolean hasOverflowed() {
        return hasOverflowed;
    }
}
