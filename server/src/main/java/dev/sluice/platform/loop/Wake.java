package dev.sluice.platform.loop;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/// A request that a loop starts its next round early.
///
/// A wake is made before the objects that call it and before the loop that listens to it, and is
/// passed to their constructors. A call before the loop listens is remembered. Several objects may
/// call the same wake, and several loops may listen to it; each of them then starts a round.
///
/// While a request is pending, a further call costs one volatile read. The round that follows a
/// call sees what the caller added to a thread-safe collection before it. Thread-safe.
public final class Wake {

    private final List<Runnable> listeners = new CopyOnWriteArrayList<>();

    /// Whether a listener has been told of a call, or will be, and has not called `take` since.
    private volatile boolean isRequested;

    /// Requests a round. Cheap enough to call for each delivery.
    public void wake() {
        if (!isRequested) {
            isRequested = true;
            listeners.forEach(Runnable::run);
        }
    }

    /// Adds a listener, which is called when a round is requested. It is called at once if a
    /// request is pending. It must return quickly, and whoever runs the rounds must call [#take]
    /// before each of them.
    public void listen(Runnable listener) {
        listeners.add(listener);
        if (isRequested) {
            listener.run();
        }
    }

    /// Withdraws the pending request, because a round is about to start. Returns whether there was
    /// one. The next call of [#wake] then requests another round.
    public boolean take() {
        boolean wasRequested = isRequested;
        isRequested = false;
        return wasRequested;
    }
}
