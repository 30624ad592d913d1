package dev.sluice.relay.store;

import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;

/// What became of an event handed to the [Journal]. Awaited by the thread that made it.
public final class Receipt {

    /// How it stands. It leaves `WAITING` once and for good.
    public enum State {
        WAITING,
        STORED,
        /// Not stored, or not known to be when the time was over: the sender must send it again.
        REFUSED
    }

    private final Thread waiter = Thread.currentThread();
    private final AtomicReference<State> state = new AtomicReference<>(State.WAITING);
    private final long deadlineNanos;

    /// Owned by the journal's thread.
    private boolean isDropped;

    /// @param deadlineNanos of `System.nanoTime`, by which the sender must have an answer
    public Receipt(long deadlineNanos) {
        this.deadlineNanos = deadlineNanos;
    }

    /// Returns when it is known, at the latest soon after the deadline: the journal sees to that,
    /// so that waiting costs no timer.
    public State await() {
        while (state.get() == State.WAITING) {
            LockSupport.park(this);
        }
        return state.get();
    }

    /// False when it was decided before.
    boolean become(State decided) {
        boolean first = state.compareAndSet(State.WAITING, decided);
        if (first) {
            LockSupport.unpark(waiter);
        }
        return first;
    }

    /// True the first time: an event is dropped once. Called by the journal's thread only.
    boolean markDropped() {
        boolean first = !isDropped;
        isDropped = true;
        return first;
    }

    boolean isRefused() {
        return state.get() == State.REFUSED;
    }

    boolean isOverdue(long nowNanos) {
        return nowNanos - deadlineNanos > 0;
    }
}
