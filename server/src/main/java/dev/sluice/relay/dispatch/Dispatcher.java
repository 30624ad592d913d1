package dev.sluice.relay.dispatch;

import dev.sluice.gateway.destination.Destination;
import dev.sluice.gateway.destination.DestinationId;
import dev.sluice.gateway.destination.RateLimit;
import dev.sluice.gateway.routing.RouteMap;
import dev.sluice.relay.DeliveryId;
import dev.sluice.relay.Lease;
import dev.sluice.relay.Recoveries;
import dev.sluice.relay.Trigger;
import dev.sluice.relay.UnderWay;
import dev.sluice.relay.Work;
import dev.sluice.relay.circuit.Circuits;
import dev.sluice.relay.store.Accepted;
import dev.sluice.relay.store.JournalListener;
import dev.sluice.relay.store.ResultQueue;
import dev.sluice.relay.store.ResultsListener;
import dev.sluice.relay.store.Settled;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicLong;

/// Sends what is in memory: each destination within its own limit, all within the node's.
///
/// A sender is a virtual thread that sends one delivery of its destination after the other. When
/// other destinations wait for a permit of the node, it hands its permit on after each delivery, so
/// they take turns.
public final class Dispatcher implements JournalListener, ResultsListener, UnderWay {

    private static final Logger log = LoggerFactory.getLogger(Dispatcher.class);

    /// Attempts under way on this node at once.
    public static final int PERMITS = 1_024;

    /// Bodies and headers in memory for deliveries, in bytes.
    private static final long MOST_BYTES =
            Math.min(256L << 20, Runtime.getRuntime().maxMemory() / 4);

    private final RouteMap routing;
    private final Lease node;
    private final ResultQueue results;
    private final Delivering delivering;
    private final Circuits circuits;
    private final Executor senders;
    private final InstantSource clock;

    private final ConcurrentHashMap<DestinationId, Outbox> outboxes = new ConcurrentHashMap<>();
    private final Queue<DestinationId> starved = new ConcurrentLinkedQueue<>();
    private final Gate permits = new Gate(PERMITS);
    private final AtomicLong bytes = new AtomicLong();

    /// Fresh deliveries from their commit until their result's.
    private final Set<DeliveryId> fresh = ConcurrentHashMap.newKeySet();

    /// Waiting deliveries whose result was written, for the [Backlog] to forget.
    private final Queue<Work> writtenWaiting = new ConcurrentLinkedQueue<>();

    private final ConcurrentHashMap<DeliveryId, Sending> underWay = new ConcurrentHashMap<>();
    private final Pacing pacing;
    private final Quarantine quarantine;

    private volatile Runnable onWritten = () -> {};
    private volatile boolean closing;

    /// An attempt under way, equal to no other: of one delivery there may be two, when this node
    /// was declared dead during the first.
    private static final class Sending {
        private final Ready ready;
        private final Instant since;

        Sending(Ready ready, Instant since) {
            this.ready = ready;
            this.since = since;
        }
    }

    /// @param senders runs each sender on a thread of its own
    public Dispatcher(
            RouteMap routing,
            Lease node,
            ResultQueue results,
            Delivering delivering,
            Circuits circuits,
            Executor senders,
            InstantSource clock) {
        this.routing = routing;
        this.node = node;
        this.results = results;
        this.delivering = delivering;
        this.circuits = circuits;
        this.senders = senders;
        this.clock = clock;
        this.pacing = new Pacing(this::startSender);
        this.quarantine = new Quarantine(permits, new Alone(), clock);
    }

    /// Of the rate limits; its rounds are another's to call.
    public Pacing pacing() {
        return pacing;
    }

    /// Of what is sent alone; its rounds are another's to call.
    public Quarantine quarantine() {
        return quarantine;
    }

    /// Keeps room for a delivery that is about to be stored. False when it should be stored as
    /// waiting.
    ///
    /// @param size of its payload, in bytes
    public boolean reserve(DestinationId destination, int size) {
        if (closing || !node.mayStart() || !circuits.of(destination).isClosed()) {
            return false;
        }
        if (bytes.addAndGet(size) > MOST_BYTES) {
            bytes.addAndGet(-size);
            return false;
        }
        if (!outbox(destination).reserve(room(destination))) {
            bytes.addAndGet(-size);
            return false;
        }
        return true;
    }

    /// How many fresh deliveries may wait in memory: with a rate limit, those of about a second.
    private int room(DestinationId destination) {
        return rateLimit(routing.destination(destination))
                .map(limit -> Math.min(Outbox.MOST_FRESH, limit.perSecond()))
                .orElse(Outbox.MOST_FRESH);
    }

    private Outbox outbox(DestinationId destination) {
        return outboxes.computeIfAbsent(destination, _ -> newOutbox());
    }

    private Outbox newOutbox() {
        return new Outbox(new Pace(clock));
    }

    @Override
    public void stored(List<Accepted> events, long epoch) {
        for (var event : events) {
            for (var planned : event.planned()) {
                if (planned.isFresh()) {
                    var work = workOf(event, planned);
                    var destination = planned.route().destination().id();
                    fresh.add(work.id());
                    outbox(destination).addFresh(new Ready(work, event.payload(), true, epoch));
                    startSender(destination);
                }
            }
        }
    }

    private static Work workOf(Accepted event, Accepted.Planned planned) {
        return new Work(
                planned.id(),
                event.source(),
                planned.connection(),
                Trigger.INGEST,
                0,
                Optional.empty());
    }

    @Override
    public void dropped(Accepted event) {
        cancel(event.planned(), event.payload().size());
    }

    /// Gives back what `reserve` kept for those that are fresh.
    ///
    /// @param size of their event's payload, in bytes
    public void cancel(List<Accepted.Planned> planned, int size) {
        for (var one : planned) {
            if (one.isFresh()) {
                cancel(one.route().destination().id(), size);
            }
        }
    }

    void cancel(DestinationId destination, int size) {
        outbox(destination).cancel();
        bytes.addAndGet(-size);
    }

    /// Room for one more waiting delivery's payload, of the same memory.
    boolean reserveWaiting(int size) {
        if (bytes.addAndGet(size) > MOST_BYTES) {
            bytes.addAndGet(-size);
            return false;
        }
        return true;
    }

    void addWaiting(DestinationId destination, Ready ready) {
        if (Recoveries.isSuspect(ready.recoveries())) {
            quarantine.add(destination, ready);
        } else {
            line(destination, ready);
        }
    }

    private void line(DestinationId destination, Ready ready) {
        // In one step with finding it, so that it is not forgotten in between.
        outboxes.compute(
                destination,
                (_, known) -> {
                    var outbox = known == null ? newOutbox() : known;
                    outbox.addWaiting(ready);
                    return outbox;
                });
        startSender(destination);
    }

    /// Forgets destinations that were deleted and have nothing here any more.
    void forgetGone() {
        for (var destination : outboxes.keySet()) {
            if (routing.destination(destination).isEmpty()) {
                outboxes.computeIfPresent(
                        destination, (_, outbox) -> outbox.retire() ? null : outbox);
            }
        }
    }

    /// Destinations that something is kept for.
    int destinations() {
        return outboxes.size();
    }

    /// @param known empty when it is deleted
    private int mostAtOnce(Optional<Destination> known) {
        return known.isPresent() ? circuits.width(known.get()) : 1;
    }

    private static Optional<RateLimit> rateLimit(Optional<Destination> known) {
        return known.isPresent() ? known.get().spec().rateLimit() : Optional.empty();
    }

    private void startSender(DestinationId destination) {
        startSender(destination, outbox(destination));
    }

    private void startSender(DestinationId destination, Outbox outbox) {
        var known = routing.destination(destination);
        var limit = rateLimit(known);
        if (limit.isPresent() && !outbox.pace().isOpen(limit.get())) {
            pacing.leave(destination);
            return;
        }
        if (!outbox.addSender(mostAtOnce(known))) {
            return;
        }
        if (permits.enter()) {
            senders.execute(() -> send(destination, outbox));
            return;
        }
        outbox.removeSender();
        starve(destination, outbox);
        feedStarved(); // a permit may have come free in between
    }

    private void starve(DestinationId destination, Outbox outbox) {
        if (outbox.markStarved()) {
            starved.add(destination);
        }
    }

    /// Starts a sender for whoever waited longest for a permit, while there are permits.
    private void feedStarved() {
        while (permits.hasRoom()) {
            var destination = starved.poll();
            if (destination == null) {
                return;
            }
            outbox(destination).clearStarved();
            startSender(destination);
        }
    }

    private void send(DestinationId destination, Outbox outbox) {
        try {
            for (var next = next(destination, outbox); next.isPresent(); ) {
                startSender(
                        destination, outbox); // as many as may be, also after there were no permits
                deliver(next.get(), false);
                if (starved.isEmpty() && !permits.isClosed()) {
                    next = next(destination, outbox);
                } else {
                    outbox.removeSender();
                    starve(destination, outbox);
                    next = Optional.empty();
                }
            }
        } catch (InterruptedException e) {
            outbox.removeSender();
            Thread.currentThread().interrupt();
        } finally {
            permits.leave();
            feedStarved();
        }
    }

    /// For a sender already counted; empty ends that sender.
    private Optional<Ready> next(DestinationId destination, Outbox outbox) {
        var known = routing.destination(destination);
        var limit = rateLimit(known);
        if (limit.isPresent() && !outbox.pace().take(limit.get())) {
            outbox.removeSender();
            startSender(destination, outbox); // now or, most likely, when it is time
            return Optional.empty();
        }
        var next = outbox.next(mostAtOnce(known));
        if (next.isEmpty() && limit.isPresent()) {
            outbox.pace().giveBack(limit.get());
        }
        return next;
    }

    private void deliver(Ready ready, boolean isAlone) throws InterruptedException {
        var sending = new Sending(ready, clock.instant());
        underWay.put(ready.work().id(), sending);
        try {
            if (closing || !node.mayStart(ready.epoch())) {
                putBack(ready);
                return;
            }
            var settled =
                    delivering.deliver(
                            ready, sending.since, () -> node.mayStart(ready.epoch()), isAlone);
            if (settled.isPresent()) {
                results.add(settled.get());
            } else {
                putBack(ready);
            }
        } catch (RuntimeException | Error e) {
            log.atError()
                    .addKeyValue("delivery_id", ready.work().id())
                    .setCause(e)
                    .log("delivery.crashed");
            putBack(ready);
        } finally {
            giveBackProbe(ready);
            underWay.remove(ready.work().id(), sending);
            bytes.addAndGet(-ready.payload().size());
        }
    }

    /// What is sent alone, by the side of outboxes and senders.
    private final class Alone implements Quarantine.Ward {

        @Override
        public boolean mayGo(DestinationId destination) {
            var limit = rateLimit(routing.destination(destination));
            return limit.isEmpty() || outbox(destination).pace().take(limit.get());
        }

        @Override
        public void sendAlone(Ready ready, Runnable end) {
            senders.execute(() -> {
                try {
                    deliver(ready, true);
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                } finally {
                    end.run();
                }
            });
        }

        @Override
        public void beginSolitude() {
            delivering.beginSolitude();
        }

        @Override
        public void endSolitude() {
            delivering.endSolitude();
        }

        @Override
        public void sendAmongOthers(DestinationId destination, Ready ready) {
            line(destination, ready);
        }

        @Override
        public void goOn() {
            feedStarved();
        }
    }

    /// For another to use, unless something is known of what came of it.
    private void giveBackProbe(Ready ready) {
        ready.probe().ifPresent(circuits::giveBack);
    }

    /// Lets it wait in its lane. One that waits there already is only forgotten.
    private void putBack(Ready ready) throws InterruptedException {
        if (ready.isFresh()) {
            results.add(new Settled.Released(ready.work(), clock.instant()));
        } else {
            writtenWaiting.add(ready.work());
        }
    }

    @Override
    public void written(List<Settled> batch, List<Settled> effective) {
        boolean isAnyWaiting = false;
        for (var settled : batch) {
            if (!fresh.remove(settled.work().id())) {
                writtenWaiting.add(settled.work());
                isAnyWaiting = true;
            }
        }
        if (isAnyWaiting) {
            onWritten.run();
        }
    }

    /// Called after results of waiting deliveries were written; must be quick.
    void onWritten(Runnable listener) {
        onWritten = listener;
    }

    /// The next waiting delivery that is out of memory again.
    Optional<Work> pollWritten() {
        return Optional.ofNullable(writtenWaiting.poll());
    }

    /// Whether this fresh delivery is in memory: waiting for a sender, under way, or its result not
    /// yet written.
    public boolean knows(DeliveryId delivery) {
        return fresh.contains(delivery);
    }

    @Override
    public Optional<Instant> since(DeliveryId delivery) {
        return Optional.ofNullable(underWay.get(delivery)).map(sending -> sending.since);
    }

    @Override
    public boolean isOwner(long epoch) {
        return node.epoch() == epoch;
    }

    /// Forgets all that is not under way: it is another node's work by now.
    public void dropAll() {
        for (var ready : drain()) {
            giveBackProbe(ready);
            fresh.remove(ready.work().id());
            bytes.addAndGet(-ready.payload().size());
            if (!ready.isFresh()) {
                writtenWaiting.add(ready.work());
            }
        }
    }

    private List<Ready> drain() {
        var all = quarantine.drain();
        outboxes.values().forEach(outbox -> all.addAll(outbox.drain()));
        return all;
    }

    /// How many more attempts may be under way on this node.
    int permitsLeft() {
        return permits.left();
    }

    /// Starts nothing more, lets attempts under way end within `budget`, and puts everything else
    /// back.
    public void stop(Duration budget) throws InterruptedException {
        closing = true;
        for (var ready : drain()) {
            giveBackProbe(ready);
            putBack(ready);
        }
        if (!permits.takeAll(budget)) {
            for (var sending : List.copyOf(underWay.values())) {
                giveBackProbe(sending.ready);
                putBack(sending.ready);
            }
        }
    }
}
