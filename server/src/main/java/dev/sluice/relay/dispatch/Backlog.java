package dev.sluice.relay.dispatch;

import dev.sluice.gateway.destination.Destination;
import dev.sluice.gateway.routing.HoldReason;
import dev.sluice.gateway.routing.Route;
import dev.sluice.gateway.routing.RouteDeletion;
import dev.sluice.gateway.routing.RoutingTable;
import dev.sluice.platform.db.DbException;
import dev.sluice.platform.db.RoundParts;
import dev.sluice.platform.id.Uuid7;
import dev.sluice.platform.loop.Loop;
import dev.sluice.relay.ErrorCode;
import dev.sluice.relay.EventId;
import dev.sluice.relay.Lease;
import dev.sluice.relay.Payload;
import dev.sluice.relay.PoisonPolicy;
import dev.sluice.relay.Trigger;
import dev.sluice.relay.circuit.Circuits;
import dev.sluice.relay.circuit.Probe;
import dev.sluice.relay.journal.ResultQueue;
import dev.sluice.relay.store.Lane;
import dev.sluice.relay.store.LaneStore;
import dev.sluice.relay.store.Lanes;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.Set;
import java.util.function.LongSupplier;

/// Loads waiting deliveries into memory when they are due: retries, deliveries that found no room
/// in memory, and deliveries that were on hold.
///
/// A node leases whole lanes; a lane is the queue, in the database, of one connection's deliveries.
/// The node reads a few due deliveries from the front of each lane and hands them to the
/// dispatcher. It reads more when half of them are done. A lane with a million deliveries therefore
/// uses no more memory than a lane with a hundred.
///
/// A round reads every leased lane of live deliveries once, then lanes of resends. Live deliveries
/// come from ingest; resends were requested by a user. Each lane fails alone. Owned by one thread.
public final class Backlog implements Loop.Step {

    private static final Logger log = LoggerFactory.getLogger(Backlog.class);

    private static final int MAX_LEASED_LANES = 4_096;

    /// Limits for one load from one lane: the number of deliveries, and the bytes of their
    /// payloads.
    private static final int MAX_DELIVERIES_PER_LOAD = 64;

    private static final int MAX_LOAD_BYTES = 4 << 20;

    /// Limits per round for work that must not delay live deliveries: loads from lanes of resends,
    /// and lanes released because they are on hold.
    private static final int MAX_RESEND_LOADS_PER_ROUND = 16;

    private static final int MAX_PARKED_LANES_PER_ROUND = 64;

    /// When this many lanes have failed in one round, the round ends; the next one reads others.
    private static final int MAX_FAILED_LANES_PER_ROUND = 8;

    /// While live deliveries wait in memory, a lane of resends may have one sixteenth of its usual
    /// number of deliveries in memory.
    private static final int RESEND_SHARE_DIVISOR = 16;

    private static final Duration UNKNOWN_CONNECTION_RETRY_INTERVAL = Duration.ofSeconds(1);
    private static final Duration LANE_ADOPTION_INTERVAL = Duration.ofSeconds(10);
    private static final Duration SLOW_LEASE_THRESHOLD = Duration.ofMillis(5);
    private static final int LEASE_BACKOFF_FACTOR = 40;
    private static final Duration MAX_LEASE_BACKOFF = Duration.ofSeconds(2);

    private final Lanes lanes;
    private final PayloadReader payloads;
    private final RoutingTable routing;
    private final Lease node;
    private final Dispatcher dispatcher;
    private final AttemptRunner attemptRunner;
    private final ResultQueue results;
    private final Circuits circuits;
    private final HoldPolicy holdPolicy;
    private final InstantSource clock;
    private final LongSupplier nanos;
    private final SequencedMap<Lane, LaneReader> leased = new LinkedHashMap<>();

    /// Lanes whose release may still be committed although the connection broke, each with the time
    /// after which it no longer can be.
    private final Map<Lane, Instant> releasesInDoubt = new HashMap<>();

    private long epoch;
    private int loads;
    private int parked;
    private int failedLanes;

    /// Since when at least one lane could not be read. Read by other threads.
    private volatile Instant blockedSince = Instant.MAX;

    /// The number of deliveries handed to the dispatcher since the start.
    private long admitted;

    private Instant nextAdoption = Instant.EPOCH;

    /// When lanes may next be leased, measured by the clock `nanos`.
    private long nextLeaseNanos;

    /// The moving average of the sizes of loaded payloads, in bytes.
    private int averagePayloadBytes = 4096;

    /// @param nanos the monotonic clock of this process
    public Backlog(
            DispatchEnvironment environment,
            Lanes lanes,
            Dispatcher dispatcher,
            AttemptRunner attemptRunner,
            LongSupplier nanos) {
        this.routing = environment.routing();
        this.node = environment.node();
        this.results = environment.results();
        this.circuits = environment.circuits();
        this.clock = environment.clock();
        this.lanes = lanes;
        this.payloads = new PayloadReader(lanes, clock);
        this.dispatcher = dispatcher;
        this.attemptRunner = attemptRunner;
        this.holdPolicy = new HoldPolicy(circuits);
        this.nanos = nanos;
        this.nextLeaseNanos = nanos.getAsLong();
    }

    /// Sets the callback to run when work may appear before the next round is due.
    public void onWakeNeeded(Runnable wake) {
        dispatcher.onWritten(wake);
        routing.onChange(wake);
    }

    @Override
    public boolean run() throws InterruptedException {
        forgetWritten();
        if (epoch != node.epoch()) {
            leased.clear(); // other nodes now own these lanes
            releasesInDoubt.clear();
            epoch = node.epoch();
        }
        if (!node.mayStart()) {
            return false;
        }
        var parts = new RoundParts();
        parts.run(this::adoptLanesOfLostReplies);
        parts.run(this::leaseMoreLanes);
        parked = 0;
        failedLanes = 0;
        boolean isMore = false;
        try {
            for (var reader : readers(Trigger.INGEST)) {
                isMore |= readLaneApart(reader);
            }
            isMore |= readResendLanes();
        } finally {
            blockedSince =
                    leased.values().stream()
                            .map(LaneReader::blockedSince)
                            .min(Comparator.naturalOrder())
                            .orElse(Instant.MAX);
        }
        parts.end();
        return isMore;
    }

    /// Whether a lane with due deliveries could not be read for this long, because the read fails
    /// or because there is no memory for it. Thread-safe.
    public boolean isBlockedFor(Duration time) {
        return blockedSince.isBefore(clock.instant().minus(time));
    }

    /// Reads a lane so that its failure does not end the round. A failed lane rests. The round ends
    /// only if the connection was lost, or if so many lanes fail that the database is at fault.
    private boolean readLaneApart(LaneReader reader) throws InterruptedException {
        try {
            reader.beginRound();
            boolean isMore = readLane(reader);
            reader.endRound();
            return isMore;
        } catch (RuntimeException e) {
            reader.failed(clock.instant());
            failedLanes++;
            if (failedLanes == MAX_FAILED_LANES_PER_ROUND
                    || (e instanceof DbException lost && lost.isConnectionLost())) {
                throw e;
            }
            log.atWarn()
                    .addKeyValue("connection_id", reader.lane().connection())
                    .setCause(e)
                    .log("lane.read_failed");
            return false;
        }
    }

    private List<LaneReader> readers(Trigger trigger) {
        var now = clock.instant();
        return leased.values().stream()
                .filter(reader -> reader.lane().trigger() == trigger && !reader.isResting(now))
                .toList();
    }

    /// Reads lanes of resends, up to the limit per round. Lanes from which something was loaded are
    /// read last in the next round.
    private boolean readResendLanes() throws InterruptedException {
        loads = 0;
        long queuedBefore = admitted;
        boolean isMore = false;
        for (var reader : readers(Trigger.RESEND)) {
            int before = loads;
            if (before >= MAX_RESEND_LOADS_PER_ROUND) {
                return admitted > queuedBefore; // if nothing was admitted, memory is full
            }
            isMore |= readLaneApart(reader);
            if (loads > before && leased.containsKey(reader.lane())) {
                leased.putLast(reader.lane(), reader);
            }
        }
        return isMore;
    }

    private void forgetWritten() {
        for (var written = dispatcher.pollWritten();
                written.isPresent();
                written = dispatcher.pollWritten()) {
            var reader = leased.get(Lane.of(written.get()));
            if (reader != null) {
                reader.forget(written.get());
            }
        }
    }

    /// Every 10 s, re-adopts lanes whose lease reply was lost: their rows name this node as owner.
    ///
    /// Skips a lane whose release is in doubt. If that release commits later, it frees the lane
    /// although some of its deliveries would be in memory here.
    private void adoptLanesOfLostReplies() {
        var now = clock.instant();
        boolean isSetBack = nextAdoption.isAfter(now.plus(LANE_ADOPTION_INTERVAL));
        if (now.isBefore(nextAdoption) && !isSetBack) {
            return;
        }
        nextAdoption = now.plus(LANE_ADOPTION_INTERVAL);
        dispatcher.forgetDeleted();
        var latest = now.plus(LaneReader.MAX_TRANSACTION_AGE);
        releasesInDoubt.replaceAll((_, until) -> until.isAfter(latest) ? latest : until);
        releasesInDoubt.values().removeIf(now::isAfter);
        for (var lane : lanes.leased(epoch)) {
            if (!releasesInDoubt.containsKey(lane)) {
                leased.computeIfAbsent(lane, LaneReader::new);
            }
        }
    }

    /// Leases lanes that are due. If the query is slow, the next one is delayed by 40 times its
    /// duration, but by 2 s at most. The query is slow while a long transaction holds a snapshot,
    /// because it must then step over every dead version of each lane's row.
    private void leaseMoreLanes() {
        int room = MAX_LEASED_LANES - leased.size();
        long began = nanos.getAsLong();
        if (room > 0 && began - nextLeaseNanos >= 0) {
            for (var lane : lanes.lease(epoch, clock.instant(), room)) {
                releasesInDoubt.remove(lane); // leasable, so its release has committed
                leased.put(lane, new LaneReader(lane));
            }
            long took = nanos.getAsLong() - began;
            if (took > SLOW_LEASE_THRESHOLD.toNanos()) {
                nextLeaseNanos =
                        began + Math.min(LEASE_BACKOFF_FACTOR * took, MAX_LEASE_BACKOFF.toNanos());
            }
        }
    }

    /// Loads due deliveries from one lane. Returns true if the lane may have more due deliveries.
    private boolean readLane(LaneReader reader) throws InterruptedException {
        var route = routing.route(reader.lane().connection());
        if (route.isEmpty()) {
            var gone = routing.deletion(reader.lane().connection());
            if (gone.isPresent()) {
                return endAll(reader, gone.get());
            }
            // Another node knows the connection already. This node will read it within half a
            // second.
            release(reader, Optional.of(clock.instant().plus(UNKNOWN_CONNECTION_RETRY_INTERVAL)));
            return false;
        }
        var hold = holdPolicy.holdOf(route.get(), reader.lane().trigger());
        if (hold.isPresent() && hold.get() != HoldReason.CIRCUIT_OPEN) {
            return park(reader);
        }
        if (hold.isPresent()) {
            probeOrSleep(reader, route.get());
            return false;
        }
        int maximum = maxInMemory(reader.lane(), route.get().destination());
        int limit =
                Math.min(
                        maximum - reader.inMemory(),
                        Math.clamp(
                                MAX_LOAD_BYTES / averagePayloadBytes, 1, MAX_DELIVERIES_PER_LOAD));
        if (reader.inMemory() * 2 > maximum || limit <= 0) {
            return false; // loads more once half are done
        }
        if (!dispatcher
                .admission()
                .hasRoom(
                        route.get().destination().id(),
                        reader.lane().trigger(),
                        averagePayloadBytes)) {
            if (reader.inMemory() == 0) {
                reader.blocked(clock.instant());
            }
            return false; // reading payloads would be wasted
        }
        int taken = load(reader, route.get(), limit);
        if (reader.foundNothing() && reader.inMemory() == 0) {
            release(reader, lanes.firstDue(reader.lane()));
        }
        return taken == limit;
    }

    /// Handles a lane whose circuit is not closed. If a probe (the one attempt that tests the
    /// destination) is due, sends the lane's first due delivery as the probe, unless another lane
    /// claims the probe first. Otherwise the lane sleeps until the circuit's next try.
    private void probeOrSleep(LaneReader reader, Route route) throws InterruptedException {
        var destination = route.destination();
        var now = clock.instant();
        if (reader.inMemory() > 0) {
            return; // loaded before the circuit opened, or the probe
        }
        if (circuits.of(destination.id()).isProbeDue(now)) {
            var first = firstToSend(reader, route, now);
            if (first.isEmpty()) {
                release(reader, lanes.firstDue(reader.lane()));
                return;
            }
            if (!dispatcher
                    .admission()
                    .hasRoom(destination.id(), reader.lane().trigger(), averagePayloadBytes)) {
                return;
            }
            var probe = circuits.claimProbe(destination);
            if (probe.isPresent()) {
                sendProbe(reader, route, first.get(), probe.get());
                return;
            }
        }
        release(reader, circuits.of(destination.id()).nextTryAt().or(() -> Optional.of(now)));
    }

    /// Returns the first due delivery that can be sent. Deliveries found before it that need no
    /// attempt are ended.
    ///
    /// A suspect (see [PoisonPolicy]) is chosen only if nothing else is due, because it may wait in
    /// quarantine for longer than the claim to a probe lasts.
    private Optional<LaneStore.WaitingDelivery> firstToSend(
            LaneReader reader, Route route, Instant now) throws InterruptedException {
        var suspect = Optional.<LaneStore.WaitingDelivery>empty();
        for (var waiting : reader.read(lanes, now, MAX_DELIVERIES_PER_LOAD)) {
            if (endsWithoutAttempt(waiting)) {
                admit(reader, route, waiting, Optional.empty(), Optional.empty());
            } else if (!PoisonPolicy.isSuspect(waiting.recoveries())) {
                return Optional.of(waiting);
            } else if (suspect.isEmpty()) {
                suspect = Optional.of(waiting);
            }
        }
        return suspect;
    }

    private void sendProbe(
            LaneReader reader, Route route, LaneStore.WaitingDelivery waiting, Probe probe)
            throws InterruptedException {
        var event = waiting.delivery().id().event();
        boolean isSent = false;
        try {
            var read = payloads.read(reader.lane().source(), Set.of(event));
            if (endsUnreadable(reader, waiting, read)) {
                return;
            }
            var payload = read.payloads().get(event);
            isSent =
                    admit(reader, route, waiting, Optional.ofNullable(payload), Optional.of(probe))
                            && payload != null;
        } finally {
            if (!isSent) {
                circuits.giveBack(probe);
            }
        }
    }

    /// Whether the delivery ends without another attempt, because it is poison (see [PoisonPolicy])
    /// or has expired.
    private boolean endsWithoutAttempt(LaneStore.WaitingDelivery waiting) {
        return PoisonPolicy.isPoison(waiting.recoveries())
                || attemptRunner.isExpired(waiting.delivery());
    }

    /// Releases a lane that is on hold, without a wake-up time: the change that lifts the hold will
    /// wake it. Returns true if the lane must wait for another round.
    private boolean park(LaneReader reader) {
        if (reader.inMemory() > 0) {
            return false;
        }
        if (parked == MAX_PARKED_LANES_PER_ROUND) {
            return true;
        }
        parked++;
        release(reader, Optional.empty());
        return false;
    }

    /// Returns how many of the lane's deliveries may be in memory: two for each sender, and with a
    /// rate limit at most one second's worth. A lane of resends gets only part of that number while
    /// live deliveries wait.
    private int maxInMemory(Lane lane, Destination destination) {
        var spec = destination.spec();
        int room = 2 * spec.maxInFlight();
        int maximum = spec.rateLimit().map(limit -> Math.min(room, limit.perSecond())).orElse(room);
        return lane.trigger() == Trigger.RESEND && dispatcher.hasLive(destination.id())
                ? Math.max(1, maximum / RESEND_SHARE_DIVISOR)
                : maximum;
    }

    private int load(LaneReader reader, Route route, int limit) throws InterruptedException {
        var now = clock.instant();
        var read = reader.read(lanes, now, limit);
        if (read.isEmpty()) {
            return 0;
        }
        loads++;
        var events = new HashSet<EventId>();
        read.forEach(waiting -> events.add(waiting.delivery().id().event()));
        var found = payloads.read(reader.lane().source(), events);
        int taken = 0;
        for (var waiting : read) {
            if (endsUnreadable(reader, waiting, found)) {
                continue;
            }
            var payload = found.payloads().get(waiting.delivery().id().event());
            if (!admit(reader, route, waiting, Optional.ofNullable(payload), Optional.empty())) {
                break;
            }
            taken++;
        }
        return taken;
    }

    /// Ends a delivery whose payload cannot be read. If this was its first failed load, the lane
    /// rests instead until the second one may follow. Returns false if its payload was read.
    private boolean endsUnreadable(
            LaneReader reader, LaneStore.WaitingDelivery waiting, PayloadReader.PayloadRead found)
            throws InterruptedException {
        var delivery = waiting.delivery();
        var event = delivery.id().event();
        if (found.suspects().containsKey(event)) {
            reader.restFor(clock.instant(), PayloadReader.SECOND_LOAD_DELAY);
            return true;
        }
        var cause = found.unreadable().get(event);
        if (cause == null) {
            return false;
        }
        log.atError()
                .addKeyValue("delivery_id", delivery.id())
                .addKeyValue("event_id", event)
                .setCause(cause)
                .log("payload.read_failed");
        reader.add(delivery);
        reader.advance(waiting);
        results.add(
                AttemptRunner.failWithoutAttempt(
                        delivery, ErrorCode.PAYLOAD_UNREADABLE, clock.instant()));
        return true;
    }

    /// Queues one delivery, or ends it if it is poison or expired. Returns false if there is no
    /// memory for the delivery now.
    private boolean admit(
            LaneReader reader,
            Route route,
            LaneStore.WaitingDelivery waiting,
            Optional<Payload> payload,
            Optional<Probe> probe)
            throws InterruptedException {
        var delivery = waiting.delivery();
        payload.ifPresent(each ->
                averagePayloadBytes =
                        Math.max(1, (3 * averagePayloadBytes + each.memoryBytes()) / 4));
        if (PoisonPolicy.isPoison(waiting.recoveries())) {
            log.atWarn().addKeyValue("delivery_id", delivery.id()).log("delivery.poison_detected");
            reader.add(delivery);
            results.add(
                    AttemptRunner.failWithoutAttempt(
                            delivery, ErrorCode.INTERRUPTED, clock.instant()));
        } else if (payload.isEmpty() || attemptRunner.isExpired(delivery)) {
            reader.add(delivery);
            results.add(
                    AttemptRunner.failWithoutAttempt(
                            delivery, ErrorCode.EVENT_EXPIRED, clock.instant()));
        } else if (dispatcher
                .admission()
                .reserveWaiting(
                        route.destination().id(),
                        delivery.trigger(),
                        payload.get().memoryBytes())) {
            admitted++;
            reader.add(delivery);
            dispatcher
                    .admission()
                    .addWaiting(
                            route.destination().id(),
                            new LoadedDelivery(
                                    delivery,
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

    /// Ends deliveries whose connection or destination was deleted, whether they are due or not.
    /// Returns true if the lane may have more of them.
    private boolean endAll(LaneReader reader, RouteDeletion deletion) throws InterruptedException {
        var read = reader.read(lanes, Uuid7.MAX_TIME, MAX_DELIVERIES_PER_LOAD);
        for (var waiting : read) {
            reader.add(waiting.delivery());
            reader.advance(waiting);
            results.add(attemptRunner.failWithoutAttempt(waiting.delivery(), deletion));
        }
        if (read.isEmpty() && reader.inMemory() == 0) {
            release(reader, Optional.empty());
        }
        return read.size() == MAX_DELIVERIES_PER_LOAD;
    }

    private void release(LaneReader reader, Optional<Instant> wakeAt) {
        if (reader.inMemory() > 0) {
            return; // rows do not show that deliveries are in memory here
        }
        var lane = reader.lane();
        leased.remove(lane);
        releasesInDoubt.put(
                lane,
                clock.instant().plus(LaneReader.MAX_TRANSACTION_AGE)); // in case the reply is lost
        lanes.release(lane, epoch, wakeAt);
        releasesInDoubt.remove(lane);
    }

    /// Releases all lanes. Called after the dispatcher has stopped.
    public void leave() {
        for (var reader : new ArrayList<>(leased.values())) {
            var wakeAt = lanes.firstDue(reader.lane());
            lanes.release(reader.lane(), epoch, wakeAt);
        }
        leased.clear();
    }
}
