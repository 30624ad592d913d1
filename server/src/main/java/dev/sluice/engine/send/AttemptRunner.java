package dev.sluice.engine.send;

import dev.sluice.engine.Attempt;
import dev.sluice.engine.DeliveryStatus;
import dev.sluice.engine.ErrorCode;
import dev.sluice.engine.InFlightRecorder;
import dev.sluice.engine.Outcome;
import dev.sluice.engine.UnfinishedDelivery;
import dev.sluice.engine.commit.DeliveryResult;
import dev.sluice.engine.settle.CircuitEvidence;
import dev.sluice.engine.settle.Circuits;
import dev.sluice.engine.settle.Pace;
import dev.sluice.engine.settle.Settlement;
import dev.sluice.engine.share.FilterDecider;
import dev.sluice.gateway.destination.Destination;
import dev.sluice.gateway.routing.ExpiryPolicy;
import dev.sluice.gateway.routing.Route;
import dev.sluice.gateway.routing.RouteDeletion;
import dev.sluice.gateway.routing.RoutingTable;
import dev.sluice.platform.id.Uuid7;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Optional;
import java.util.function.BooleanSupplier;

/// Makes one attempt at a delivery: checks whether the delivery may be sent now, sends it, and
/// turns the outcome into a result to be written.
///
/// Thread-safe: many sender threads share one instance.
public final class AttemptRunner {

    private static final Logger log = LoggerFactory.getLogger(AttemptRunner.class);

    private final RoutingTable routing;
    private final ExpiryPolicy expiry;
    private final Sender sender;
    private final Settlement settlement;
    private final InFlightRecorder inFlightRecorder;
    private final Circuits circuits;
    private final HoldPolicy holdPolicy;
    private final FilterDecider filterDecider = FilterDecider.forThisMachine();
    private final InstantSource clock;

    public AttemptRunner(
            RoutingTable routing,
            ExpiryPolicy expiry,
            Sender sender,
            Settlement settlement,
            Circuits circuits,
            InFlightRecorder inFlightRecorder,
            InstantSource clock) {
        this.routing = routing;
        this.expiry = expiry;
        this.sender = sender;
        this.settlement = settlement;
        this.inFlightRecorder = inFlightRecorder;
        this.circuits = circuits;
        this.holdPolicy = new HoldPolicy(circuits);
        this.clock = clock;
    }

    /// Runs one attempt and returns the result to be written. If ingest left open whether the event
    /// matches the connection's filter, this method decides that first.
    ///
    /// Ends the delivery without an attempt if the event does not match the filter, if the event's
    /// retention period is over, or if the connection or destination was deleted. Returns empty if
    /// the delivery must wait: it is on hold, this node does not know its connection yet, or this
    /// node may no longer send it.
    ///
    /// @param queue the queue of the destination, which learns from the outcome
    /// @param attemptedAt when a sender took the delivery from its queue
    /// @param mayStart whether this node may still send the delivery
    /// @param isAlone whether this attempt is made in isolation; see [InFlightRecorder#recordStart]
    Optional<DeliveryResult> runAttempt(
            DestinationQueue queue,
            LoadedDelivery loaded,
            Instant attemptedAt,
            BooleanSupplier mayStart,
            boolean isAlone)
            throws InterruptedException {
        return runAttempt(
                queue, loaded, attemptedAt, mayStart, isAlone, loaded.delivery().isUndecided());
    }

    private Optional<DeliveryResult> runAttempt(
            DestinationQueue queue,
            LoadedDelivery loaded,
            Instant attemptedAt,
            BooleanSupplier mayStart,
            boolean isAlone,
            boolean isUndecided)
            throws InterruptedException {
        var delivery = loaded.delivery();
        var route = routing.route(delivery.connection());
        if (isExpired(delivery)) {
            return Optional.of(
                    route.map(to -> failWithoutAttempt(delivery, to, ErrorCode.EVENT_EXPIRED))
                            .orElseGet(
                                    () -> settlement.endUnsent(delivery, ErrorCode.EVENT_EXPIRED)));
        }
        if (route.isEmpty()) {
            return routing.deletion(delivery.connection())
                    .map(deletion -> failWithoutAttempt(delivery, deletion));
        }
        var destination = route.get().destination();
        int started =
                circuits.of(destination.id())
                        .generation(); // must be read before holdOf; see CircuitBreaker
        if (holdPolicy.holdOf(route.get(), loaded, attemptedAt).isPresent()) {
            return Optional.empty();
        }
        if (isUndecided) {
            return decideFilter(queue, loaded, route.get(), mayStart, isAlone);
        }
        var outcome =
                send(
                        loaded,
                        route.get(),
                        attemptedAt,
                        () -> mayStart.getAsBoolean() && isStillUnheld(delivery),
                        isAlone);
        if (outcome instanceof Outcome.AttemptError(ErrorCode code, _, _)
                && code == ErrorCode.INTERRUPTED) {
            return Optional.empty();
        }
        var result = settlement.settle(delivery, route.get(), attemptedAt, outcome);
        var evidence = CircuitEvidence.of(outcome, destination.spec().timeout());
        boolean counts =
                evidence == CircuitEvidence.NONE
                        || tellPace(queue, destination, loaded, attemptedAt, outcome);
        switch (evidence) {
            case REACHED -> circuits.reached(destination);
            case FAILED -> {
                if (counts) {
                    circuits.failed(destination.id(), started, errorMessage(result));
                }
            }
            case NONE -> {}
        }
        return Optional.of(result);
    }

    /// Tells the queue what the destination answered. Returns whether it counts for the circuit if
    /// it is a failure.
    private static boolean tellPace(
            DestinationQueue queue,
            Destination destination,
            LoadedDelivery loaded,
            Instant attemptedAt,
            Outcome outcome) {
        var signal = Pace.CapacitySignal.of(outcome);
        if (signal.isEmpty()) {
            return true;
        }
        var retryAfter =
                outcome instanceof Outcome.DestinationResponse response
                        ? response.retryAfter().orElse(Duration.ZERO)
                        : Duration.ZERO;
        return queue.answered(
                destination,
                signal.get(),
                retryAfter,
                new DestinationQueue.AnsweredAttempt(
                        attemptedAt,
                        attemptedAt.plus(outcome.latency()),
                        loaded.delivery().attempts() == 0,
                        loaded.probe().isPresent()));
    }

    /// Makes the decision that ingest left open: whether the event matches the filter. If the event
    /// matches, repeats all checks and runs the attempt. The checks are repeated because the
    /// decision may have taken a long time.
    private Optional<DeliveryResult> decideFilter(
            DestinationQueue queue,
            LoadedDelivery loaded,
            Route route,
            BooleanSupplier mayStart,
            boolean isAlone)
            throws InterruptedException {
        var delivery = loaded.delivery();
        var result =
                filterDecider.decide(
                        route.connection().workspace(),
                        loaded.payload(),
                        () ->
                                mayStart.getAsBoolean()
                                        ? routing.route(delivery.connection())
                                        : Optional.empty());
        return switch (result) {
            case PASSES -> runAttempt(queue, loaded, clock.instant(), mayStart, isAlone, false);
            case FILTERED ->
                    Optional.of(
                            new DeliveryResult.FinalResult(
                                    delivery,
                                    DeliveryStatus.FILTERED,
                                    Optional.empty(),
                                    Optional.empty(),
                                    clock.instant()));
            case UNDECIDED -> Optional.empty();
        };
    }

    private static String errorMessage(DeliveryResult result) {
        Optional<Attempt> attempt =
                switch (result) {
                    case DeliveryResult.FinalResult finished -> finished.attempt();
                    case DeliveryResult.RetryResult retried -> Optional.of(retried.attempt());
                    case DeliveryResult.ReleaseResult _ -> Optional.empty();
                };
        return attempt.flatMap(Attempt::errorMessage).orElse("");
    }

    /// Whether the retention period of the delivery's event is over. No attempt starts after that;
    /// the code in `features.retention` relies on this rule.
    public boolean isExpired(UnfinishedDelivery delivery) {
        return expiry.isExpired(delivery.source(), Uuid7.timeOf(delivery.id().value()));
    }

    /// Whether the delivery's route still exists and its configuration does not put the delivery on
    /// hold. Either can change while the HTTP connection is being opened.
    private boolean isStillUnheld(UnfinishedDelivery delivery) {
        return routing.route(delivery.connection())
                .filter(route -> delivery.trigger().holdReason(route).isEmpty())
                .isPresent();
    }

    /// Sends the request. If sending throws an unexpected exception, returns a failed attempt, so
    /// that the delivery does not stay unfinished forever.
    private Outcome send(
            LoadedDelivery loaded,
            Route route,
            Instant attemptedAt,
            BooleanSupplier mayStart,
            boolean isAlone) {
        int slot = inFlightRecorder.recordStart(loaded.delivery(), loaded.epoch(), isAlone);
        try {
            return sender.send(outboundRequest(loaded, route, attemptedAt), mayStart);
        } catch (RuntimeException | Error e) {
            log.atError()
                    .addKeyValue("delivery_id", loaded.delivery().id())
                    .setCause(e)
                    .log("attempt.crashed");
            return new Outcome.AttemptError(
                    ErrorCode.INVALID_RESPONSE,
                    "The attempt failed because of an internal error; see the server log",
                    Duration.ZERO);
        } finally {
            inFlightRecorder.recordEnd(slot);
        }
    }

    private static OutboundRequest outboundRequest(
            LoadedDelivery loaded, Route route, Instant attemptedAt) {
        var delivery = loaded.delivery();
        return new OutboundRequest(
                route.destination().spec(),
                OutboundRequest.RequestSource.of(route.source()),
                OutboundRequest.InboundContent.of(loaded.payload()),
                delivery.id(),
                delivery.attempts() + 1,
                route.connection().transformation(),
                attemptedAt);
    }

    /// Begins isolation: until [#endIsolation] is called, an attempt with `isAlone` is recorded as
    /// the only one in flight.
    void beginIsolation() {
        inFlightRecorder.beginIsolation();
    }

    /// Ends isolation: other attempts may now run at the same time as the isolated one.
    void endIsolation() {
        inFlightRecorder.endIsolation();
    }

    /// Returns the result that ends a delivery whose connection or destination was deleted.
    public DeliveryResult failWithoutAttempt(UnfinishedDelivery delivery, RouteDeletion deletion) {
        var reason =
                switch (deletion) {
                    case CONNECTION -> ErrorCode.CONNECTION_DELETED;
                    case DESTINATION -> ErrorCode.DESTINATION_DELETED;
                };
        return settlement.endUnsent(delivery, reason);
    }

    /// Returns the result that ends a delivery that cannot be sent on this route, and logs the
    /// failure.
    public DeliveryResult failWithoutAttempt(
            UnfinishedDelivery delivery, Route route, ErrorCode reason) {
        return settlement.endUnsent(delivery, route, reason);
    }
}
