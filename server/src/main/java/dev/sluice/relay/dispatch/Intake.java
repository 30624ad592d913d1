package dev.sluice.relay.dispatch;

import dev.sluice.gateway.destination.DestinationId;
import dev.sluice.gateway.routing.RouteMap;
import dev.sluice.relay.Lease;
import dev.sluice.relay.Recoveries;
import dev.sluice.relay.Trigger;
import dev.sluice.relay.Work;
import dev.sluice.relay.circuit.Circuits;
import dev.sluice.relay.store.Accepted;
import dev.sluice.relay.store.JournalListener;

import java.util.List;
import java.util.Optional;

/// How deliveries come into memory, each only where there is room for its payload: fresh ones when
/// their event is stored, waiting ones when they are read from their lane. Thread-safe.
public final class Intake implements JournalListener {

    /// Bodies and headers in memory for deliveries, in bytes.
    private static final long MOST_BYTES =
            Math.min(256L << 20, Runtime.getRuntime().maxMemory() / 4);

    private final RouteMap routing;
    private final Lease node;
    private final Circuits circuits;
    private final Places places;
    private final Senders senders;
    private final Quarantine quarantine;
    private final Fresh fresh;
    private final Memory memory = new Memory(MOST_BYTES);
    private volatile boolean isClosed;

    Intake(
            RouteMap routing,
            Lease node,
            Circuits circuits,
            Places places,
            Senders senders,
            Quarantine quarantine,
            Fresh fresh) {
        this.routing = routing;
        this.node = node;
        this.circuits = circuits;
        this.places = places;
        this.senders = senders;
        this.quarantine = quarantine;
        this.fresh = fresh;
    }

    /// Keeps room for a delivery that is about to be stored. False when it should be stored as
    /// waiting.
    ///
    /// @param size of its payload, in bytes
    public boolean reserve(DestinationId destination, int size) {
        if (isClosed || !node.mayStart() || !circuits.of(destination).isClosed()) {
            return false;
        }
        var place = places.of(destination);
        var share = place.share(Memory.Kind.FRESH);
        if (!memory.take(share, size)) {
            return false;
        }
        if (!place.outbox().reserve(room(destination))) {
            memory.give(share, size);
            return false;
        }
        return true;
    }

    /// How many fresh deliveries may wait in memory: with a rate limit, those of about a second.
    private int room(DestinationId destination) {
        return Senders.rateLimit(routing.destination(destination))
                .map(limit -> Math.min(Outbox.MOST_FRESH, limit.perSecond()))
                .orElse(Outbox.MOST_FRESH);
    }

    @Override
    public void stored(List<Accepted> events, long epoch) {
        for (var event : events) {
            for (var planned : event.planned()) {
                if (planned.isFresh()) {
                    var work = workOf(event, planned);
                    var place = places.of(planned.route().destination().id());
                    fresh.add(work);
                    place.outbox().addFresh(new Ready(work, event.payload(), true, epoch));
                    senders.start(place);
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
        var place = places.of(destination);
        place.outbox().cancel();
        memory.give(place.share(Memory.Kind.FRESH), size);
    }

    /// Room for one more waiting delivery's payload, of the same memory.
    boolean reserveWaiting(DestinationId destination, Trigger trigger, int size) {
        return memory.take(places.of(destination).share(Ready.kindOfWaiting(trigger)), size);
    }

    /// Whether there is room for one of this size, as it looks.
    boolean hasRoom(DestinationId destination, Trigger trigger, int size) {
        var share = places.of(destination).share(Ready.kindOfWaiting(trigger));
        boolean isRoom = memory.take(share, size);
        if (isRoom) {
            memory.give(share, size);
        }
        return isRoom;
    }

    void addWaiting(DestinationId destination, Ready ready) {
        if (Recoveries.isSuspect(ready.recoveries())) {
            quarantine.add(destination, ready);
        } else {
            senders.start(places.addWaiting(destination, ready));
        }
    }

    /// Gives back the memory of one that was taken in.
    void release(Place place, Ready ready) {
        memory.give(place.share(ready.kind()), ready.payload().size());
    }

    /// Memory that payloads here take, in bytes; room kept for fresh ones included.
    long bytes() {
        return memory.taken();
    }

    /// From here on all is to be stored as waiting.
    void close() {
        isClosed = true;
    }
}
