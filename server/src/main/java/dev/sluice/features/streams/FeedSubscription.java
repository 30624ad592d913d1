package dev.sluice.features.streams;

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
/// then joins the feed again, and reads the missed events from the database. The feed never waits
/// for a stream. Thread-safe.
public final class FeedSubscription {

    private static final int MAX_QUEUED_BYTES = 32 << 20;
    private static final int MAX_QUEUED_ROUNDS = 100;

    /// Some of the items that one round of the feed delivers to this stream.
    ///
    /// @param start the cursor before the first of these items
    /// @param next the cursor after the last of these items
    /// @param bytes the memory that the items take up, in bytes
    public record RoundPart(
            StreamCursor start, List<? extends StreamItem> items, StreamCursor next, long bytes) {

        RoundPart(StreamCursor start, List<? extends StreamItem> items, StreamCursor next) {
            this(start, items, next, items.stream().mapToLong(StreamItem::memoryBytes).sum());
        }
    }

    private record QueuedPart(RoundPart part, FeedMemory.FeedPage page) {}

    private final StreamSelection selection;
    private final StreamSelection sharedItems;
    private final FeedMemory memory;

    /// The snapshot at which the stream joined the feed, set before the stream receives the
    /// subscription. The queue gets every item that the stream wants and that this snapshot does
    /// not see.
    private @Nullable TxSnapshot joinedAt;

    private final Deque<QueuedPart> queue = new ArrayDeque<>();
    private long queuedBytes;
    private boolean hasOverflowed;

    /// @param memory tracks how much memory the queued items use
    FeedSubscription(StreamSelection selection, FeedMemory memory) {
        this.selection = selection;
        this.sharedItems = selection.sharedItems();
        this.memory = memory;
    }

    StreamSelection selection() {
        return selection;
    }

    /// Returns the key under which the feed looks up the parts that this stream shares with other
    /// streams; see [StreamSelection#sharedItems].
    StreamSelection sharedItems() {
        return sharedItems;
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

    /// Adds a part of a round to the queue. Returns false if the queue overflows or has already
    /// overflowed. A part without items is dropped unless the queue is empty.
    ///
    /// @param page contains the part's items
    synchronized boolean offer(RoundPart part, FeedMemory.FeedPage page) {
        if (hasOverflowed) {
            return false;
        }
        if (part.items().isEmpty() && !queue.isEmpty()) {
            return true; // the next part contains its own start
        }
        queue.add(new QueuedPart(part, page));
        queuedBytes += part.bytes();
        memory.enteredQueue(page, part.bytes());
        if (queuedBytes > MAX_QUEUED_BYTES || queue.size() > MAX_QUEUED_ROUNDS) {
            overflow();
        }
        notifyAll();
        return !hasOverflowed;
    }

    /// Returns whether the oldest part in the queue contains items from this page.
    synchronized boolean beginsWith(FeedMemory.FeedPage page) {
        return !queue.isEmpty() && queue.peekFirst().page() == page;
    }

    /// Empties the queue and ends the subscription. The stream must join the feed again.
    synchronized void overflow() {
        hasOverflowed = true;
        queue.forEach(queued -> memory.leftQueue(queued.page(), queued.part().bytes()));
        queue.clear();
        notifyAll();
    }

    /// Returns the next part. Returns empty if none arrives within `wait`, or immediately if the
    /// queue has overflowed.
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
        queuedBytes -= taken.part().bytes();
        memory.leftQueue(taken.page(), taken.part().bytes());
        return Optional.of(taken.part());
    }

    /// Returns whether the queue has overflowed. If it has, the stream must read the missed events
    /// from the database.
    public synchronized boolean hasOverflowed() {
        return hasOverflowed;
    }
}
