package dev.sluice.engine.share;

import dev.sluice.gateway.destination.DestinationId;
import dev.sluice.platform.loop.Loop;
import dev.sluice.platform.loop.Wake;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.PriorityQueue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/// The destinations that have deliveries to send, but whose rate limit or pace does not allow
/// another attempt yet.
///
/// A destination that is waiting here uses no sender and no permit. While there are destinations
/// over their rate limit, a round tries to start a sender for each of them, and then waits 10 ms.
/// Destinations that wait for a certain time cost nothing until then. Thread-safe, but rounds must
/// run on one thread.
public final class RateLimitQueue implements Loop.Step {

    private static final long RETRY_INTERVAL_MILLIS = 10;

    /// A round that finds a time so near waits for it; later ones are left to the next round.
    private static final Duration NEAR = Duration.ofSeconds(1);

    private record DueDestination(Instant at, DestinationId destination) {}

    private final Set<DestinationId> waiting = ConcurrentHashMap.newKeySet();

    /// Guarded by its monitor, like `turnAt`. An entry whose time is not that in `turnAt` has been
    /// replaced by an earlier one.
    private final PriorityQueue<DueDestination> turns =
            new PriorityQueue<>(Comparator.comparing(DueDestination::at));

    private final Map<DestinationId, Instant> turnAt = new HashMap<>();

    private final Consumer<DestinationId> startSender;
    private final InstantSource clock;
    private final Wake wake;

    /// This latch is never counted down. Waiting for it is a sleep that an interrupt can end early.
    private final CountDownLatch interrupted = new CountDownLatch(1);

    /// @param startSender called with a destination whose rate limit may now allow an attempt
    /// @param wake called when a destination is added
    public RateLimitQueue(Consumer<DestinationId> startSender, InstantSource clock, Wake wake) {
        this.startSender = startSender;
        this.clock = clock;
        this.wake = wake;
    }

    /// Adds a destination, for which the next round will try to start a sender. Does nothing if the
    /// destination is already in the set.
    public void add(DestinationId destination) {
        if (waiting.add(destination)) {
            wake.wake();
        }
    }

    /// Adds a destination, for which a round will try to start a sender at this time. Does nothing
    /// if the destination already waits for this time or an earlier one.
    public void addUntil(DestinationId destination, Instant at) {
        boolean isFirst;
        synchronized (turns) {
            var known = turnAt.get(destination);
            if (known != null && !known.isAfter(at)) {
                return;
            }
            turnAt.put(destination, at);
            turns.add(new DueDestination(at, destination));
            isFirst = turns.element().at().equals(at);
        }
        if (isFirst) {
            wake.wake();
        }
    }

    @Override
    public boolean run() throws InterruptedException {
        boolean isAny = !waiting.isEmpty();
        retryAll();
        long millis = millisToNextTurn();
        if (!isAny && millis > NEAR.toMillis()) {
            return false;
        }
        interrupted.await(Math.clamp(millis, 1, RETRY_INTERVAL_MILLIS), TimeUnit.MILLISECONDS);
        return true;
    }

    private long millisToNextTurn() {
        synchronized (turns) {
            return turns.isEmpty()
                    ? Long.MAX_VALUE
                    : Duration.between(clock.instant(), turns.element().at()).toMillis();
        }
    }

    /// Removes the destinations whose time has come and all that are over their rate limit, and
    /// tries to start a sender for each. `startSender` adds a destination again if it still does
    /// not allow an attempt.
    public void retryAll() {
        retryDue();
        for (var destination : List.copyOf(waiting)) {
            waiting.remove(destination);
            startSender.accept(destination);
        }
    }

    private void retryDue() {
        var now = clock.instant();
        for (var next = pollDue(now); next.isPresent(); next = pollDue(now)) {
            startSender.accept(next.get().destination());
        }
    }

    private Optional<DueDestination> pollDue(Instant now) {
        synchronized (turns) {
            while (!turns.isEmpty() && !turns.element().at().isAfter(now)) {
                var turn = turns.remove();
                if (turnAt.remove(turn.destination(), turn.at())) {
                    return Optional.of(turn);
                }
            }
            return Optional.empty();
        }
    }
}
