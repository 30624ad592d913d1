package dev.sluice.observe.feed;

import org.jspecify.annotations.Nullable;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.SequencedSet;

/// Tracks how much memory is used by the items in the queues of this node's streams. The items of a
/// page are counted once, however many queues contain them. Thread-safe.
final class FeedMemory {

    /// Items that the feed read together. A queue may contain some or all of them.
    static final class FeedPage {
        private final long bytes;

        /// The number of queues that contain items of this page. `queuedBytes` is the total size of
        /// those items; an item that is in several queues counts once for each queue. Both fields
        /// are guarded by the enclosing `FeedMemory`.
        private int queues;

        private long queuedBytes;

        FeedPage(List<? extends StreamItem> items) {
            bytes = items.stream().mapToLong(StreamItem::memoryBytes).sum();
        }

        /// Returns an upper bound for the memory that the page's queued items take. Queues that
        /// contain the same item share one object, so the bound is never more than the size of the
        /// whole page.
        private long memoryBytes() {
            return Math.min(bytes, queuedBytes);
        }
    }

    private final long maxBytes;

    /// The pages with items in at least one queue, oldest first.
    private final SequencedSet<FeedPage> pages = new LinkedHashSet<>();

    private long bytes;

    FeedMemory(long maxBytes) {
        this.maxBytes = maxBytes;
    }

    /// @param itemBytes the size of the items of this page that the queue contains
    synchronized void enteredQueue(FeedPage page, long itemBytes) {
        pages.add(page);
        page.queues++;
        change(page, itemBytes);
    }

    /// @param itemBytes as for [#enteredQueue]
    synchronized void leftQueue(FeedPage page, long itemBytes) {
        page.queues--;
        if (page.queues == 0) {
            pages.remove(page);
        }
        change(page, -itemBytes);
    }

    private void change(FeedPage page, long itemBytes) {
        bytes -= page.memoryBytes();
        page.queuedBytes += itemBytes;
        bytes += page.memoryBytes();
    }

    /// Returns the oldest page if the items take more memory than allowed, or null otherwise. The
    /// caller must then empty the queues that begin with this page, which belong to the slowest
    /// streams.
    synchronized @Nullable FeedPage oldestIfFull() {
        return bytes > maxBytes ? pages.getFirst() : null;
    }
}
