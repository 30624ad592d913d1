package dev.sluice.relay.dispatch;

import dev.sluice.gateway.destination.DestinationId;
import dev.sluice.platform.loop.Loop;

import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/// Comes back to destinations whose rate limit allows no attempt yet.
///
/// Who finds by its [Pace] that it is too early for an attempt leaves the destination here and
/// goes, holding nothing. A round looks after those every 10 ms; while there are none it rests.
public final class Pacing implements Loop.Step {

    private static final long TICK_MILLIS = 10;

    private final Set<DestinationId> early = ConcurrentHashMap.newKeySet();
    private final Consumer<DestinationId> start;

    /// Nobody counts it down: a rest that only an interrupt ends early.
    private final CountDownLatch interrupted = new CountDownLatch(1);

    private volatile Runnable onEarly = () -> {};

    /// @param start told of a destination when its time may have come
    Pacing(Consumer<DestinationId> start) {
        this.start = start;
    }

    /// Calls `wake` when a round has something to look after; must be quick.
    public void wakeBy(Runnable wake) {
        onEarly = wake;
    }

    /// Leaves a destination here for which it is too early.
    void leave(DestinationId destination) {
        if (early.add(destination)) {
            onEarly.run();
        }
    }

    @Override
    public boolean run() throws InterruptedException {
        if (early.isEmpty()) {
            return false;
        }
        look();
        interrupted.await(TICK_MILLIS, TimeUnit.MILLISECONDS);
        return true;
    }

    /// One look after all of them. Those for which it is still too early are left here again.
    void look() {
        for (var destination : List.copyOf(early)) {
            early.remove(destination);
            start.accept(destination);
        }
    }
}
