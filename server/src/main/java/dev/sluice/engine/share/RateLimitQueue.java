package dev.sluice.engine.share;

import dev.sluice.gateway.destination.DestinationId;
import dev.sluice.platform.loop.Loop;
import dev.sluice.platform.loop.Wake;

import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/// The set of destinations that have deliveries to send, but whose rate limit does not allow
/// another attempt yet.
///
/// A destination that is waiting here uses no sender and no permit. Unless the set is empty, a
/// round tries to start a sender for each destination in it, and then waits 10 ms. Thread-safe, but
/// rounds must run on one thread.
public final class RateLimitQueue implements Loop.Step {

    private static final long RETRY_INTERVAL_MILLIS = 10;

    private final Set<DestinationId> waiting = ConcurrentHashMap.newKeySet();
    private final Consumer<DestinationId> startSender;
    private final Wake wake;

    /// This latch is never counted down. Waiting for it is a sleep that an interrupt can end early.
    private final CountDownLatch interrupted = new CountDownLatch(1);

    /// @param startSender called with a destination whose rate limit may now allow an attempt
    /// @param wake called when a destination is added
    public RateLimitQueue(Consumer<DestinationId> startSender, Wake wake) {
        this.startSender = startSender;
        this.wake = wake;
    }

    /// Adds a destination, for which the next round will try to start a sender. Does nothing if the
    /// destination is already in the set.
    public void add(DestinationId destination) {
        if (waiting.add(destination)) {
            wake.wake();
        }
    }

    @Override
    public boolean run() throws InterruptedException {
        if (waiting.isEmpty()) {
            return false;
        }
        retryAll();
        interrupted.await(RETRY_INTERVAL_MILLIS, TimeUnit.MILLISECONDS);
        return true;
    }

    /// Removes all destinations and tries to start a sender for each. `startSender` adds a
    /// destination again if its rate limit still does not allow an attempt.
    public void retryAll() {
        for (var destination : List.copyOf(waiting)) {
            waiting.remove(destination);
            startSender.accept(destination);
        }
    }
}
