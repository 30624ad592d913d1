package dev.sluice.observe.feed;

import org.jspecify.annotations.Nullable;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;

/// Counts the memory of the pages that wait in the queues of this node's streams. A page is counted
/// once, however many queues contain it. Thread-safe.
final class FeedMemory {

    /// Items that the feed read together. Queues contain some or all of them.
    static final class FeedPage {
        private final long bytes;

        /// How many queues contain items of this page. Guarded by the memory.
        private int queues;

        FeedPage(List<? extends StreamItem> items) {
            bytes = items.stream().mapToLong(StreamItem::memoryBytes).sum();
        }
    }

    private final long maxBytes;

    /// The pages that a queue contains, oldest first; among them, some that none contains any more.
    private final Deque<FeedPage> pages = new ArrayDeque<>();

    private long bytes;

    FeedMemory(long maxBytes) {
        this.maxBytes = maxBytes;
    }

    synchronized void enteredQueue(FeedPage page) {
        if (page.queues == 0) {
            pages.addLast(page);
            bytes += page.bytes;
        }
        page.queues++;
    }

    synchronized void leftQueue(FeedPage page) {
        page.queues--;
        if (page.queues == 0) {
            bytes -= page.bytes;
        }
        while (!pages.isEmpty() && pages.getFirst().queues == 0) {
            pages.removeFirst();
        }
    }

    /// Returns the oldest page if there is too little memory, so that the caller empties the queues
    /// that contain it. Those are the queues of the slowest streams.
    synchronized @Nullable FeedPage oldestIfFull() {
        return bytes > maxBytes ? pages.peekFirst() : null;
    }
}
