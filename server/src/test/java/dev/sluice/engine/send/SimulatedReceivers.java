package dev.sluice.engine.send;

import dev.sluice.engine.DeliveryId;
import dev.sluice.engine.ErrorCode;
import dev.sluice.engine.Outcome;
import dev.sluice.engine.Trigger;
import dev.sluice.gateway.destination.DestinationId;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.random.RandomGenerator;

/// The receivers of a simulation, and the network between them and the nodes.
final class SimulatedReceivers {

    /// How a receiver answers.
    enum ReceiverHealth {
        HEALTHY,
        FLAKY,
        REFUSING,
        FAILING,
        HANGING,
        /// Fails at some events for ever, and takes all others.
        POISONED
    }

    private static final ReceiverHealth[] MOODS = ReceiverHealth.values();

    private final DeterministicScheduler scheduler;
    private final RandomGenerator random;
    private final SimulatedDatabase database;
    private final InvariantChecker invariants;
    private final Map<DestinationId, ReceiverHealth> healths = new HashMap<>();
    private boolean isQuick;

    SimulatedReceivers(
            DeterministicScheduler scheduler,
            RandomGenerator random,
            SimulatedDatabase database,
            InvariantChecker invariants) {
        this.scheduler = scheduler;
        this.random = random;
        this.database = database;
        this.invariants = invariants;
    }

    void changeHealth(DestinationId destination) {
        var health = MOODS[random.nextInt(MOODS.length)];
        healths.put(destination, health);
        scheduler.trace("%s is %s", destination.value(), health);
    }

    /// Makes all receivers healthy and quick. Otherwise a circuit would let only one attempt
    /// through in each cooldown, which is correct but takes long.
    void recoverAll() {
        isQuick = true;
        healths.replaceAll(
                (_, health) -> health == ReceiverHealth.REFUSING ? health : ReceiverHealth.HEALTHY);
    }

    /// A sender for one more node.
    Sender of(SimulatedNode node) {
        var atOnce = new HashMap<DestinationId, Integer>();
        return (request, mayStart) -> send(node, atOnce, request, mayStart);
    }

    private Outcome send(
            SimulatedNode node,
            Map<DestinationId, Integer> atOnce,
            OutboundRequest request,
            BooleanSupplier mayStart) {
        var expected = invariants.of(request.delivery());
        var route = node.routing().route(expected.connection());
        if (route.isEmpty()
                || route.get().holdReason(expected.trigger() == Trigger.RESEND).isPresent()) {
            scheduler.reportViolation("%s sends %s, which is on hold", node, request.delivery());
            return nothing(ErrorCode.INTERRUPTED);
        }
        var destination = route.get().destination();
        invariants.checkProbe(
                database, node, destination.id(), request.delivery(), request.attempt());
        int now = atOnce.merge(destination.id(), 1, Integer::sum);
        if (now > destination.spec().maxInFlight()) {
            scheduler.reportViolation(
                    "%s has %s concurrent attempts at %s", node, now, destination.id());
        }
        try {
            if (random.nextInt(8) == 0) {
                scheduler.sleep(Duration.ofMillis(random.nextInt(300))); // connecting
            }
            if (!mayStart.getAsBoolean()) {
                return nothing(ErrorCode.INTERRUPTED);
            }
            return exchange(node, request, destination.id());
        } finally {
            atOnce.merge(destination.id(), -1, Integer::sum);
        }
    }

    private Outcome exchange(
            SimulatedNode node, OutboundRequest request, DestinationId destination) {
        scheduler.trace("attempt %s of %s", request.attempt(), request.delivery());
        var attempt =
                invariants.started(database.store(), node, request.delivery(), request.attempt());
        var health = healths.getOrDefault(destination, ReceiverHealth.HEALTHY);
        var time = time(health, request.timeout());
        try {
            scheduler.sleep(time);
        } finally {
            attempt.endedAt = scheduler.now();
        }
        var outcome = outcome(health, time, isPoison(request.delivery()));
        if (outcome instanceof Outcome.DestinationResponse(int status, _, _, _, _)) {
            attempt.isSuccess = status == 200;
            attempt.isRefusal = status == 404;
        }
        scheduler.trace("%s: %s", request.delivery(), outcome);
        return outcome;
    }

    private Duration time(ReceiverHealth health, Duration timeout) {
        if (isQuick) {
            return Duration.ofMillis(random.nextInt(50));
        }
        if (health == ReceiverHealth.HANGING) {
            return timeout;
        }
        return Duration.ofMillis(
                random.nextInt(10) == 0 ? random.nextLong(timeout.toMillis()) : random.nextInt(50));
    }

    private static boolean isPoison(DeliveryId delivery) {
        return delivery.event().value().getLeastSignificantBits() % 3 == 0;
    }

    private Outcome outcome(ReceiverHealth health, Duration time, boolean isPoison) {
        return switch (health) {
            case HEALTHY -> answer(200, time);
            case FLAKY ->
                    switch (random.nextInt(5)) {
                        case 0, 1 -> answer(200, time);
                        case 2 -> answer(503, time);
                        case 3 -> nothing(ErrorCode.CONNECTION_RESET);
                        default -> answer(500, time);
                    };
            case REFUSING -> answer(random.nextBoolean() ? 404 : 429, time);
            case FAILING -> answer(500, time);
            case HANGING -> nothing(ErrorCode.RESPONSE_TIMEOUT);
            case POISONED -> answer(isPoison ? 500 : 200, time);
        };
    }

    private Outcome answer(int status, Duration time) {
        Optional<Duration> retryAfter =
                status >= 429 && random.nextInt(4) == 0
                        ? Optional.of(Duration.ofSeconds(random.nextInt(10)))
                        : Optional.empty();
        return new Outcome.DestinationResponse(status, "", time, retryAfter);
    }

    private static Outcome nothing(ErrorCode code) {
        return new Outcome.AttemptError(code, "simulated", Duration.ZERO);
    }
}
