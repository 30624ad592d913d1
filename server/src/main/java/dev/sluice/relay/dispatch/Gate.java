package dev.sluice.relay.dispatch;

import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/// The node's permits, with a gate before them. While it is closed nobody takes a permit but who
/// takes them all: so they come back, one after the other.
final class Gate {

    private final int all;
    private final Semaphore permits;
    private volatile boolean isClosed;
    private volatile Runnable onQuiet = () -> {};

    Gate(int permits) {
        this.all = permits;
        this.permits = new Semaphore(permits);
    }

    /// Calls `listener` when the last permit came back while the gate is closed; must be quick.
    void onQuiet(Runnable listener) {
        onQuiet = listener;
    }

    /// Takes a permit, if there is one to be had.
    boolean enter() {
        return !isClosed && permits.tryAcquire();
    }

    /// Gives a permit back.
    void leave() {
        permits.release();
        if (isClosed && permits.availablePermits() == all) {
            onQuiet.run();
        }
    }

    boolean isClosed() {
        return isClosed;
    }

    boolean hasRoom() {
        return !isClosed && permits.availablePermits() > 0;
    }

    int left() {
        return permits.availablePermits();
    }

    void close() {
        isClosed = true;
    }

    void open() {
        isClosed = false;
    }

    /// Takes all permits; false while anybody has one.
    boolean takeAll() {
        return permits.tryAcquire(all);
    }

    boolean takeAll(Duration budget) throws InterruptedException {
        return permits.tryAcquire(all, budget.toMillis(), TimeUnit.MILLISECONDS);
    }

    void giveBackAll() {
        permits.release(all);
    }

    /// Of all permits, keeps one.
    void giveBackOthers() {
        permits.release(all - 1);
    }
}
