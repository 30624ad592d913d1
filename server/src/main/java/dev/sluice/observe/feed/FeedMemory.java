package dev.sluice.observe.feed;

import org.jspecify.annotations.Nullable;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.SequencedSet;

/// Counts the memory of the items that wait in the queues of this node's streams. The items of a
/// page are counted once, however many queues contain them. Thread-safe.
final class FeedMemory {

    /// Items that the feed read together. Queues contain some or all of them.
    static final class FeedPage {
        private final long bytes;

        /// The number of queues that contain items of this page. The next field is the size of
        /// these items in all queues. Both are guarded by the memory.
        private int queues;

        private long queuedBytes;

        FeedPage(List<? extends StreamItem> items) {
            bytes = items.stream().mapToLong(StreamItem::memoryBytes).sum();
        }

        /// Returns the memory of the page. The queues may contain the same items of the page, or
        /// different ones.
        private long memoryBytes() {
            return Math.min(bytes, queuedBytes);
        }
    }

    private final long maxBytes;

    /// The pages that a queue contains, oldest first.
    private final SequencedSet<FeedPage> pages = new LinkedHashSet<>();

    private long bytes;

    FeedMemory(long maxBytes) {
        this.maxBytes = maxBytes;
    }

    /// @param itemBytes the size of the page's items in the queue
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

    /// Returns the oldest page if there is too little memory; null otherwise. The caller then
    /// empties the queues that contain this page, which are the queues of the slowest streams.
    synchronized @Nullable FeedPage oldestIfFull() {
        return bytes > maxBytes ? pages.getFirst() : null;
    }
}
