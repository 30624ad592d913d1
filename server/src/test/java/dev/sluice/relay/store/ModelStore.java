package dev.sluice.relay.store;

import dev.sluice.gateway.connection.ConnectionId;
import dev.sluice.gateway.source.SourceId;
import dev.sluice.relay.DeliveryId;
import dev.sluice.relay.DeliveryStatus;
import dev.sluice.relay.ErrorCode;
import dev.sluice.relay.EventId;
import dev.sluice.relay.Payload;
import dev.sluice.relay.Trigger;
import dev.sluice.relay.Work;

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
import java.util.stream.Stream;

/// What the hot tables hold and what each statement on them does, said again without a database: a
/// simulation runs against it a thousand times faster. `ModelStoreTest` holds it against the SQL.
///
/// Each method is one transaction that commits at the moment of its call. What commits late, or
/// whose answer is lost, is the caller's to play. Owned by one thread at a time.
public final class ModelStore {

    /// A mistake built in, to see that a simulation would find it.
    public enum Flaw {
        LATE_FAILURE_WITHOUT_FENCE,
        SUCCESS_LEAVES_ITS_ROW,
        LEASE_IGNORES_OWNER,
        LANE_RELEASE_IGNORES_OWNER,
        TAKEOVER_FORGETS_WORK,
        TAKEOVER_FORGETS_LANES,
        DEAD_MAY_HEARTBEAT
    }

    /// A row with this key is there.
    public static final class Duplicate extends RuntimeException {
        Duplicate(UUID id) {
            super("is there already: " + id);
        }
    }

    /// A row of `event`.
    public record EventRow(EventId id, SourceId source, int planned, Payload payload) {}

    /// A row of `delivery_work`.
    public record WorkRow(
            Work work, Optional<Long> owner, Optional<Instant> nextAt, int recoveries) {

        public DeliveryId id() {
            return work.id();
        }

        private WorkRow waiting(Instant at) {
            return new WorkRow(work, Optional.empty(), Optional.of(at), recoveries);
        }

        private WorkRow tried(int attempts, Instant at) {
            var tried =
                    new Work(
                            work.id(),
                            work.source(),
                            work.connection(),
                            work.trigger(),
                            attempts,
                            work.createdAt());
            return new WorkRow(tried, Optional.empty(), Optional.of(at), recoveries);
        }

        private WorkRow recovered(Instant at) {
            return new WorkRow(work, Optional.empty(), Optional.of(at), recoveries);
        }
    }

    /// A row of `delivery`.
    ///
    /// @param error of the last attempt, or why it ended without one
    public record Ended(DeliveryStatus status, int attempts, Optional<ErrorCode> error) {}

    /// A row of `lane`.
    ///
    /// @param wakeAt empty: never
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

    /// As PostgreSQL compares them.
    private static final Comparator<UUID> BY_BYTES =
            Comparator.comparing(UUID::getMostSignificantBits, Long::compareUnsigned)
                    .thenComparing(UUID::getLeastSignificantBits, Long::compareUnsigned);

    private static final Comparator<LaneKey> BY_KEY =
            Comparator.comparing((LaneKey key) -> key.connection().value(), BY_BYTES)
                    .thenComparing(LaneKey::trigger);

    private static final Comparator<WorkRow> IN_LINE =
            Comparator.comparing((WorkRow row) -> row.nextAt().orElseThrow())
                    .thenComparing(row -> row.id().value(), BY_BYTES);

    private final Set<Flaw> flaws;
    private final Map<EventId, EventRow> events = new HashMap<>();
    private final Map<UUID, WorkRow> work = new TreeMap<>(BY_BYTES);
    private final Map<UUID, Ended> history = new TreeMap<>(BY_BYTES);
    private final Map<UUID, Set<Integer>> attempts = new TreeMap<>(BY_BYTES);
    private final Map<LaneKey, LaneRow> lanes = new TreeMap<>(BY_KEY);
    private final ModelNodes nodes;
    private long changes;

    /// @param lastEpoch the last number that a node was given
    public ModelStore(long lastEpoch, Set<Flaw> flaws) {
        this.flaws = Set.copyOf(flaws);
        this.nodes = new ModelNodes(lastEpoch, this.flaws.contains(Flaw.DEAD_MAY_HEARTBEAT));
    }

    public ModelNodes nodes() {
        return nodes;
    }

    private boolean has(Flaw flaw) {
        return flaws.contains(flaw);
    }

    // As EventStore.

    /// @param epoch owns the fresh deliveries
    /// @param now when the waiting ones are due
    public void store(List<Accepted> batch, long epoch, Instant now) {
        for (var event : batch) {
            if (events.containsKey(event.id())) {
                throw new Duplicate(event.id().value());
            }
        }
        for (var event : batch) {
            events.put(
                    event.id(),
                    new EventRow(
                            event.id(), event.source(), event.planned().size(), event.payload()));
            for (var planned : event.planned()) {
                var made =
                        new Work(
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

    /// A resend: waiting work of an event that is there.
    public void resend(Work resent, Instant nextAt) {
        insert(new WorkRow(resent, Optional.empty(), Optional.of(nextAt), 0));
    }

    private void insert(WorkRow row) {
        if (work.putIfAbsent(row.id().value(), row) != null) {
            throw new Duplicate(row.id().value());
        }
        changes++;
    }

    // As ResultStore.

    /// What of the batch took effect, in its order and as it was written.
    public List<Settled> write(List<Settled> batch, long epoch) {
        var taken = new IdentityHashMap<Settled, Settled>();
        for (var settled : batch) {
            if (settled instanceof Settled.Finished finished
                    && finished.status() == DeliveryStatus.SUCCEEDED) {
                succeed(finished).ifPresent(written -> taken.put(settled, written));
            }
        }
        for (var settled : batch) {
            if (settled instanceof Settled.Finished finished
                    && finished.status() != DeliveryStatus.SUCCEEDED
                    && fail(finished)) {
                taken.put(settled, settled);
            }
        }
        for (var settled : batch) {
            if (settled instanceof Settled.Retried retried && retry(retried)) {
                taken.put(settled, settled);
            }
        }
        for (var settled : batch) {
            if (settled instanceof Settled.Released released && release(released, epoch)) {
                taken.put(settled, settled);
            }
        }
        changes += taken.size();
        return batch.stream().map(taken::get).filter(Objects::nonNull).toList();
    }

    private Optional<Settled> succeed(Settled.Finished finished) {
        var id = finished.work().id().value();
        var row = Optional.ofNullable(work.get(id));
        if (row.isEmpty() || history.containsKey(id)) {
            return Optional.empty();
        }
        int number = row.get().work().attempts() + 1;
        end(finished, number);
        return Optional.of(
                new Settled.Finished(
                        finished.work(),
                        finished.status(),
                        finished.attempt().map(attempt -> attempt.at(number)),
                        finished.reason(),
                        finished.at()));
    }

    private boolean fail(Settled.Finished finished) {
        if (!stands(finished.work())) {
            return false;
        }
        int made = finished.work().attempts();
        end(finished, finished.attempt().isPresent() ? made + 1 : made);
        return true;
    }

    private void end(Settled.Finished finished, int number) {
        var id = finished.work().id().value();
        if (!has(Flaw.SUCCESS_LEAVES_ITS_ROW)) {
            work.remove(id);
        }
        var error = finished.reason().or(() -> finished.attempt().flatMap(one -> one.errorCode()));
        if (history.put(id, new Ended(finished.status(), number, error)) != null) {
            throw new Duplicate(id);
        }
    }

    /// Whether its row is there, at the attempt it speaks of.
    private boolean stands(Work spoken) {
        var row = work.get(spoken.id().value());
        return row != null
                && (row.work().attempts() == spoken.attempts()
                        || has(Flaw.LATE_FAILURE_WITHOUT_FENCE));
    }

    private boolean retry(Settled.Retried retried) {
        var id = retried.work().id().value();
        if (!stands(retried.work())) {
            return false;
        }
        int number = retried.attempt().number();
        work.compute(id, (_, row) -> found(row).tried(number, retried.nextAt()));
        if (!attempts.computeIfAbsent(id, _ -> new TreeSet<>()).add(number)) {
            throw new Duplicate(id);
        }
        return true;
    }

    private static WorkRow found(WorkRow row) {
        return Objects.requireNonNull(row);
    }

    private boolean release(Settled.Released released, long epoch) {
        return isReleased(released.work().id(), epoch, released.nextAt());
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

    // As LaneStore.

    public void wake(Collection<LaneStore.Wake> wakes) {
        for (var wake : wakes) {
            lanes.merge(
                    LaneKey.of(wake.lane()),
                    new LaneRow(wake.lane(), Optional.of(wake.at()), Optional.empty()),
                    (row, _) ->
                            row.isDueBy(wake.at())
                                    ? row
                                    : new LaneRow(row.lane(), Optional.of(wake.at()), row.owner()));
        }
    }

    public List<Lane> lease(long epoch, Instant now, int limit) {
        var due =
                lanes.values().stream()
                        .filter(row -> row.owner().isEmpty() || has(Flaw.LEASE_IGNORES_OWNER))
                        .filter(row -> row.isDueBy(now))
                        .sorted(Comparator.comparing(row -> row.wakeAt().orElseThrow()))
                        .limit(limit)
                        .toList();
        for (var row : due) {
            lanes.put(
                    LaneKey.of(row.lane()),
                    new LaneRow(row.lane(), Optional.empty(), Optional.of(epoch)));
        }
        return due.stream().map(LaneRow::lane).toList();
    }

    public List<Lane> leased(long epoch) {
        return lanes.values().stream()
                .filter(row -> row.owner().equals(Optional.of(epoch)))
                .map(LaneRow::lane)
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
                                        || has(Flaw.LANE_RELEASE_IGNORES_OWNER)
                                ? new LaneRow(
                                        row.lane(), earlier(row.wakeAt(), wakeAt), Optional.empty())
                                : row);
    }

    private static Optional<Instant> earlier(Optional<Instant> one, Optional<Instant> other) {
        return Stream.of(one, other).flatMap(Optional::stream).min(Comparator.naturalOrder());
    }

    public List<LaneStore.Waiting> due(
            Lane lane, Instant until, Instant afterNextAt, UUID afterId, int limit) {
        return waiting(lane)
                .filter(row -> !row.nextAt().orElseThrow().isAfter(until))
                .filter(row -> isAfter(row, afterNextAt, afterId))
                .limit(limit)
                .map(row -> new LaneStore.Waiting(row.work(), row.nextAt().orElseThrow(), 0))
                .toList();
    }

    private static boolean isAfter(WorkRow row, Instant nextAt, UUID id) {
        int byTime = row.nextAt().orElseThrow().compareTo(nextAt);
        return byTime > 0 || (byTime == 0 && BY_BYTES.compare(row.id().value(), id) > 0);
    }

    private java.util.stream.Stream<WorkRow> waiting(Lane lane) {
        return work.values().stream()
                .filter(row -> row.nextAt().isPresent() && Lane.of(row.work()).equals(lane))
                .sorted(IN_LINE);
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

    public List<LaneStore.Wake> sweep() {
        var first = new TreeMap<LaneKey, LaneStore.Wake>(BY_KEY);
        work.values().stream()
                .filter(row -> row.nextAt().isPresent())
                .sorted(IN_LINE)
                .forEach(row ->
                        first.putIfAbsent(
                                LaneKey.of(Lane.of(row.work())),
                                new LaneStore.Wake(
                                        Lane.of(row.work()), row.nextAt().orElseThrow())));
        return List.copyOf(first.values());
    }

    // As the parts of NodeStore and WorkStore that are about work and lanes.

    public Set<Lane> releaseWork(long epoch, Instant now) {
        var lanesOf = new LinkedHashSet<Lane>();
        if (has(Flaw.TAKEOVER_FORGETS_WORK)) {
            return lanesOf;
        }
        work.replaceAll((_, row) -> {
            if (!row.owner().equals(Optional.of(epoch))) {
                return row;
            }
            lanesOf.add(Lane.of(row.work()));
            changes++;
            return row.recovered(now);
        });
        return lanesOf;
    }

    public void releaseLanes(long epoch, Instant now) {
        if (has(Flaw.TAKEOVER_FORGETS_LANES)) {
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
                .filter(row -> BY_BYTES.compare(row.id().value(), floor) < 0)
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

    // For who looks on.

    /// Rises whenever work or history changes.
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

    public Map<UUID, Ended> history() {
        return history;
    }

    /// Numbers of the attempts that were not their delivery's last.
    public Set<Integer> attempts(UUID delivery) {
        return attempts.getOrDefault(delivery, Set.of());
    }

    public Collection<LaneRow> lanes() {
        return lanes.values();
    }

    /// Deliveries that stand in work and in history.
    public Set<UUID> twice() {
        var twice = new HashSet<>(work.keySet());
        twice.retainAll(history.keySet());
        return twice;
    }

    /// All that was ever tried, for comparison.
    List<String> attemptRows() {
        var rows = new ArrayList<String>();
        attempts.forEach((id, numbers) -> numbers.forEach(number -> rows.add(id + " " + number)));
        return rows;
    }
}
