package dev.sluice.relay.dispatch;

import dev.sluice.gateway.destination.Destination;
import dev.sluice.gateway.routing.Gone;
import dev.sluice.gateway.routing.Hold;
import dev.sluice.gateway.routing.Route;
import dev.sluice.gateway.routing.RouteMap;
import dev.sluice.platform.loop.Loop;
import dev.sluice.relay.ErrorCode;
import dev.sluice.relay.EventId;
import dev.sluice.relay.Lease;
import dev.sluice.relay.Payload;
import dev.sluice.relay.Recoveries;
import dev.sluice.relay.Trigger;
import dev.sluice.relay.circuit.Circuits;
import dev.sluice.relay.circuit.Probe;
import dev.sluice.relay.store.Lane;
import dev.sluice.relay.store.LaneStore;
import dev.sluice.relay.store.Lanes;
import dev.sluice.relay.store.ResultQueue;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.Set;
import java.util.function.LongSupplier;

/// Brings waiting deliveries into memory when they are due: retries, what had no room, what was
/// held.
///
/// A node leases whole lanes, reads a few deliveries of each in line and hands them to the
/// dispatcher; it reads more when those are done. So a lane with a million deliveries takes no more
/// memory than one with a hundred. A round looks at every leased lane of live deliveries once, and
/// then at resends. Owned by one thread.
public final class Backlog implements Loop.Step {

    private static final Logger log = LoggerFactory.getLogger(Backlog.class);

    private static final int MOST_LANES = 4_096;

    /// Deliveries loaded at once, and the bytes they should not exceed.
    private static final int MOST_LOADED = 64;

    private static final int LOADED_BYTES = 4 << 20;

    /// What a round does at most for lanes that live ones should not wait for: loads of resends,
    /// and lanes that are parked.
    private static final int MOST_RESEND_LOADS = 16;

    private static final int MOST_PARKED = 64;

    /// Of what a lane may have in memory, the part for resends while live ones are waiting there.
    private static final int RESENDS_PART = 16;

    private static final Duration CONFIGURATION_LAG = Duration.ofSeconds(1);
    private static final Duration ADOPTION = Duration.ofSeconds(10);
    private static final Duration DEAR_LEASE = Duration.ofMillis(5);
    private static final int LEASE_REST = 40;
    private static final Duration MOST_LEASE_REST = Duration.ofSeconds(2);

    private final Lanes lanes;
    private final RouteMap routing;
    private final Lease node;
    private final Dispatcher dispatcher;
    private final Delivering delivering;
    private final ResultQueue results;
    private final Circuits circuits;
    private final Holds holds;
    private final InstantSource clock;
    private final LongSupplier nanos;
    private final SequencedMap<Lane, LaneReader> leased = new LinkedHashMap<>();

    /// Lanes whose release may commit yet, though its connection broke, and until when.
    private final Map<Lane, Instant> inDoubt = new HashMap<>();

    private long epoch;
    private int loaded;
    private int parked;

    /// Given to the dispatcher so far.
    private long queued;

    private Instant nextAdoption = Instant.EPOCH;

    /// By `nanos`.
    private long leaseFrom;

    /// Of the payloads seen last, in bytes.
    private int usualSize = 4096;

    /// @param nanos the monotonic clock of this process
    public Backlog(
            Lanes lanes,
            RouteMap routing,
            Lease node,
            Dispatcher dispatcher,
            Delivering delivering,
            ResultQueue results,
            Circuits circuits,
            InstantSource clock,
            LongSupplier nanos) {
        this.lanes = lanes;
        this.routing = routing;
        this.node = node;
        this.dispatcher = dispatcher;
        this.delivering = delivering;
        this.results = results;
        this.circuits = circuits;
        this.holds = new Holds(circuits);
        this.clock = clock;
        this.nanos = nanos;
        this.leaseFrom = nanos.getAsLong();
    }

    /// Calls `wake` whenever there may be something to do before the next round is due.
    public void wakeBy(Runnable wake) {
        dispatcher.onWritten(wake);
        routing.onChange(wake);
    }

    @Override
    public boolean run() throws InterruptedException {
        forgetWritten();
        if (epoch != node.epoch()) {
            leased.clear(); // those of the epoch before are others' now
            inDoubt.clear();
            epoch = node.epoch();
        }
        if (!node.mayStart()) {
            return false;
        }
        adoptForgotten();
        leaseMore();
        parked = 0;
        boolean isMore = false;
        for (var reader : readers(Trigger.INGEST)) {
            isMore |= look(reader);
        }
        boolean areMoreResends = lookAtResends();
        return isMore || areMoreResends;
    }

    private List<LaneReader> readers(Trigger trigger) {
        return leased.values().stream()
                .filter(reader -> reader.lane().trigger() == trigger)
                .toList();
    }

    /// Lanes that loaded something are the last in the next round.
    private boolean lookAtResends() throws InterruptedException {
        loaded = 0;
        long queuedBefore = queued;
        boolean isMore = false;
        for (var reader : readers(Trigger.RESEND)) {
            int before = loaded;
            if (before >= MOST_RESEND_LOADS) {
                return queued > queuedBefore; // or there is no room for any
            }
            isMore |= look(reader);
            if (loaded > before && leased.containsKey(reader.lane())) {
                leased.putLast(reader.lane(), reader);
            }
        }
        return isMore;
    }

    private void forgetWritten() {
        for (var work = dispatcher.pollWritten();
                work.isPresent();
                work = dispatcher.pollWritten()) {
            var reader = leased.get(Lane.of(work.get()));
            if (reader != null) {
                reader.forget(work.get());
            }
        }
    }

    /// A lease whose answer was lost with its connection is ours all the same. Now and then. Not
    /// one whose release is in doubt: should it commit after all, it would free the lane while we
    /// have something of it in memory.
    private void adoptForgotten() {
        var now = clock.instant();
        boolean isSetBack = nextAdoption.isAfter(now.plus(ADOPTION));
        if (now.isBefore(nextAdoption) && !isSetBack) {
            return;
        }
        nextAdoption = now.plus(ADOPTION);
        dispatcher.forgetGone();
        var latest = now.plus(LaneReader.LATEST_COMMIT);
        inDoubt.replaceAll((_, until) -> until.isAfter(latest) ? latest : until);
        inDoubt.values().removeIf(now::isAfter);
        for (var lane : lanes.leased(epoch)) {
            if (!inDoubt.containsKey(lane)) {
                leased.computeIfAbsent(lane, LaneReader::new);
            }
        }
    }

    /// Where that took long, the next look is later: somebody holds a snapshot, so that each look
    /// passes every state a lane had since.
    private void leaseMore() {
        int room = MOST_LANES - leased.size();
        long began = nanos.getAsLong();
        if (room > 0 && began - leaseFrom >= 0) {
            for (var lane : lanes.lease(epoch, clock.instant(), room)) {
                inDoubt.remove(lane); // it was free: its release has committed
                leased.put(lane, new LaneReader(lane));
            }
            long took = nanos.getAsLong() - began;
            if (took > DEAR_LEASE.toNanos()) {
                leaseFrom = began + Math.min(LEASE_REST * took, MOST_LEASE_REST.toNanos());
            }
        }
    }

    /// True when the lane has more than it could take now.
    private boolean look(LaneReader reader) throws InterruptedException {
        var route = routing.route(reader.lane().connection());
        if (route.isEmpty()) {
            var gone = routing.gone(reader.lane().connection());
            if (gone.isPresent()) {
                return endAll(reader, gone.get());
            }
            // Another node knows it already; this one will within half a second.
            release(reader, Optional.of(clock.instant().plus(CONFIGURATION_LAG)));
            return false;
        }
        var hold = holds.of(route.get(), reader.lane().trigger());
        if (hold.isPresent() && hold.get() != Hold.CIRCUIT_OPEN) {
            return park(reader);
        }
        if (hold.isPresent()) {
            probe(reader, route.get());
            return false;
        }
        int most = most(reader.lane(), route.get().destination());
        int limit =
                Math.min(
                        most - reader.taken(),
                        Math.clamp(LOADED_BYTES / usualSize, 1, MOST_LOADED));
        if (reader.taken() * 2 > most || limit <= 0) {
            return false; // when half of it is done
        }
        if (!dispatcher
                .intake()
                .hasRoom(route.get().destination().id(), reader.lane().trigger(), usualSize)) {
            return false; // payloads would be read in vain
        }
        int taken = load(reader, route.get(), limit);
        if (reader.foundNothing() && reader.taken() == 0) {
            release(reader, lanes.firstDue(reader.lane()));
        }
        return taken == limit;
    }

    /// Lets the lane sleep until its destination may be tried. When that is now and something is
    /// due here, its first delivery is sent as the probe, if no other lane's is.
    private void probe(LaneReader reader, Route route) throws InterruptedException {
        var destination = route.destination();
        var now = clock.instant();
        if (reader.taken() > 0) {
            return; // of the time before; the probe itself, perhaps
        }
        if (circuits.of(destination.id()).isDue(now)) {
            var first = firstToSend(reader, route, now);
            if (first.isEmpty()) {
                release(reader, lanes.firstDue(reader.lane()));
                return;
            }
            if (!dispatcher
                    .intake()
                    .hasRoom(destination.id(), reader.lane().trigger(), usualSize)) {
                return;
            }
            var probe = circuits.claimProbe(destination);
            if (probe.isPresent()) {
                send(reader, route, first.get(), probe.get());
                return;
            }
        }
        release(reader, circuits.of(destination.id()).nextTryAt().or(() -> Optional.of(now)));
    }

    /// The first due delivery, after those that end without another attempt were ended. One that
    /// must be sent alone may have to wait for longer than the claim of a probe lasts: another goes
    /// before it.
    private Optional<LaneStore.Waiting> firstToSend(LaneReader reader, Route route, Instant now)
            throws InterruptedException {
        var suspect = Optional.<LaneStore.Waiting>empty();
        for (var waiting : reader.read(lanes, now, MOST_LOADED)) {
            if (endsUnsent(waiting)) {
                take(reader, route, waiting, Optional.empty(), Optional.empty());
            } else if (!Recoveries.isSuspect(waiting.recoveries())) {
                return Optional.of(waiting);
            } else if (suspect.isEmpty()) {
                suspect = Optional.of(waiting);
            }
        }
        return suspect;
    }

    private void send(LaneReader reader, Route route, LaneStore.Waiting waiting, Probe probe)
            throws InterruptedException {
        var event = waiting.work().id().event();
        boolean isSent = false;
        try {
            var payload = lanes.payloads(reader.lane().source(), Set.of(event)).get(event);
            isSent =
                    take(reader, route, waiting, Optional.ofNullable(payload), Optional.of(probe))
                            && payload != null;
        } finally {
            if (!isSent) {
                circuits.giveBack(probe);
            }
        }
    }

    /// Whether it ends without another attempt.
    private boolean endsUnsent(LaneStore.Waiting waiting) {
        return Recoveries.isPoison(waiting.recoveries()) || delivering.isExpired(waiting.work());
    }

    /// Until the change that lifts the hold wakes it. True when it must wait for another round.
    private boolean park(LaneReader reader) {
        if (reader.taken() > 0) {
            return false;
        }
        if (parked == MOST_PARKED) {
            return true;
        }
        parked++;
        release(reader, Optional.empty());
        return false;
    }

    /// Deliveries of a lane in memory: enough that all senders have one more, with a rate limit
    /// those of a second at most, and few resends while live ones wait.
    private int most(Lane lane, Destination destination) {
        var spec = destination.spec();
        int room = 2 * spec.maxInFlight();
        int most = spec.rateLimit().map(limit -> Math.min(room, limit.perSecond())).orElse(room);
        return lane.trigger() == Trigger.RESEND && dispatcher.hasLive(destination.id())
                ? Math.max(1, most / RESENDS_PART)
                : most;
    }

    private int load(LaneReader reader, Route route, int limit) throws InterruptedException {
        var now = clock.instant();
        var read = reader.read(lanes, now, limit);
        if (read.isEmpty()) {
            return 0;
        }
        loaded++;
        var events = new HashSet<EventId>();
        read.forEach(waiting -> events.add(waiting.work().id().event()));
        var payloads = lanes.payloads(reader.lane().source(), events);
        int taken = 0;
        for (var waiting : read) {
            if (!take(
                    reader,
                    route,
                    waiting,
                    Optional.ofNullable(payloads.get(waiting.work().id().event())),
                    Optional.empty())) {
                break;
            }
            taken++;
        }
        return taken;
    }

    /// False when there is no memory for it now.
    private boolean take(
            LaneReader reader,
            Route route,
            LaneStore.Waiting waiting,
            Optional<Payload> payload,
            Optional<Probe> probe)
            throws InterruptedException {
        var work = waiting.work();
        payload.ifPresent(each -> usualSize = Math.max(1, (3 * usualSize + each.size()) / 4));
        if (Recoveries.isPoison(waiting.recoveries())) {
            log.atWarn().addKeyValue("delivery_id", work.id()).log("delivery.poisonous");
            reader.take(work);
            results.add(Delivering.ended(work, ErrorCode.INTERRUPTED, clock.instant()));
        } else if (payload.isEmpty() || delivering.isExpired(work)) {
            reader.take(work);
            results.add(Delivering.ended(work, ErrorCode.EVENT_EXPIRED, clock.instant()));
        } else if (dispatcher
                .intake()
                .reserveWaiting(route.destination().id(), work.trigger(), payload.get().size())) {
            queued++;
            reader.take(work);
            dispatcher
                    .intake()
                    .addWaiting(
                            route.destination().id(),
                            new Ready(
                                    work,
                                    payload.get(),
                                    false,
                                    epoch,
                                    waiting.recoveries(),
                                    probe));
        } else {
            return false;
        }
        reader.advance(waiting);
        return true;
    }

    /// Ends what waits for a connection or destination that is gone, due or not.
    private boolean endAll(LaneReader reader, Gone gone) throws InterruptedException {
        var read = reader.read(lanes, LaneReader.FOREVER, MOST_LOADED);
        for (var waiting : read) {
            reader.take(waiting.work());
            reader.advance(waiting);
            results.add(delivering.ended(waiting.work(), gone));
        }
        if (read.isEmpty() && reader.taken() == 0) {
            release(reader, Optional.empty());
        }
        return read.size() == MOST_LOADED;
    }

    private void release(LaneReader reader, Optional<Instant> wakeAt) {
        if (reader.taken() > 0) {
            return; // nothing in the rows says that they are on the wire
        }
        var lane = reader.lane();
        leased.remove(lane);
        inDoubt.put(lane, clock.instant().plus(LaneReader.LATEST_COMMIT)); // if the answer is lost
        lanes.release(lane, epoch, wakeAt);
        inDoubt.remove(lane);
    }

    /// Frees all lanes, after the dispatcher has stopped.
    public void leave() {
        for (var reader : new ArrayList<>(leased.values())) {
            var wakeAt = lanes.firstDue(reader.lane());
            lanes.release(reader.lane(), epoch, wakeAt);
        }
        leased.clear();
    }
}
