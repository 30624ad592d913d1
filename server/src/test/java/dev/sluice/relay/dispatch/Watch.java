package dev.sluice.relay.dispatch;

import dev.sluice.gateway.connection.ConnectionId;
import dev.sluice.gateway.destination.RetryPolicy;
import dev.sluice.relay.DeliveryId;
import dev.sluice.relay.DeliveryStatus;
import dev.sluice.relay.ErrorCode;
import dev.sluice.relay.EventId;
import dev.sluice.relay.Trigger;
import dev.sluice.relay.store.ModelStore;

import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;

/// Sees everything from outside and says what may not be: the invariants of a simulation. Knows no
/// code of the relay, only tables and the wire.
final class Watch {

    /// A delivery that was decided, whether or not it came to be stored.
    record Made(ConnectionId connection, Trigger trigger, RetryPolicy policy) {

        int mostAttempts() {
            return policy.attempts();
        }
    }

    /// A request that was put on the wire.
    static final class Flight {

        final ModelLife life;
        final long epoch;
        final int number;
        Instant endedAt = Instant.MAX;
        boolean isSuccess;
        boolean isRefusal;

        Flight(ModelLife life, long epoch, int number) {
            this.life = life;
            this.epoch = epoch;
            this.number = number;
        }

        boolean isEnded() {
            return endedAt.isBefore(Instant.MAX);
        }
    }

    private static final Set<ErrorCode> DELETED =
            Set.of(ErrorCode.CONNECTION_DELETED, ErrorCode.DESTINATION_DELETED);

    private final Baton baton;
    private final boolean isTimeTrue;
    private final Map<UUID, Made> made = new HashMap<>();
    private final Map<UUID, Integer> attempts = new HashMap<>();
    private final Map<UUID, ModelStore.Ended> ended = new HashMap<>();
    private final Map<UUID, List<Flight>> flights = new HashMap<>();
    private final Set<EventId> acknowledged = new HashSet<>();
    private final Set<EventId> givenUp = new HashSet<>();
    private long changesSeen;
    private int resent;
    private int duplicates;

    /// @param isTimeTrue whether all clocks are right, so that due times can be judged
    Watch(Baton baton, boolean isTimeTrue) {
        this.baton = baton;
        this.isTimeTrue = isTimeTrue;
    }

    boolean isTimeTrue() {
        return isTimeTrue;
    }

    void made(DeliveryId delivery, Made one) {
        made.put(delivery.value(), one);
    }

    void resent() {
        resent++;
    }

    void acknowledged(EventId event) {
        acknowledged.add(event);
    }

    /// Its sender was refused, and it was not found; its commit may show later all the same.
    void givenUp(EventId event) {
        givenUp.add(event);
    }

    boolean isGivenUp(DeliveryId delivery) {
        return givenUp.contains(delivery.event());
    }

    Made of(DeliveryId delivery) {
        return Objects.requireNonNull(made.get(delivery.value()));
    }

    int flightCount() {
        return flights.values().stream().mapToInt(List::size).sum();
    }

    int duplicates() {
        return duplicates;
    }

    boolean isAnythingOnTheWire() {
        return flights.values().stream()
                .flatMap(List::stream)
                .anyMatch(flight -> !flight.isEnded() && !flight.life.isDead());
    }

    /// After each transaction: conservation, one state at a time, numbers that never go back,
    /// history that never changes.
    void check(ModelStore store) {
        if (store.changes() == changesSeen) {
            return;
        }
        changesSeen = store.changes();
        int created = resent;
        for (var event : store.events()) {
            created += event.planned();
        }
        int stand = store.work().size() + store.history().size();
        if (stand != created) {
            baton.violated("%s deliveries were created, %s stand somewhere", created, stand);
        }
        for (var row : store.work()) {
            check(store, row);
        }
        store.history().forEach((id, end) -> check(store, id, end));
    }

    private void check(ModelStore store, ModelStore.WorkRow row) {
        var id = row.id().value();
        if (row.owner().isPresent() == row.nextAt().isPresent()) {
            baton.violated("%s is owned and waits, or neither", id);
        }
        if (store.history().containsKey(id)) {
            baton.violated("%s stands in work and in history", id);
        }
        int now = row.work().attempts();
        int before = Objects.requireNonNullElse(attempts.put(id, now), 0);
        if (now < before) {
            baton.violated("%s went back from attempt %s to %s", id, before, now);
        }
        if (now >= of(row.id()).mostAttempts()) {
            baton.violated("%s waits after its last attempt", id);
        }
        checkDense(store, id, now);
    }

    private void check(ModelStore store, UUID id, ModelStore.Ended end) {
        var before = ended.put(id, end);
        if (end.equals(before)) {
            return;
        }
        if (before != null) {
            baton.violated("%s had ended %s and is now %s", id, before, end);
        }
        if (end.attempts() > of(new DeliveryId(id)).mostAttempts()) {
            baton.violated("%s ended with attempt %s", id, end.attempts());
        }
        checkNothingElseKnown(store, id, end);
        checkDense(
                store,
                id,
                end.error().filter(DELETED::contains).isPresent()
                        ? end.attempts()
                        : end.attempts() - 1);
    }

    /// Where only nodes that are live had it, no attempt is under way when it ends as something
    /// else than delivered, and none was a success.
    private void checkNothingElseKnown(ModelStore store, UUID id, ModelStore.Ended end) {
        var all = flights.getOrDefault(id, List.of());
        if (end.status() != DeliveryStatus.SUCCEEDED
                && all.stream().noneMatch(flight -> isExplained(store, flight))
                && all.stream().anyMatch(flight -> !flight.isEnded() || flight.isSuccess)) {
            baton.violated("%s is delivered, or may be yet, and ends %s", id, end);
        }
    }

    private void checkDense(ModelStore store, UUID id, int most) {
        var numbers = store.attempts(id);
        if (numbers.size() != most || !numbers.stream().allMatch(one -> one <= most)) {
            baton.violated("%s has made %s attempts, recorded are %s", id, most, numbers);
        }
    }

    /// A request is put on the wire.
    Flight started(ModelStore store, ModelLife life, DeliveryId delivery, int number) {
        var flight = new Flight(life, life.epoch(), number);
        var row = store.nodes().row(flight.epoch);
        Instant now = baton.now();
        if (row.isEmpty() || !row.get().isLive() || row.get().leaseUntil().isBefore(now)) {
            baton.violated("%s sends %s without a lease", life, delivery);
        }
        var others = flights.computeIfAbsent(delivery.value(), _ -> new ArrayList<>());
        for (var other : others) {
            boolean isOverlap = !other.isEnded() && !other.life.isDead();
            boolean isAgain = other.number >= number || other.isSuccess;
            if (isAgain) {
                duplicates++;
            }
            if ((isOverlap || isAgain) && !isExplained(store, other)) {
                baton.violated(
                        "%s sends attempt %s of %s, though %s under epoch %s, which is live, %s %s",
                        life,
                        number,
                        delivery,
                        other.life,
                        other.epoch,
                        isOverlap ? "has on the wire" : "has made",
                        other.number);
            }
        }
        if (isTimeTrue && number > 1) {
            checkNotEarly(delivery, number, others);
        }
        others.add(flight);
        return flight;
    }

    /// No retry comes before its interval, counted from the first answer to the attempt before.
    private void checkNotEarly(DeliveryId delivery, int number, List<Flight> before) {
        var shortest =
                of(delivery).policy().intervals().get(number - 2).multipliedBy(4).dividedBy(5);
        before.stream()
                .filter(flight -> flight.number == number - 1)
                .map(flight -> flight.endedAt)
                .min(Instant::compareTo)
                .map(answered -> answered.plus(shortest).minusMillis(1))
                .filter(baton.now()::isBefore)
                .ifPresent(due -> baton.violated("%s is sent before %s", delivery, due));
    }

    /// Whether what it made may be made again: it was declared dead, or stopped while it was on the
    /// wire.
    private static boolean isExplained(ModelStore store, Flight flight) {
        return flight.life.isStopping() || !store.nodes().isLive(flight.epoch);
    }

    /// After all is over: each delivery ended as what was answered says.
    void checkEnds(ModelStore store) {
        for (var event : acknowledged) {
            if (!store.isStored(event)) {
                baton.violated("event %s was acknowledged and is not stored", event);
            }
        }
        store.history().forEach((id, end) -> checkEnd(id, end));
    }

    private void checkEnd(UUID id, ModelStore.Ended end) {
        var all = flights.getOrDefault(id, List.of());
        boolean isSuccess = all.stream().anyMatch(flight -> flight.isSuccess);
        boolean isRefused = all.stream().anyMatch(flight -> flight.isRefusal);
        boolean isDeleted = end.error().filter(DELETED::contains).isPresent();
        boolean isRight =
                switch (end.status()) {
                    case SUCCEEDED -> isSuccess;
                    case FAILED -> isDeleted || isRefused;
                    case EXHAUSTED ->
                            end.attempts() == of(new DeliveryId(id)).mostAttempts()
                                    && all.size() >= end.attempts();
                    case PENDING, DELIVERING, FILTERED -> false;
                };
        if (!isRight) {
            baton.violated("%s ended %s, which nobody answered", id, end);
        }
    }
}
