package dev.sluice.relay.dispatch;

import dev.sluice.gateway.destination.DestinationId;
import dev.sluice.gateway.routing.RouteMap;
import dev.sluice.relay.DeliveryId;
import dev.sluice.relay.Lease;
import dev.sluice.relay.UnderWay;
import dev.sluice.relay.Work;
import dev.sluice.relay.circuit.Circuits;
import dev.sluice.relay.store.ResultQueue;
import dev.sluice.relay.store.ResultsListener;
import dev.sluice.relay.store.Settled;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;

/// Sends what is in memory: each destination within its own limit, all within the node's. Its
/// [Senders] say which delivery is next.
public final class Dispatcher implements ResultsListener, UnderWay {

    private static final Logger log = LoggerFactory.getLogger(Dispatcher.class);

    /// Attempts under way on this node at once.
    public static final int PERMITS = 1_024;

    private final RouteMap routing;
    private final Lease node;
    private final ResultQueue results;
    private final Delivering delivering;
    private final Circuits circuits;
    private final Executor threads;
    private final InstantSource clock;

    private final Places places;
    private final Senders senders;
    private final Intake intake;
    private final Fresh fresh = new Fresh();

    /// Waiting deliveries whose result was written, for the [Backlog] to forget.
    private final Queue<Work> writtenWaiting = new ConcurrentLinkedQueue<>();

    private final ConcurrentHashMap<DeliveryId, Sending> underWay = new ConcurrentHashMap<>();
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

    /// @param threads runs each sender on a thread of its own
    public Dispatcher(
            RouteMap routing,
            Lease node,
            ResultQueue results,
            Delivering delivering,
            Circuits circuits,
            Executor threads,
            InstantSource clock) {
        this(routing, node, results, delivering, circuits, threads, clock, PERMITS);
    }

    /// @param permits attempts under way on this node at once
    Dispatcher(
            RouteMap routing,
            Lease node,
            ResultQueue results,
            Delivering delivering,
            Circuits circuits,
            Executor threads,
            InstantSource clock,
            int permits) {
        this.routing = routing;
        this.node = node;
        this.results = results;
        this.delivering = delivering;
        this.circuits = circuits;
        this.threads = threads;
        this.clock = clock;
        this.places = new Places(routing, clock);
        var turns = new Turns<Place>(permits);
        this.senders =
                new Senders(
                        routing,
                        circuits,
                        turns,
                        places,
                        threads,
                        clock,
                        (place, ready) -> deliver(place, ready, false));
        this.quarantine = new Quarantine(turns, new Alone(), clock);
        this.intake = new Intake(routing, node, circuits, places, senders, quarantine, fresh);
    }

    /// Of the rate limits; its rounds are another's to call.
    public Pacing pacing() {
        return senders.pacing();
    }

    /// A round of the look at who is slow, once a second.
    public boolean feelPulses() {
        senders.feelPulses();
        return false;
    }

    /// Of what is sent alone; its rounds are another's to call.
    public Quarantine quarantine() {
        return quarantine;
    }

    /// How deliveries come in here.
    public Intake intake() {
        return intake;
    }

    /// Whether the destination has deliveries here that are no resends and not under way.
    boolean hasLive(DestinationId destination) {
        var place = places.known(destination);
        return place.isPresent() && place.get().outbox().hasLive();
    }

    /// Forgets destinations that were deleted and have nothing here any more.
    void forgetGone() {
        places.forgetGone();
    }

    /// Destinations that something is kept for.
    int destinations() {
        return places.all().size();
    }

    private void deliver(Place place, Ready ready, boolean isAlone) throws InterruptedException {
        var sending = new Sending(ready, clock.instant());
        underWay.put(ready.work().id(), sending);
        try {
            var settled = attempt(place, ready, sending.since, isAlone);
            if (settled.isPresent()) {
                results.add(settled.get());
            } else {
                putBack(ready);
            }
        } finally {
            underWay.remove(ready.work().id(), sending);
            intake.release(place, ready);
        }
    }

    /// Empty when nothing came of it and it must wait.
    private Optional<Settled> attempt(Place place, Ready ready, Instant since, boolean isAlone) {
        place.outbox().began(since);
        var settled = Optional.<Settled>empty();
        try {
            if (mayStart(ready)) {
                settled = delivering.deliver(ready, since, () -> mayStart(ready), isAlone);
            }
        } catch (RuntimeException | Error e) {
            log.atError()
                    .addKeyValue("delivery_id", ready.work().id())
                    .setCause(e)
                    .log("delivery.crashed");
        } finally {
            giveBackProbe(ready);
            senders.ended(place, settled.flatMap(Settled::made));
        }
        return settled;
    }

    /// What is sent alone, by the side of outboxes and senders.
    private final class Alone implements Quarantine.Ward {

        @Override
        public boolean mayGo(DestinationId destination) {
            var limit = Senders.rateLimit(routing.destination(destination));
            return limit.isEmpty() || places.of(destination).outbox().pace().take(limit.get());
        }

        @Override
        public void sendAlone(DestinationId destination, Ready ready, Runnable end) {
            threads.execute(() -> {
                try {
                    deliver(places.of(destination), ready, true);
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
            senders.start(places.addWaiting(destination, ready));
        }

        @Override
        public void goOn() {
            senders.serveNext();
        }
    }

    /// For another to use, unless something is known of what came of it.
    private void giveBackProbe(Ready ready) {
        ready.probe().ifPresent(circuits::giveBack);
    }

    /// Asked again when it is connected: what a stop has put back is not ours to send any more.
    private boolean mayStart(Ready ready) {
        return !closing && node.mayStart(ready.epoch());
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
            if (!fresh.forget(settled.work())) {
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
        return fresh.knows(delivery);
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
        for (var drained : drain()) {
            var ready = drained.ready();
            giveBackProbe(ready);
            var _ = fresh.forget(ready.work());
            intake.release(drained.place(), ready);
            if (!ready.isFresh()) {
                writtenWaiting.add(ready.work());
            }
        }
    }

    private record Drained(Place place, Ready ready) {}

    /// Everything that is not under way.
    private List<Drained> drain() {
        var all = new ArrayList<Drained>();
        for (var suspect : quarantine.drain()) {
            all.add(new Drained(places.of(suspect.destination()), suspect.ready()));
        }
        for (var place : places.all()) {
            place.outbox().drain().forEach(ready -> all.add(new Drained(place, ready)));
        }
        return all;
    }

    /// How many more attempts may be under way on this node.
    int permitsLeft() {
        return senders.permitsLeft();
    }

    /// Memory that payloads here take, in bytes; room kept for fresh ones included.
    long bytes() {
        return intake.bytes();
    }

    /// Starts nothing more, lets attempts under way end within `budget`, and puts everything else
    /// back.
    public void stop(Duration budget) throws InterruptedException {
        closing = true;
        intake.close();
        for (var drained : drain()) {
            giveBackProbe(drained.ready());
            putBack(drained.ready());
        }
        if (!senders.awaitAll(budget)) {
            for (var sending : List.copyOf(underWay.values())) {
                giveBackProbe(sending.ready);
                putBack(sending.ready);
            }
        }
    }
}
