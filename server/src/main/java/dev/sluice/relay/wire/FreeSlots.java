package dev.sluice.relay.wire;

import java.util.concurrent.atomic.AtomicLong;

/// Numbers from 0 that are free, given out without a lock.
///
/// A stack in an array. Its head carries a count beside the topmost number, so that a number that
/// was taken and given back in between is not mistaken for one that never moved.
final class FreeSlots {

    static final int NONE = -1;

    private static final int COUNT_SHIFT = 32;

    private final int[] below;
    private final AtomicLong head;

    FreeSlots(int slots) {
        below = new int[slots];
        for (int slot = 0; slot < slots; slot++) {
            below[slot] = slot + 1 < slots ? slot + 1 : NONE;
        }
        head = new AtomicLong(head(0, slots > 0 ? 0 : NONE));
    }

    private static long head(long count, int top) {
        return count << COUNT_SHIFT | Integer.toUnsignedLong(top);
    }

    /// `NONE` when there is none.
    int take() {
        while (true) {
            long seen = head.get();
            int top = (int) seen;
            if (top == NONE) {
                return NONE;
            }
            if (head.compareAndSet(seen, head((seen >>> COUNT_SHIFT) + 1, below[top]))) {
                return top;
            }
        }
    }

    void giveBack(int slot) {
        while (true) {
            long seen = head.get();
            below[slot] = (int) seen;
            if (head.compareAndSet(seen, head((seen >>> COUNT_SHIFT) + 1, slot))) {
                return;
            }
        }
    }
}
