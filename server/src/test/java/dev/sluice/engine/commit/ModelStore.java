package dev.sluice.engine.commit;

import dev.sluice.account.workspace.WorkspaceId;
import dev.sluice.engine.DeliveryId;
import dev.sluice.engine.DeliveryStatus;
import dev.sluice.engine.ErrorCode;
import dev.sluice.engine.EventId;
import dev.sluice.engine.Payload;
import dev.sluice.engine.Trigger;
import dev.sluice.engine.UnfinishedDelivery;
import dev.sluice.engine.lanes.Lane;
import dev.sluice.engine.lanes.LaneStore;
import dev.sluice.engine.lanes.ProbeStore;
import dev.sluice.engine.node.NodeStore;
import dev.sluice.gateway.connection.ConnectionId;
import dev.sluice.gateway.source.SourceId;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;
import java.util.function.Predicate;
import java.util.stream.Stream;

/// An in-memory model of the hot tables and their statements, a thousand times faster than a
/// database. Simulations run against it, and `ModelStoreTest` compares it with the SQL.
///
/// Each method is one transaction that commits at once. The caller simulates late commits and lost
/// replies. Owned by one thread at a time.
public final class ModelStore {

    /// A bug injected on purpose, to test that a simulation would find it.
    public enum InjectedFlaw {
        LATE_FAILURE_WITHOUT_FENCE,
        SUCCESS_LEAVES_ITS_ROW,
        LEASE_IGNORES_OWNER,
        LANE_RELEASE_IGNORES_OWNER,
        TAKEOVER_FORGETS_WORK,
        TAKEOVER_FORGETS_LANES,
        DEAD_MAY_HEARTBEAT
    }

    /// A row with this key already exists.
    public static final class DuplicateKeyException extends RuntimeException {
        DuplicateKeyException(UUID id) {
            super("is there already: " + id);
        }
    }

    /// A row of `event`.
    public record EventRow(EventId id, SourceId source, int planned, Payload payload) {}

    /// A row of `delivery_work`.
    public record WorkRow(
            UnfinishedDelivery delivery,
            Optional<Long> owner,
            Optional<Instant> nextAt,
            int recoveries) {

        public DeliveryId id() {
            return delivery.id();
        }

        private WorkRow waiting(Instant at) {
            return new WorkRow(delivery, Optional.empty(), Optional.of(at), recoveries);
        }

        private WorkRow tried(int attempts, Instant at) {
            var tried =
                    new UnfinishedDelivery(
                            delivery.id(),
                            delivery.source(),
                            delivery.connection(),
                            delivery.trigger(),
                            attempts,
                            delivery.createdAt());
            return new WorkRow(tried, Optional.empty(), Optional.of(at), recoveries);
        }

        private WorkRow recovered(Instant at) {
            return new WorkRow(delivery, Optional.empty(), Optional.of(at), recoveries);
        }
    }

    /// A row of `delivery`.
    ///
    /// @param error error of the last attempt, or why the delivery ended without one
    public record DeliveryRow(DeliveryStatus status, int attempts, Optional<ErrorCode> error) {}

    /// A row of `lane`.
    ///
    /// @param wakeAt empty for never
    public record LaneRow(Lane lane, Optional<Instant> wakeAt, Optional<Long> owner) {

        private boolean isDueBy(Instant now) {
            return wakeAt.isPresent() && !wakeAt.get().isAfter(now);
        }
    }

    /// The key of `lane`.
    private record LaneKey(ConnectionId connection, Trigger trigger) {

        static LaneKey of(Lane lane) {
            return new LaneKey(lane.connection(), lane.trigger());
        }
    }

    /// The order of PostgreSQL.
    private static final Comparator<UUID> UNSIGNED_UUID_ORDER =
            Comparator.comparing(UUID::getMostSignificantBits, Long::compareUnsigned)
                    .thenComparing(UUID::getLeastSignificantBits, Long::compareUnsigned);

    private static final Comparator<LaneKey> BY_LANE_KEY =
            Comparator.comparing((LaneKey key) -> key.connection().value(), UNSIGNED_UUID_ORDER)
                    .thenComparing(LaneKey::trigger);

    private static final Comparator<WorkRow> BY_DUE_TIME =
            Comparator.comparing((WorkRow row) -> row.nextAt().orElseThrow())
                    .thenComparing(row -> row.id().value(), UNSIGNED_UUID_ORDER);

    private static final WorkspaceId NO_WORKSPACE = new WorkspaceId(new UUID(0, 0));

    private final Set<InjectedFlaw> flaws;
    private final Map<EventId, EventRow> events = new HashMap<>();
    private final Map<UUID, WorkRow> work = new TreeMap<>(UNSIGNED_UUID_ORDER);
    private final Map<UUID, DeliveryRow> history = new TreeMap<>(UNSIGNED_UUID_ORDER);
    private final Map<UUID, Set<Integer>> attempts = new TreeMap<>(UNSIGNED_UUID_ORDER);
    private final Map<LaneKey, LaneRow> lanes = new TreeMap<>(BY_LANE_KEY);

    /// How often each lane was leased.
    private final Map<LaneKey, Integer> leases = new HashMap<>();

    private final ModelNodeStore nodes;
    private long changes;

    /// @param lastEpoch last epoch that was given to a node
    public ModelStore(long lastEpoch, Set<InjectedFlaw> flaws) {
        this.flaws = Set.copyOf(flaws);
        this.nodes =
                new ModelNodeStore(lastEpoch, this.flaws.contains(InjectedFlaw.DEAD_MAY_HEARTBEAT));
    }

    public ModelNodeStore nodes() {
        return nodes;
    }

    private boolean hasFlaw(InjectedFlaw flaw) {
        return flaws.contains(flaw);
    }

    // Models EventStore.

    /// @param epoch epoch that owns the fresh deliveries
    /// @param now due time of the waiting deliveries
    public void store(List<AcceptedEvent> batch, long epoch, Instant now) {
        for (var event : batch) {
            if (events.containsKey(event.id())) {
                throw new DuplicateKeyException(event.id().value());
            }
        }
        for (var event : batch) {
            events.put(
                    event.id(),
                    new EventRow(
                            event.id(),
                            event.source(),
                            event.deliveries().size(),
                            event.payload()));
            for (var planned : event.deliveries()) {
                var made =
                        new UnfinishedDelivery(
                                planned.id(),
                                event.source(),
                                planned.connection(),
                                Trigger.INGEST,
                                0,
                                Optional.empty());
                insert(
                        planned.isFresh()
                                ? new WorkRow(made, Optional.of(epoch), Optional.empty(), 0)
                                : new WorkRow(made, Optional.empty(), Optional.of(now), 0));
            }
        }
    }

    public boolean isStored(EventId event) {
        return events.containsKey(event);
    }

    /// Adds a resend: waiting work of an event that exists.
    public void resend(UnfinishedDelivery resent, Instant nextAt) {
        insert(new WorkRow(resent, Optional.empty(), Optional.of(nextAt), 0));
    }

    private void insert(WorkRow row) {
        if (work.putIfAbsent(row.id().value(), row) != null) {
            throw new DuplicateKeyException(row.id().value());
        }
        changes++;
    }

    // Models ResultStore.

    /// Returns the results that took effect, in the order of the batch and as they were written.
    public List<DeliveryResult> write(List<DeliveryResult> batch, long epoch) {
        var taken = new IdentityHashMap<DeliveryResult, DeliveryResult>();
        for (var result : batch) {
            if (result instanceof DeliveryResult.FinalResult finished
                    && finished.status() == DeliveryStatus.SUCCEEDED) {
                succeed(finished).ifPresent(written -> taken.put(result, written));
            }
        }
        for (var result : batch) {
            if (result instanceof DeliveryResult.FinalResult finished
                    && finished.status() != DeliveryStatus.SUCCEEDED
                    && fail(finished)) {
                taken.put(result, result);
            }
        }
        for (var result : batch) {
            if (result instanceof DeliveryResult.RetryResult retried && retry(retried)) {
                taken.put(result, result);
            }
        }
        for (var result : batch) {
            if (result instanceof DeliveryResult.ReleaseResult released
                    && release(released, epoch)) {
                taken.put(result, result);
            }
        }
        changes += taken.size();
        return batch.stream().map(taken::get).filter(Objects::nonNull).toList();
    }

    private Optional<DeliveryResult> succeed(DeliveryResult.FinalResult finished) {
        var id = finished.delivery().id().value();
        var row = Optional.ofNullable(work.get(id));
        if (row.isEmpty() || history.containsKey(id)) {
            return Optional.empty();
        }
        int number = row.get().delivery().attempts() + 1;
        end(finished, number);
        return Optional.of(
                new DeliveryResult.FinalResult(
                        finished.delivery(),
                        finished.status(),
                        finished.attempt().map(attempt -> attempt.withNumber(number)),
                        finished.reason(),
                        finished.finishedAt()));
    }

    private boolean fail(DeliveryResult.FinalResult finished) {
        if (!isAtAttempt(finished.delivery())) {
            return false;
        }
        int made = finished.delivery().attempts();
        end(finished, finished.attempt().isPresent() ? made + 1 : made);
        return true;
    }

    private void end(DeliveryResult.FinalResult finished, int number) {
        var id = finished.delivery().id().value();
        if (!hasFlaw(InjectedFlaw.SUCCESS_LEAVES_ITS_ROW)) {
            work.remove(id);
        }
        var error = finished.reason().or(() -> finished.attempt().flatMap(one -> one.errorCode()));
        if (history.put(id, new DeliveryRow(finished.status(), number, error)) != null) {
            throw new DuplicateKeyException(id);
        }
    }

    /// Whether the delivery's row exists and has the attempt number that is reported.
    private boolean isAtAttempt(UnfinishedDelivery reported) {
        var row = work.get(reported.id().value());
        return row != null
                && (row.delivery().attempts() == reported.attempts()
                        || hasFlaw(InjectedFlaw.LATE_FAILURE_WITHOUT_FENCE));
    }

    private boolean retry(DeliveryResult.RetryResult retried) {
        var id = retried.delivery().id().value();
        if (!isAtAttempt(retried.delivery())) {
            return false;
        }
        int number = retried.attempt().number();
        work.compute(id, (_, row) -> requireRow(row).tried(number, retried.nextAt()));
        if (!attempts.computeIfAbsent(id, _ -> new TreeSet<>()).add(number)) {
            throw new DuplicateKeyException(id);
        }
        return true;
    }

    private static WorkRow requireRow(WorkRow row) {
        return Objects.requireNonNull(row);
    }

    private boolean release(DeliveryResult.ReleaseResult released, long epoch) {
        return isReleased(released.delivery().id(), epoch, released.nextAt());
    }

    private boolean isReleased(DeliveryId delivery, long epoch, Instant nextAt) {
        var row = work.get(delivery.value());
        if (row == null || !row.owner().equals(Optional.of(epoch))) {
            return false;
        }
        work.put(delivery.value(), row.waiting(nextAt));
        changes++;
        return true;
    }

    // Models LaneStore.

    public void wake(Collection<LaneStore.LaneWake> wakes) {
        wake(wakes, false);
    }

    public void wake(Collection<LaneStore.LaneWake> wakes, boolean isLeasedLeftAlone) {
        for (var wake : wakes) {
            lanes.merge(
                    LaneKey.of(wake.lane()),
                    new LaneRow(wake.lane(), Optional.of(wake.at()), Optional.empty()),
                    (row, _) ->
                            row.isDueBy(wake.at()) || (isLeasedLeftAlone && row.owner().isPresent())
                                    ? row
                                    : new LaneRow(row.lane(), Optional.of(wake.at()), row.owner()));
        }
    }

    /// Knows no workspaces.
    public List<LaneStore.DueLane> dueFor(long epoch, Instant now, int limit) {
        var due = lanes.values().stream().filter(row -> row.isDueBy(now)).toList();
        var found = new ArrayList<LaneStore.DueLane>();
        due.stream()
                .filter(row -> row.owner().isEmpty() || hasFlaw(InjectedFlaw.LEASE_IGNORES_OWNER))
                .sorted(Comparator.comparing(row -> row.wakeAt().orElseThrow()))
                .limit(limit)
                .forEach(row ->
                        found.add(
                                new LaneStore.DueLane(
                                        leased(row), row.wakeAt().orElseThrow(), false)));
        due.stream()
                .filter(row -> row.owner().equals(Optional.of(epoch)))
                .forEach(row ->
                        found.add(
                                new LaneStore.DueLane(
                                        leased(row), row.wakeAt().orElseThrow(), true)));
        return found;
    }

    private static LaneStore.LeasedLane leased(LaneRow row) {
        return new LaneStore.LeasedLane(row.lane(), NO_WORKSPACE);
    }

    public List<Lane> lease(long epoch, Instant now, Collection<Lane> wanted) {
        var due =
                wanted.stream()
                        .flatMap(lane -> Stream.ofNullable(lanes.get(LaneKey.of(lane))))
                        .filter(row ->
                                row.owner().filter(owner -> owner != epoch).isEmpty()
                                        || hasFlaw(InjectedFlaw.LEASE_IGNORES_OWNER))
                        .filter(row -> row.isDueBy(now))
                        .toList();
        for (var row : due) {
            lanes.put(
                    LaneKey.of(row.lane()),
                    new LaneRow(
                            row.lane(), Optional.empty(), leasedBy(LaneKey.of(row.lane()), epoch)));
        }
        return due.stream().map(LaneRow::lane).toList();
    }

    /// As `ProbeStore`, except that it knows no suspects.
    ///
    /// @param isCandidate whether a lane leads to the destination and is not on hold
    public Optional<ProbeStore.ProbeCandidate> leaseForProbe(
            long epoch,
            Predicate<Lane> isCandidate,
            Collection<Lane> readable,
            boolean isNewest,
            Instant now) {
        var byId = Comparator.comparing((WorkRow row) -> row.id().value(), UNSIGNED_UUID_ORDER);
        var found =
                lanes.values().stream()
                        .filter(row -> isCandidate.test(row.lane()))
                        .filter(row -> row.owner().isEmpty() || readable.contains(row.lane()))
                        .flatMap(row -> waiting(row.lane()))
                        .filter(row -> !row.nextAt().orElseThrow().isAfter(now))
                        .min(
                                Comparator.comparingInt((WorkRow row) -> row.delivery().attempts())
                                        .thenComparing(row -> row.delivery().trigger())
                                        .thenComparing(isNewest ? byId.reversed() : byId));
        found.ifPresent(row -> {
            var lane = Lane.of(row.delivery());
            lanes.computeIfPresent(
                    LaneKey.of(lane),
                    (key, known) ->
                            known.owner().isPresent()
                                    ? known
                                    : new LaneRow(lane, Optional.empty(), leasedBy(key, epoch)));
        });
        return found.map(row ->
                new ProbeStore.ProbeCandidate(
                        new LaneStore.LeasedLane(Lane.of(row.delivery()), NO_WORKSPACE),
                        new LaneStore.WaitingDelivery(
                                row.delivery(), row.nextAt().orElseThrow(), 0)));
    }

    /// Counts the lease, and returns the epoch as the lane's owner.
    private Optional<Long> leasedBy(LaneKey lane, long epoch) {
        leases.merge(lane, 1, Integer::sum);
        return Optional.of(epoch);
    }

    /// Returns the deliveries without an attempt that are due in lanes that nobody has leased, each
    /// with how often its lane was leased.
    public Map<DeliveryId, Integer> freeUntried(Predicate<Lane> isCandidate, Instant now) {
        var free = new HashMap<DeliveryId, Integer>();
        for (var row : lanes.values()) {
            if (row.owner().isEmpty() && isCandidate.test(row.lane())) {
                waiting(row.lane())
                        .filter(work -> work.delivery().attempts() == 0)
                        .filter(work -> !work.nextAt().orElseThrow().isAfter(now))
                        .forEach(work ->
                                free.put(
                                        work.id(), leases.getOrDefault(LaneKey.of(row.lane()), 0)));
            }
        }
        return free;
    }

    public List<LaneStore.LeasedLane> leased(long epoch) {
        return lanes.values().stream()
                .filter(row -> row.owner().equals(Optional.of(epoch)))
                .map(ModelStore::leased)
                .toList();
    }

    public Set<Long> laneOwners() {
        var owners = new TreeSet<Long>();
        lanes.values().forEach(row -> row.owner().ifPresent(owners::add));
        return owners;
    }

    public void release(Lane lane, long epoch, Optional<Instant> wakeAt) {
        lanes.computeIfPresent(
                LaneKey.of(lane),
                (_, row) ->
                        row.owner().equals(Optional.of(epoch))
                                        || hasFlaw(InjectedFlaw.LANE_RELEASE_IGNORES_OWNER)
                                ? new LaneRow(
                                        row.lane(), earlier(row.wakeAt(), wakeAt), Optional.empty())
                                : row);
    }

    private static Optional<Instant> earlier(Optional<Instant> one, Optional<Instant> other) {
        return Stream.of(one, other).flatMap(Optional::stream).min(Comparator.naturalOrder());
    }

    public List<LaneStore.WaitingDelivery> due(
            Lane lane, Instant until, Instant afterNextAt, UUID afterId, int limit) {
        return waiting(lane)
                .filter(row -> !row.nextAt().orElseThrow().isAfter(until))
                .filter(row -> isAfter(row, afterNextAt, afterId))
                .limit(limit)
                .map(row ->
                        new LaneStore.WaitingDelivery(
                                row.delivery(), row.nextAt().orElseThrow(), 0))
                .toList();
    }

    private static boolean isAfter(WorkRow row, Instant nextAt, UUID id) {
        int byTime = row.nextAt().orElseThrow().compareTo(nextAt);
        return byTime > 0 || (byTime == 0 && UNSIGNED_UUID_ORDER.compare(row.id().value(), id) > 0);
    }

    private java.util.stream.Stream<WorkRow> waiting(Lane lane) {
        return work.values().stream()
                .filter(row -> row.nextAt().isPresent() && Lane.of(row.delivery()).equals(lane))
                .sorted(BY_DUE_TIME);
    }

    public Optional<Instant> firstDue(Lane lane) {
        return waiting(lane).findFirst().flatMap(WorkRow::nextAt);
    }

    public Map<EventId, Payload> payloads(SourceId source, Collection<EventId> wanted) {
        var payloads = new HashMap<EventId, Payload>();
        for (var id : wanted) {
            var event = events.get(id);
            if (event != null && event.source().equals(source)) {
                payloads.put(id, event.payload());
            }
        }
        return payloads;
    }

    public List<LaneStore.LaneWake> sweep() {
        var first = new TreeMap<LaneKey, LaneStore.LaneWake>(BY_LANE_KEY);
        work.values().stream()
                .filter(row -> row.nextAt().isPresent())
                .sorted(BY_DUE_TIME)
                .forEach(row ->
                        first.putIfAbsent(
                                LaneKey.of(Lane.of(row.delivery())),
                                new LaneStore.LaneWake(
                                        Lane.of(row.delivery()), row.nextAt().orElseThrow())));
        return List.copyOf(first.values());
    }

    // Models those parts of NodeStore and OwnedDeliveryStore that concern work and lanes.

    public NodeStore.ReleasedWork releaseWork(long epoch, Instant now, int limit) {
        var lanesOf = new LinkedHashSet<Lane>();
        if (hasFlaw(InjectedFlaw.TAKEOVER_FORGETS_WORK)) {
            return new NodeStore.ReleasedWork(0, lanesOf);
        }
        var owned =
                work.values().stream()
                        .filter(row -> row.owner().equals(Optional.of(epoch)))
                        .limit(limit)
                        .toList();
        for (var row : owned) {
            lanesOf.add(Lane.of(row.delivery()));
            changes++;
            work.put(row.id().value(), row.recovered(now));
        }
        return new NodeStore.ReleasedWork(owned.size(), lanesOf);
    }

    public void releaseLanes(long epoch, Instant now) {
        if (hasFlaw(InjectedFlaw.TAKEOVER_FORGETS_LANES)) {
            return;
        }
        lanes.replaceAll((_, row) ->
                row.owner().equals(Optional.of(epoch))
                        ? new LaneRow(
                                row.lane(),
                                Optional.of(row.isDueBy(now) ? row.wakeAt().orElseThrow() : now),
                                Optional.empty())
                        : row);
    }

    public List<DeliveryId> ownedSince(long epoch, UUID floor) {
        return work.values().stream()
                .filter(row -> row.owner().equals(Optional.of(epoch)))
                .filter(row -> UNSIGNED_UUID_ORDER.compare(row.id().value(), floor) < 0)
                .map(WorkRow::id)
                .toList();
    }

    public Set<Long> owners() {
        var owners = new TreeSet<Long>();
        work.values().forEach(row -> row.owner().ifPresent(owners::add));
        return owners;
    }

    public void release(Collection<DeliveryId> deliveries, long epoch, Instant now) {
        deliveries.forEach(delivery -> isReleased(delivery, epoch, now));
    }

    // Views for assertions.

    /// A counter that rises whenever work or history changes.
    public long changes() {
        return changes;
    }

    public List<EventRow> events() {
        return List.copyOf(events.values());
    }

    public int eventCount() {
        return events.size();
    }

    public Collection<WorkRow> work() {
        return work.values();
    }

    public Optional<WorkRow> work(DeliveryId delivery) {
        return Optional.ofNullable(work.get(delivery.value()));
    }

    public Map<UUID, DeliveryRow> history() {
        return history;
    }

    /// Numbers of the delivery's attempts, without its last one.
    public Set<Integer> attempts(UUID delivery) {
        return attempts.getOrDefault(delivery, Set.of());
    }

    public Collection<LaneRow> lanes() {
        return lanes.values();
    }

    /// Deliveries that are both in work and in history.
    public Set<UUID> duplicates() {
        var twice = new HashSet<>(work.keySet());
        twice.retainAll(history.keySet());
        return twice;
    }

    /// Numbers of all attempts by delivery, without each delivery's last one.
    Map<UUID, Set<Integer>> attempts() {
        return attempts;
    }
}
