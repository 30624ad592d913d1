package dev.sluice.engine.lanes;

import dev.sluice.engine.ErrorCode;
import dev.sluice.engine.EventId;
import dev.sluice.engine.Payload;
import dev.sluice.engine.PoisonPolicy;
import dev.sluice.engine.commit.ResultQueue;
import dev.sluice.engine.send.AttemptRunner;
import dev.sluice.engine.send.DispatchEnvironment;
import dev.sluice.engine.send.Dispatcher;
import dev.sluice.engine.send.LoadedDelivery;
import dev.sluice.engine.settle.Probe;
import dev.sluice.gateway.routing.Route;
import dev.sluice.gateway.routing.RouteDeletion;
import dev.sluice.platform.id.Uuid7;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.time.InstantSource;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;

/// Loads due deliveries from leased lanes into memory, and ends the deliveries that need no
/// attempt. Not thread-safe.
public final class LaneLoader {

    private static final Logger log = LoggerFactory.getLogger(LaneLoader.class);

    /// Limits for one load from one lane: the number of deliveries, and the bytes of their
    /// payloads.
    static final int MAX_DELIVERIES_PER_LOAD = 64;

    private static final int MAX_LOAD_BYTES = 4 << 20;

    private final Lanes lanes;
    private final PayloadReader payloads;
    private final Dispatcher dispatcher;
    private final AttemptRunner attemptRunner;
    private final ResultQueue results;
    private final InstantSource clock;

    /// The number of deliveries handed to the dispatcher since this object was created.
    private long admitted;

    /// The moving average of loaded payload sizes, in bytes.
    private int averagePayloadBytes = 4096;

    LaneLoader(
            DispatchEnvironment environment,
            Lanes lanes,
            Dispatcher dispatcher,
            AttemptRunner attemptRunner) {
        this.lanes = lanes;
        this.payloads = new PayloadReader(lanes, environment.clock());
        this.dispatcher = dispatcher;
        this.attemptRunner = attemptRunner;
        this.results = environment.results();
        this.clock = environment.clock();
    }

    long admitted() {
        return admitted;
    }

    /// Returns the maximum number of deliveries in one load.
    int maxDeliveries() {
        return Math.clamp(MAX_LOAD_BYTES / averagePayloadBytes, 1, MAX_DELIVERIES_PER_LOAD);
    }

    /// Whether there is memory for another delivery from this lane, assuming a payload of average
    /// size.
    boolean hasRoom(LaneReader reader, Route route) {
        return dispatcher
                .admission()
                .hasRoom(route.destination().id(), reader.lane().trigger(), averagePayloadBytes);
    }

    /// The result of a load.
    ///
    /// @param read the number of due deliveries that were read
    /// @param taken how many of them were queued for sending, or ended because they are poison or
    ///   expired, or because their event no longer exists; deliveries with an unreadable payload
    ///   are not counted
    record LaneLoad(int read, int taken) {

        boolean isComplete() {
            return taken == read;
        }
    }

    /// Loads up to `limit` due deliveries from a lane. Stops when there is no memory for the next
    /// one.
    ///
    /// @param epoch the epoch under which the lane was leased
    LaneLoad load(LaneReader reader, Route route, int limit, long epoch)
            throws InterruptedException {
        var read = reader.read(lanes, clock.instant(), limit);
        if (read.isEmpty()) {
            return new LaneLoad(0, 0);
        }
        var events = new HashSet<EventId>();
        read.forEach(waiting -> events.add(waiting.delivery().id().event()));
        var found = payloads.read(reader.lane().source(), events);
        int taken = 0;
        for (var waiting : read) {
            if (endsUnreadable(reader, route, waiting, found)) {
                passIfInMemory(reader, waiting);
                continue;
            }
            var payload = found.payloads().get(waiting.delivery().id().event());
            var loaded = new AdmittedDelivery(waiting, Optional.ofNullable(payload), epoch);
            if (admit(reader, route, loaded, Optional.empty()) == AdmitResult.NO_MEMORY) {
                break;
            }
            passIfInMemory(reader, waiting);
            taken++;
        }
        return new LaneLoad(read.size(), taken);
    }

    /// Moves the lane's cursor past a delivery that was just queued or ended. Not called for
    /// probes, which may be far ahead of the others.
    private static void passIfInMemory(LaneReader reader, LaneStore.WaitingDelivery waiting) {
        if (reader.isInMemory(waiting.delivery())) {
            reader.advance(waiting);
        }
    }

    /// A delivery that was read, with its payload. The payload is empty if the event no longer
    /// exists, or if the delivery ends without an attempt and needs no payload.
    private record AdmittedDelivery(
            LaneStore.WaitingDelivery waiting, Optional<Payload> payload, long epoch) {}

    /// Returns the first due delivery that can be sent, or empty if there is none. Ends the
    /// deliveries before it that need no attempt.
    ///
    /// A suspect (see [PoisonPolicy]) is returned only if no other delivery that was read can be
    /// sent, because a suspect may wait in [Quarantine] for longer than the claim to a probe lasts.
    Optional<LaneStore.WaitingDelivery> firstToSend(LaneReader reader, Route route, long epoch)
            throws InterruptedException {
        var suspect = Optional.<LaneStore.WaitingDelivery>empty();
        for (var waiting : reader.read(lanes, clock.instant(), MAX_DELIVERIES_PER_LOAD)) {
            if (endsWithoutAttempt(waiting)) {
                var ended = new AdmittedDelivery(waiting, Optional.empty(), epoch);
                var _ = admit(reader, route, ended, Optional.empty());
                passIfInMemory(reader, waiting);
            } else if (!PoisonPolicy.isSuspect(waiting.recoveries())) {
                return Optional.of(waiting);
            } else if (suspect.isEmpty()) {
                suspect = Optional.of(waiting);
            }
        }
        return suspect;
    }

    /// Whether the delivery ends without another attempt, because it is poison (see [PoisonPolicy])
    /// or has expired.
    private boolean endsWithoutAttempt(LaneStore.WaitingDelivery waiting) {
        return PoisonPolicy.isPoison(waiting.recoveries())
                || attemptRunner.isExpired(waiting.delivery());
    }

    /// Queues one delivery as the probe. Returns false if the delivery was not queued, because it
    /// ended, its payload could not be read, or there is no memory for it.
    boolean loadProbe(
            LaneReader reader,
            Route route,
            LaneStore.WaitingDelivery waiting,
            Probe probe,
            long epoch)
            throws InterruptedException {
        var event = waiting.delivery().id().event();
        var read = payloads.read(reader.lane().source(), Set.of(event));
        if (endsUnreadable(reader, route, waiting, read)) {
            return false;
        }
        var payload = Optional.ofNullable(read.payloads().get(event));
        var loaded = new AdmittedDelivery(waiting, payload, epoch);
        return admit(reader, route, loaded, Optional.of(probe)) == AdmitResult.QUEUED;
    }

    /// Handles a delivery whose payload could not be read. After the first failed load, lets the
    /// lane rest until a second load may follow; after the second, ends the delivery. Returns false
    /// and does nothing if the payload was read or the event no longer exists.
    private boolean endsUnreadable(
            LaneReader reader,
            Route route,
            LaneStore.WaitingDelivery waiting,
            PayloadReader.PayloadRead found)
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
        end(reader, route, waiting, ErrorCode.PAYLOAD_UNREADABLE);
        return true;
    }

    /// What became of a delivery that was to be queued.
    private enum AdmitResult {
        QUEUED,
        /// The delivery ended without an attempt.
        ENDED,
        NO_MEMORY
    }

    /// Queues one delivery if there is memory for it now, or ends it if it is poison (see
    /// [PoisonPolicy]), it has expired, or its event no longer exists.
    private AdmitResult admit(
            LaneReader reader, Route route, AdmittedDelivery read, Optional<Probe> probe)
            throws InterruptedException {
        var waiting = read.waiting();
        var delivery = waiting.delivery();
        read.payload()
                .ifPresent(each ->
                        averagePayloadBytes =
                                Math.max(1, (3 * averagePayloadBytes + each.memoryBytes()) / 4));
        if (PoisonPolicy.isPoison(waiting.recoveries())) {
            log.atWarn().addKeyValue("delivery_id", delivery.id()).log("delivery.poison_detected");
            end(reader, route, waiting, ErrorCode.INTERRUPTED);
            return AdmitResult.ENDED;
        }
        if (read.payload().isEmpty() || attemptRunner.isExpired(delivery)) {
            end(reader, route, waiting, ErrorCode.EVENT_EXPIRED);
            return AdmitResult.ENDED;
        }
        var destination = route.destination().id();
        var payload = read.payload().get();
        var admission = dispatcher.admission();
        if (!admission.reserveWaiting(destination, delivery.trigger(), payload.memoryBytes())) {
            return AdmitResult.NO_MEMORY;
        }
        admitted++;
        reader.add(delivery);
        admission.addWaiting(
                destination,
                new LoadedDelivery(
                        delivery, payload, false, read.epoch(), waiting.recoveries(), probe));
        return AdmitResult.QUEUED;
    }

    private void end(
            LaneReader reader, Route route, LaneStore.WaitingDelivery waiting, ErrorCode reason)
            throws InterruptedException {
        var delivery = waiting.delivery();
        reader.add(delivery);
        results.add(attemptRunner.failWithoutAttempt(delivery, route, reason), true);
    }

    /// Ends up to [#MAX_DELIVERIES_PER_LOAD] deliveries in a lane whose connection or destination
    /// was deleted, whether they are due or not. Returns how many it ended.
    int endAll(LaneReader reader, RouteDeletion deletion) throws InterruptedException {
        var read = reader.read(lanes, Uuid7.MAX_TIME, MAX_DELIVERIES_PER_LOAD);
        for (var waiting : read) {
            reader.add(waiting.delivery());
            reader.advance(waiting);
            results.add(attemptRunner.failWithoutAttempt(waiting.delivery(), deletion), true);
        }
        return read.size();
    }
}
