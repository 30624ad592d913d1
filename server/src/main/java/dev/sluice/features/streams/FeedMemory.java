package dev.sluice.features.streams;

import org.jspecify.annotations.Nullable;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.SequencedSet;

/// Tracks how much memory is used by the items in the queues of this node's streams. A page's items
/// are counted only once, no matter how many queues contain them. Thread-safe.
final class FeedMemory {

    /// Items that the feed read together. A queue may contain some or all of them.
    static final class FeedPage {
        private final long bytes;

        /// The number of queues that contain items from this page. `queuedBytes` is the total size
        /// of those items; an item that is in several queues counts once for each queue. Both
        /// fields are guarded by the enclosing `FeedMemory`.
        private int queues;

        private long queuedBytes;

        FeedPage(List<? extends StreamItem> items) {
            bytes = items.stream().mapToLong(StreamItem::memoryBytes).sum();
        }

        /// Returns an upper bound on the memory that the page's queued items take up. Queues that
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

    /// @param itemBytes the total size of the items from this page that the queue contains
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

    /// Returns the oldest page if the items take up more memory than allowed, or null otherwise. If
    /// a page is returned, the caller must empty the queues that begin with it. They belong to the
    /// slowest streams.
    synchronized @Nullable FeedPage oldestIfFull() {
        return bytes > maxBytes ? pages.getFirst() : null;
    }
}
