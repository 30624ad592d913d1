package dev.sluice.engine.node;

import java.util.concurrent.atomic.AtomicLong;

/// A lock-free allocator for the slots of the in-flight file. Slot numbers start at 0.
///
/// It is implemented as a Treiber stack (published in 1986) in an array. The head contains the
/// number of the slot on top of the stack and a count of changes. The count reveals whether the top
/// slot was taken and released again between reading and replacing the head (the ABA problem).
final class SlotAllocator {

    static final int NO_SLOT = -1;

    private static final int VERSION_SHIFT = 32;

    private final int[] below;
    private final AtomicLong head;

    SlotAllocator(int slots) {
        below = new int[slots];
        for (int slot = 0; slot < slots; slot++) {
            below[slot] = slot + 1 < slots ? slot + 1 : NO_SLOT;
        }
        head = new AtomicLong(head(0, slots > 0 ? 0 : NO_SLOT));
    }

    private static long head(long count, int top) {
        return count << VERSION_SHIFT | Integer.toUnsignedLong(top);
    }

    /// Takes a free slot and returns its number; returns `NO_SLOT` if none is free.
    int allocate() {
        while (true) {
            long seen = head.get();
            int top = (int) seen;
            if (top == NO_SLOT) {
                return NO_SLOT;
            }
            if (head.compareAndSet(seen, head((seen >>> VERSION_SHIFT) + 1, below[top]))) {
                return top;
            }
        }
    }

    void release(int slot) {
        while (true) {
            long seen = head.get();
            below[slot] = (int) seen;
            if (head.compareAndSet(seen, head((seen >>> VERSION_SHIFT) + 1, slot))) {
                return;
            }
        }
    }
}
