package dev.sluice.relay.dispatch;

import dev.sluice.gateway.destination.Destination;
import dev.sluice.gateway.destination.DestinationId;
import dev.sluice.gateway.destination.RateLimit;
import dev.sluice.gateway.routing.Routing;
import dev.sluice.platform.loop.Loop;

import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/// Keeps destinations to their rate limit, if they have one.
///
/// Who finds that it is too early for an attempt leaves the destination here and goes, holding
/// nothing. A round looks after those every 10 ms; while there are none it rests.
public final class Pacing implements Loop.Step {

    private static final long TICK_MILLIS = 10;

    private final Routing routing;
    private final InstantSource clock;
    private final ConcurrentHashMap<DestinationId, Pace> paces = new ConcurrentHashMap<>();
    private final Set<DestinationId> early = ConcurrentHashMap.newKeySet();
    private final Consumer<DestinationId> start;

    /// Nobody counts it down: a rest that only an interrupt ends early.
    private final CountDownLatch interrupted = new CountDownLatch(1);

    private volatile Runnable onEarly = () -> {};

    /// @param start told of a destination when its time may have come
    Pacing(Routing routing, InstantSource clock, Consumer<DestinationId> start) {
        this.routing = routing;
        this.clock = clock;
        this.start = start;
    }

    /// Calls `wake` when a round has something to look after; must be quick.
    public void wakeBy(Runnable wake) {
        onEarly = wake;
    }

    private Optional<RateLimit> limit(DestinationId destination) {
        return routing.destination(destination).map(Destination::spec).flatMap(s -> s.rateLimit());
    }

    private Pace pace(DestinationId destination) {
        return paces.computeIfAbsent(destination, _ -> new Pace());
    }

    /// How many fresh deliveries may wait in memory: with a limit, those of about a second.
    int room(DestinationId destination, int most) {
        var limit = limit(destination);
        return limit.isEmpty() ? most : Math.min(most, limit.get().perSecond());
    }

    /// Whether it is too early to start a sender; the destination is left here then.
    boolean isEarly(DestinationId destination) {
        var limit = limit(destination);
        if (limit.isEmpty() || pace(destination).isOpen(limit.get(), clock.instant())) {
            return false;
        }
        leave(destination);
        return true;
    }

    /// Takes a turn; false when it is too early.
    boolean take(DestinationId destination) {
        var limit = limit(destination);
        return limit.isEmpty() || pace(destination).take(limit.get(), clock.instant());
    }

    /// After a turn was taken and there was nothing to send.
    void giveBack(DestinationId destination) {
        limit(destination).ifPresent(limit -> pace(destination).giveBack(limit));
    }

    private void leave(DestinationId destination) {
        boolean first = early.isEmpty();
        if (early.add(destination) && first) {
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
