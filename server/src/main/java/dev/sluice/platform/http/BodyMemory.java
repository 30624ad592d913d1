package dev.sluice.platform.http;

import java.util.concurrent.atomic.AtomicLong;

/// The memory that all bodies being read may take together. Thread-safe.
final class BodyMemory {

    private final AtomicLong left;

    BodyMemory(long bytes) {
        this.left = new AtomicLong(bytes);
    }

    /// False when there is not so much left; nothing is taken then.
    boolean take(int bytes) {
        if (left.addAndGet(-bytes) >= 0) {
            return true;
        }
        left.addAndGet(bytes);
        return false;
    }

    void giveBack(int bytes) {
        left.addAndGet(bytes);
    }
}
