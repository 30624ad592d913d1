package dev.sluice.relay.filtering;

import dev.sluice.relay.fairness.RoundRobin;

import java.util.concurrent.CountDownLatch;

/// A fair semaphore for threads that are about to use a lot of CPU time. A fixed number of threads
/// may hold a slot at once; the others wait in line, and their groups take turns.
///
/// Thread-safe.
///
/// @param <G> the type of the groups
final class DecisionLine<G> {

    private final RoundRobin<G, CountDownLatch> waiting = new RoundRobin<>();
    private int free;
    private int waitingCount;

    /// @param slots how many threads may hold a slot at once
    DecisionLine(int slots) {
        this.free = slots;
    }

    /// Waits for a slot. The caller must call [#leave] afterwards. If the wait is interrupted, the
    /// caller gets no slot and must not call it.
    void enter(G group) throws InterruptedException {
        var turn = new CountDownLatch(1);
        synchronized (this) {
            if (free > 0) {
                free--;
                return;
            }
            waiting.add(group, turn);
            waitingCount++;
        }
        try {
            turn.await();
        } catch (InterruptedException e) {
            abandon(group, turn);
            throw e;
        }
    }

    private synchronized void abandon(G group, CountDownLatch turn) {
        if (turn.getCount() > 0) {
            waiting.remove(group, turn);
            waitingCount--;
        } else {
            leave(); // the slot was given to a thread that no longer wants it
        }
    }

    /// Gives the slot to the next thread in line; frees the slot if no thread waits.
    synchronized void leave() {
        var next = waiting.poll();
        if (next.isPresent()) {
            waitingCount--;
            next.get().countDown();
        } else {
            free++;
        }
    }

    /// Returns how many threads wait in line.
    synchronized int waiting() {
        return waitingCount;
    }
}
