package dev.sluice.engine.send;

import dev.sluice.engine.DeliveryId;
import dev.sluice.engine.DeliveryStatus;
import dev.sluice.engine.ErrorCode;
import dev.sluice.engine.EventId;
import dev.sluice.engine.Trigger;
import dev.sluice.engine.commit.ModelStore;
import dev.sluice.engine.settle.Probe;
import dev.sluice.gateway.connection.ConnectionId;
import dev.sluice.gateway.destination.DestinationId;
import dev.sluice.gateway.destination.RetrySchedule;

import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;

/// Checks the invariants of a simulation from outside: it reads only the tables and the requests on
/// the wire.
final class InvariantChecker {

    /// A delivery that was planned, whether or not it was stored.
    record ExpectedDelivery(ConnectionId connection, Trigger trigger, RetrySchedule schedule) {

        int maxAttempts() {
            return schedule.maxAttempts();
        }
    }

    /// A request on the wire.
    static final class SimulatedAttempt {

        final SimulatedNode node;
        final long epoch;
        final int number;
        Instant endedAt = Instant.MAX;
        boolean isSuccess;
        boolean isRefusal;

        SimulatedAttempt(SimulatedNode node, long epoch, int number) {
            this.node = node;
            this.epoch = epoch;
            this.number = number;
        }

        boolean isEnded() {
            return endedAt.isBefore(Instant.MAX);
        }
    }

    /// A claim to a probe.
    ///
    /// @param untried the deliveries without an attempt that it could ask with, each with how often
    ///   its lane had been leased
    private record ClaimedProbe(Probe probe, Map<DeliveryId, Integer> untried) {}

    /// A payload of this size or more may find no room in memory.
    private static final int LARGE_BYTES = 1_000;

    private static final Set<ErrorCode> DELETION_CODES =
            Set.of(ErrorCode.CONNECTION_DELETED, ErrorCode.DESTINATION_DELETED);

    /// The codes of deliveries that end without an attempt.
    private static final Set<ErrorCode> UNSENT_CODES =
            Set.of(
                    ErrorCode.CONNECTION_DELETED,
                    ErrorCode.DESTINATION_DELETED,
                    ErrorCode.PAYLOAD_UNREADABLE);

    private final DeterministicScheduler scheduler;
    private final boolean isTimeTrue;
    private final Map<UUID, ExpectedDelivery> expected = new HashMap<>();
    private final Map<UUID, Integer> attempts = new HashMap<>();
    private final Map<UUID, ModelStore.DeliveryRow> ended = new HashMap<>();
    private final Map<UUID, List<SimulatedAttempt>> attemptsById = new HashMap<>();
    private final Map<DestinationId, ClaimedProbe> claimedProbes = new HashMap<>();
    private final Set<EventId> acknowledged = new HashSet<>();
    private final Set<EventId> givenUp = new HashSet<>();
    private long changesSeen;
    private int resent;
    private int duplicates;

    /// @param isTimeTrue whether all clocks are right, so that due times can be checked
    InvariantChecker(DeterministicScheduler scheduler, boolean isTimeTrue) {
        this.scheduler = scheduler;
        this.isTimeTrue = isTimeTrue;
    }

    boolean isTimeTrue() {
        return isTimeTrue;
    }

    void expected(DeliveryId delivery, ExpectedDelivery one) {
        expected.put(delivery.value(), one);
    }

    void resent() {
        resent++;
    }

    void acknowledged(EventId event) {
        acknowledged.add(event);
    }

    /// Notes an event whose sender was refused. Its commit may still appear later.
    void givenUp(EventId event) {
        givenUp.add(event);
    }

    boolean isGivenUp(DeliveryId delivery) {
        return givenUp.contains(delivery.event());
    }

    ExpectedDelivery of(DeliveryId delivery) {
        return Objects.requireNonNull(expected.get(delivery.value()));
    }

    int attemptCount() {
        return attemptsById.values().stream().mapToInt(List::size).sum();
    }

    int duplicates() {
        return duplicates;
    }

    boolean isAnythingOnTheWire() {
        return attemptsById.values().stream()
                .flatMap(List::stream)
                .anyMatch(attempt -> !attempt.isEnded() && !attempt.node.isDead());
    }

    /// Checks the tables after a transaction. Deliveries are conserved and in one state each,
    /// attempt numbers never go back, and history never changes.
    void check(ModelStore store) {
        if (store.changes() == changesSeen) {
            return;
        }
        changesSeen = store.changes();
        int created = resent;
        for (var event : store.events()) {
            created += event.planned();
        }
        int found = store.work().size() + store.history().size();
        if (found != created) {
            scheduler.reportViolation("%s deliveries were created, %s are stored", created, found);
        }
        for (var row : store.work()) {
            check(store, row);
        }
        store.history().forEach((id, end) -> check(store, id, end));
    }

    private void check(ModelStore store, ModelStore.WorkRow row) {
        var id = row.id().value();
        if (row.owner().isPresent() == row.nextAt().isPresent()) {
            scheduler.reportViolation("%s is both owned and waiting, or neither", id);
        }
        if (store.history().containsKey(id)) {
            scheduler.reportViolation("%s is in work and in history", id);
        }
        int now = row.delivery().attempts();
        int before = Objects.requireNonNullElse(attempts.put(id, now), 0);
        if (now < before) {
            scheduler.reportViolation("%s went back from attempt %s to %s", id, before, now);
        }
        if (now >= of(row.id()).maxAttempts()) {
            scheduler.reportViolation("%s waits after its last attempt", id);
        }
        checkDense(store, id, now);
    }

    private void check(ModelStore store, UUID id, ModelStore.DeliveryRow end) {
        var before = ended.put(id, end);
        if (end.equals(before)) {
            return;
        }
        if (before != null) {
            scheduler.reportViolation("%s had ended %s and is now %s", id, before, end);
        }
        if (end.attempts() > of(new DeliveryId(id)).maxAttempts()) {
            scheduler.reportViolation("%s ended with attempt %s", id, end.attempts());
        }
        checkNothingElseKnown(store, id, end);
        checkDense(
                store,
                id,
                end.error().filter(UNSENT_CODES::contains).isPresent()
                        ? end.attempts()
                        : end.attempts() - 1);
    }

    /// Checks a delivery that did not end as delivered: no attempt is under way and none succeeded.
    /// Skips deliveries that a dead or stopping node had.
    private void checkNothingElseKnown(ModelStore store, UUID id, ModelStore.DeliveryRow end) {
        var all = attemptsById.getOrDefault(id, List.of());
        if (end.status() != DeliveryStatus.SUCCEEDED
                && all.stream().noneMatch(attempt -> isExplained(store, attempt))
                && all.stream().anyMatch(attempt -> !attempt.isEnded() || attempt.isSuccess)) {
            scheduler.reportViolation("%s was or may be delivered, but ended %s", id, end);
        }
    }

    private void checkDense(ModelStore store, UUID id, int made) {
        var numbers = store.attempts(id);
        if (numbers.size() != made || !numbers.stream().allMatch(one -> one <= made)) {
            scheduler.reportViolation(
                    "%s made %s attempts, but these are recorded: %s", id, made, numbers);
        }
    }

    void probeClaimed(ModelStore store, SimulatedNode node, Probe probe, Instant now) {
        claimedProbes.put(
                probe.destination(),
                new ClaimedProbe(
                        probe,
                        store.freeUntried(lane -> node.mayProbe(probe.destination(), lane), now)));
    }

    /// Checks that a probe asks with a delivery that has not failed, if one was free both when the
    /// probe was claimed and now. While a circuit is half open, only the probe is sent.
    void checkProbe(
            SimulatedDatabase database,
            SimulatedNode node,
            DestinationId destination,
            DeliveryId delivery,
            int number) {
        var claimed = claimedProbes.get(destination);
        if (!isTimeTrue
                || number == 1
                || claimed == null
                || !database.circuits().of(destination).isProbe(claimed.probe().generation())) {
            return;
        }
        var store = database.store();
        var free =
                store.freeUntried(lane -> node.mayProbe(destination, lane), node.clock().instant());
        free.entrySet().retainAll(claimed.untried().entrySet());
        if (!free.isEmpty() && free.keySet().stream().allMatch(one -> isOrdinary(store, one))) {
            scheduler.reportViolation(
                    "%s probes with attempt %s of %s, although %s have no attempt",
                    node, number, delivery, free.keySet());
        }
    }

    /// Whether the delivery's payload can be read, and finds room in memory.
    private static boolean isOrdinary(ModelStore store, DeliveryId delivery) {
        return store.events().stream()
                .filter(event -> event.id().equals(delivery.event()))
                .anyMatch(event ->
                        event.payload().body().length < LARGE_BYTES
                                && !Simulation.isDamaged(event.payload()));
    }

    /// Checks a request that is put on the wire.
    SimulatedAttempt started(
            ModelStore store, SimulatedNode node, DeliveryId delivery, int number) {
        var attempt = new SimulatedAttempt(node, node.epoch(), number);
        var row = store.nodes().row(attempt.epoch);
        Instant now = scheduler.now();
        if (row.isEmpty() || !row.get().isLive() || row.get().leaseUntil().isBefore(now)) {
            scheduler.reportViolation("%s sends %s without a lease", node, delivery);
        }
        var others = attemptsById.computeIfAbsent(delivery.value(), _ -> new ArrayList<>());
        for (var other : others) {
            boolean isOverlap = !other.isEnded() && !other.node.isDead();
            boolean isAgain = other.number >= number || other.isSuccess;
            if (isAgain) {
                duplicates++;
            }
            if ((isOverlap || isAgain) && !isExplained(store, other)) {
                scheduler.reportViolation(
                        "%s sends attempt %s of %s, although %s, live under epoch %s, %s attempt"
                                + " %s",
                        node,
                        number,
                        delivery,
                        other.node,
                        other.epoch,
                        isOverlap ? "is making" : "has made",
                        other.number);
            }
        }
        if (isTimeTrue && number > 1) {
            checkNotEarly(delivery, number, others);
        }
        others.add(attempt);
        return attempt;
    }

    /// Checks that a retry waits for its interval, counted from the first answer to the attempt
    /// before.
    private void checkNotEarly(DeliveryId delivery, int number, List<SimulatedAttempt> before) {
        var shortest =
                of(delivery).schedule().intervals().get(number - 2).multipliedBy(4).dividedBy(5);
        before.stream()
                .filter(attempt -> attempt.number == number - 1)
                .map(attempt -> attempt.endedAt)
                .min(Instant::compareTo)
                .map(answered -> answered.plus(shortest).minusMillis(1))
                .filter(scheduler.now()::isBefore)
                .ifPresent(due -> scheduler.reportViolation("%s is sent before %s", delivery, due));
    }

    /// Whether the attempt may be repeated: its node was declared dead, or stopped while it was on
    /// the wire.
    private static boolean isExplained(ModelStore store, SimulatedAttempt attempt) {
        return attempt.node.isStopping() || !store.nodes().isLive(attempt.epoch);
    }

    /// Checks at the end that each delivery ended as its answers say.
    void checkEnds(ModelStore store) {
        for (var event : acknowledged) {
            if (!store.isStored(event)) {
                scheduler.reportViolation("event %s was acknowledged and is not stored", event);
            }
        }
        store.history().forEach((id, end) -> checkEnd(store, id, end));
    }

    private void checkEnd(ModelStore store, UUID id, ModelStore.DeliveryRow end) {
        var all = attemptsById.getOrDefault(id, List.of());
        boolean isSuccess = all.stream().anyMatch(attempt -> attempt.isSuccess);
        boolean isRefused = all.stream().anyMatch(attempt -> attempt.isRefusal);
        boolean isDeleted = end.error().filter(DELETION_CODES::contains).isPresent();
        boolean isRight =
                switch (end.status()) {
                    case SUCCEEDED -> isSuccess;
                    case FAILED -> isDeleted || isRefused || isUnreadable(store, id, end);
                    case EXHAUSTED ->
                            end.attempts() == of(new DeliveryId(id)).maxAttempts()
                                    && all.size() >= end.attempts();
                    case PENDING, DELIVERING, FILTERED -> false;
                };
        if (!isRight) {
            scheduler.reportViolation("%s ended %s, which matches no answer", id, end);
        }
    }

    private static boolean isUnreadable(ModelStore store, UUID id, ModelStore.DeliveryRow end) {
        var event = new DeliveryId(id).event();
        return end.error().equals(Optional.of(ErrorCode.PAYLOAD_UNREADABLE))
                && store.events().stream()
                        .anyMatch(row ->
                                row.id().equals(event) && Simulation.isDamaged(row.payload()));
    }
}
