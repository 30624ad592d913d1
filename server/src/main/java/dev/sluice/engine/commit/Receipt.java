package dev.sluice.engine.commit;

import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;

/// A future that reports whether the `Journal` has stored an event. Only the thread that created
/// the receipt may wait for it.
public final class Receipt {

    /// Whether the event is stored. The state changes only once, from `WAITING` to one of the other
    /// two states.
    public enum ReceiptState {
        WAITING,
        STORED,
        /// The event is not stored, or was not known to be stored by the deadline. The sender must
        /// send it again.
        REFUSED
    }

    private final Thread waiter = Thread.currentThread();
    private final AtomicReference<ReceiptState> state = new AtomicReference<>(ReceiptState.WAITING);
    private final long deadlineNanos;

    /// Used only by the journal's thread.
    private boolean isDropped;

    /// @param deadlineNanos the `System.nanoTime` value by which the sender must get a response
    public Receipt(long deadlineNanos) {
        this.deadlineNanos = deadlineNanos;
    }

    /// Waits until the state is decided, which is never much later than the deadline. The wait
    /// needs no timer, because the journal checks the deadlines. An interrupt does not end the
    /// wait, because the event may still be stored; the thread's interrupt flag is set again
    /// afterwards.
    public ReceiptState await() {
        boolean isInterrupted = false;
        while (state.get() == ReceiptState.WAITING) {
            LockSupport.park(this);
            isInterrupted |= Thread.interrupted(); // clears the flag, or `park` would not block
        }
        if (isInterrupted) {
            Thread.currentThread().interrupt();
        }
        return state.get();
    }

    /// Sets the state. Returns false, and changes nothing, if the state was already decided.
    public boolean decide(ReceiptState decided) {
        boolean first = state.compareAndSet(ReceiptState.WAITING, decided);
        if (first) {
            LockSupport.unpark(waiter);
        }
        return first;
    }

    /// Marks the event as dropped. Returns true only on the first call, because an event is dropped
    /// only once. Called only by the journal's thread.
    public boolean markDropped() {
        boolean first = !isDropped;
        isDropped = true;
        return first;
    }

    public boolean isRefused() {
        return state.get() == ReceiptState.REFUSED;
    }

    public boolean isOverdue(long nowNanos) {
        return nowNanos - deadlineNanos > 0;
    }
}
