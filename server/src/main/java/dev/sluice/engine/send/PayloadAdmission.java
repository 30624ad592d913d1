package dev.sluice.engine.send;

import dev.sluice.engine.Lease;
import dev.sluice.engine.PoisonPolicy;
import dev.sluice.engine.Trigger;
import dev.sluice.engine.UnfinishedDelivery;
import dev.sluice.engine.commit.AcceptedEvent;
import dev.sluice.engine.commit.JournalListener;
import dev.sluice.engine.settle.Circuits;
import dev.sluice.engine.share.PayloadMemory;
import dev.sluice.gateway.destination.DestinationId;
import dev.sluice.gateway.routing.RoutingTable;

import java.util.List;
import java.util.Optional;

/// Decides whether a delivery's payload may be kept in this node's memory, and queues the
/// deliveries it admits.
///
/// A fresh delivery, which comes straight from ingest, reserves memory before its event is stored
/// and is queued after the commit. A waiting delivery reserves memory when it is read from its
/// lane, which is the queue of one connection's deliveries in the database. A delivery that finds
/// no room waits in the database. Thread-safe.
public final class PayloadAdmission implements JournalListener {

    /// The maximum memory, in bytes, for the bodies and headers of all deliveries in memory.
    private static final long MAX_PAYLOAD_MEMORY_BYTES =
            Math.min(256L << 20, Runtime.getRuntime().maxMemory() / 4);

    private final RoutingTable routing;
    private final Lease node;
    private final Circuits circuits;
    private final DestinationStates states;
    private final SenderPool senderPool;
    private final Quarantine quarantine;
    private final FreshDeliveries freshDeliveries;
    private final PayloadMemory memory = new PayloadMemory(MAX_PAYLOAD_MEMORY_BYTES);
    private volatile boolean isClosed;

    PayloadAdmission(
            RoutingTable routing,
            Lease node,
            Circuits circuits,
            DestinationStates states,
            SenderPool senderPool,
            Quarantine quarantine,
            FreshDeliveries freshDeliveries) {
        this.routing = routing;
        this.node = node;
        this.circuits = circuits;
        this.states = states;
        this.senderPool = senderPool;
        this.quarantine = quarantine;
        this.freshDeliveries = freshDeliveries;
    }

    /// Reserves memory and a queue slot for a delivery that is about to be stored. Returns false if
    /// the delivery should be stored as waiting instead.
    ///
    /// @param size the size of the delivery's payload, in bytes
    public boolean reserve(DestinationId destination, int size) {
        if (isClosed || !node.mayStart() || !circuits.of(destination).isClosed()) {
            return false;
        }
        var state = states.of(destination);
        var share = state.share(PayloadMemory.TrafficClass.FRESH);
        if (!memory.tryReserve(share, size)) {
            return false;
        }
        if (!state.queue().reserve(state.queue().withinSecond(maxFresh(destination)))) {
            memory.release(share, size);
            return false;
        }
        return true;
    }

    /// Returns how many fresh deliveries to a destination may wait in memory. If the destination
    /// has a rate limit, the number is at most what the limit allows in one second.
    private int maxFresh(DestinationId destination) {
        return SenderPool.rateLimit(routing.destination(destination))
                .map(limit -> Math.min(DestinationQueue.MAX_FRESH_DELIVERIES, limit.perSecond()))
                .orElse(DestinationQueue.MAX_FRESH_DELIVERIES);
    }

    @Override
    public void stored(List<AcceptedEvent> events, long epoch) {
        for (var event : events) {
            for (var planned : event.deliveries()) {
                if (planned.isFresh()) {
                    var delivery = unfinishedDelivery(event, planned);
                    var state = states.of(planned.route().destination().id());
                    freshDeliveries.add(delivery);
                    state.queue()
                            .addFresh(new LoadedDelivery(delivery, event.payload(), true, epoch));
                    senderPool.startSender(state);
                }
            }
        }
    }

    private static UnfinishedDelivery unfinishedDelivery(
            AcceptedEvent event, AcceptedEvent.PlannedDelivery planned) {
        return new UnfinishedDelivery(
                planned.id(),
                event.source(),
                planned.connection(),
                Trigger.INGEST,
                0,
                Optional.empty(),
                planned.isUndecided());
    }

    @Override
    public void dropped(AcceptedEvent event) {
        cancel(event.deliveries(), event.payload().memoryBytes());
    }

    /// Cancels the reservations made for the fresh deliveries among `planned`.
    ///
    /// @param size the size of their event's payload, in bytes
    public void cancel(List<AcceptedEvent.PlannedDelivery> planned, int size) {
        for (var one : planned) {
            if (one.isFresh()) {
                cancel(one.route().destination().id(), size);
            }
        }
    }

    void cancel(DestinationId destination, int size) {
        var state = states.of(destination);
        state.queue().cancelReservation();
        memory.release(state.share(PayloadMemory.TrafficClass.FRESH), size);
    }

    /// Reserves memory for the payload of one waiting delivery. Returns false if there is no room.
    public boolean reserveWaiting(DestinationId destination, Trigger trigger, int size) {
        return memory.tryReserve(
                states.of(destination).share(LoadedDelivery.trafficClassOfWaiting(trigger)), size);
    }

    /// Whether [#reserveWaiting] would succeed now. Another thread may take the memory before the
    /// caller reserves it.
    public boolean hasRoom(DestinationId destination, Trigger trigger, int size) {
        var share = states.of(destination).share(LoadedDelivery.trafficClassOfWaiting(trigger));
        boolean isRoom = memory.tryReserve(share, size);
        if (isRoom) {
            memory.release(share, size);
        }
        return isRoom;
    }

    public void addWaiting(DestinationId destination, LoadedDelivery loaded) {
        if (PoisonPolicy.isSuspect(loaded.recoveries())) {
            quarantine.add(destination, loaded);
        } else {
            senderPool.startSender(states.addWaiting(destination, loaded));
        }
    }

    /// Releases the memory reserved for an admitted delivery's payload.
    void release(DestinationState state, LoadedDelivery loaded) {
        memory.release(state.share(loaded.trafficClass()), loaded.payload().memoryBytes());
    }

    /// Returns the memory used by payloads on this node, in bytes, including reservations.
    long bytes() {
        return memory.reservedBytes();
    }

    /// Returns the memory used by a workspace's payloads, in bytes, including reservations.
    long bytes(PayloadMemory.WorkspaceMemory workspace) {
        return memory.reservedBytes(workspace);
    }

    /// From now on, refuses reservations for fresh deliveries, which are then stored as waiting
    /// instead.
    void close() {
        isClosed = true;
    }
}
