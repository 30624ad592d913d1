package dev.sluice.engine.settle;

import static java.util.Objects.requireNonNull;

import dev.sluice.engine.Lease;
import dev.sluice.gateway.destination.Destination;
import dev.sluice.gateway.destination.DestinationId;
import dev.sluice.platform.db.Db;
import dev.sluice.platform.db.Tx;
import dev.sluice.platform.loop.Loop;
import dev.sluice.platform.loop.Pause;
import dev.sluice.platform.loop.Wake;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/// The circuits of all destinations, shared by all nodes that use the same database. This node
/// keeps a copy of each circuit in memory.
///
/// A change takes effect on this node immediately. The next round also applies it to the circuit's
/// row in the database, so failures seen by several nodes add up. Each node reads other nodes'
/// changes every second, or every two seconds while it is idle. A success on one node and a failure
/// on another are therefore applied in the right order if they are more than about two seconds
/// apart. Checking the circuit of a healthy destination takes one map lookup and no SQL.
///
/// If the outcome of a commit is unknown, the changes are written again. Failures that did not open
/// the circuit may then count twice.
///
/// Thread-safe. A round writes changes once and reads changes once; rounds must run on one thread.
public final class SharedCircuits implements Circuits, Loop.Step {

    /// How long a claim to a probe lasts beyond the destination's timeout.
    private static final Duration PROBE_CLAIM_MARGIN = Duration.ofSeconds(30);

    /// How long a claim to a probe lasts for a destination with the maximum timeout.
    private static final Duration MAX_PROBE_CLAIM =
            Destination.MAX_TIMEOUT.plus(PROBE_CLAIM_MARGIN);

    private static final Duration CLEANUP_INTERVAL = Duration.ofMinutes(1);

    /// The lanes of destinations, of which circuits know only that they sleep and can be woken.
    @FunctionalInterface
    public interface SleepingLanes {

        /// Makes a destination's sleeping lanes wake at `at`, unless they wake earlier anyway.
        void wake(Tx tx, DestinationId destination, Instant at);
    }

    /// A circuit as it was before a write, and its row after the write.
    ///
    /// @param error the message of the last failure that was written; empty if there was none
    private record CircuitChange(
            CircuitBreaker before, StoredCircuit after, Optional<String> error) {}

    private final Db db;
    private final Lease node;
    private final CooldownBackoff cooldowns;
    private final SleepingLanes lanes;
    private final InstantSource clock;
    private final ConcurrentHashMap<DestinationId, LocalCircuit> localCircuits =
            new ConcurrentHashMap<>();

    /// The destinations whose circuits have changes to write.
    private final Set<DestinationId> unwritten = ConcurrentHashMap.newKeySet();

    private final Wake wake;
    private final Wake changed;
    private final CircuitAnnouncer announcer = new CircuitAnnouncer();

    /// The circuits as last read from the database. This field and the two fields below are used
    /// only by the thread that runs the rounds.
    private final Map<DestinationId, CircuitBreaker> lastRead = new HashMap<>();

    private long horizon;
    private Pause cleanupPause = Pause.NONE;

    private SharedCircuits(
            Db db,
            Lease node,
            CooldownBackoff cooldowns,
            SleepingLanes lanes,
            InstantSource clock,
            Wake wake,
            Wake changed) {
        this.db = db;
        this.node = node;
        this.cooldowns = cooldowns;
        this.lanes = lanes;
        this.clock = clock;
        this.wake = wake;
        this.changed = changed;
    }

    /// @param wake called when the next round should run early
    /// @param changed called after circuits have changed and their lanes have been woken
    public static SharedCircuits open(
            Db db,
            Lease node,
            CooldownBackoff cooldowns,
            SleepingLanes lanes,
            InstantSource clock,
            Wake wake,
            Wake changed) {
        var circuits = new SharedCircuits(db, node, cooldowns, lanes, clock, wake, changed);
        circuits.readChanges();
        return circuits;
    }

    public void addListener(CircuitListener listener) {
        announcer.addListener(listener);
    }

    @Override
    public CircuitBreaker of(DestinationId destination) {
        var local = localCircuits.get(destination);
        return local == null ? CircuitBreaker.healthy() : boundedByNow(local.circuit());
    }

    /// Returns the circuit, corrected if the clock was set back after the circuit was stored.
    private CircuitBreaker boundedByNow(CircuitBreaker circuit) {
        return switch (circuit.state()) {
            case CLOSED -> circuit;
            case OPEN -> circuit.notLaterThan(now(), cooldowns.max());
            case HALF_OPEN -> circuit.notLaterThan(now(), MAX_PROBE_CLAIM);
        };
    }

    @Override
    public int concurrencyLimit(Destination destination) {
        int limit = destination.spec().maxInFlight();
        var local = localCircuits.get(destination.id());
        return local == null || local.slowStart().isEmpty()
                ? limit
                : Math.min(limit, local.slowStart().get().concurrency());
    }

    @Override
    public void failed(DestinationId destination, int startedGeneration, String error) {
        var now = now();
        noteChange(
                destination,
                localCircuits.compute(
                        destination,
                        (_, known) ->
                                (known == null ? LocalCircuit.NONE : known)
                                        .afterFailure(startedGeneration, now, error, cooldowns)));
    }

    @Override
    public void reached(Destination destination) {
        var known = localCircuits.get(destination.id());
        if (known == null || known.isSteady()) {
            return;
        }
        int limit = destination.spec().maxInFlight();
        noteChange(
                destination.id(),
                localCircuits.computeIfPresent(
                        destination.id(), (_, local) -> local.afterReached(limit, cooldowns)));
    }

    @Override
    public void giveBack(Probe probe) {
        noteChange(
                probe.destination(),
                localCircuits.computeIfPresent(
                        probe.destination(),
                        (_, local) -> local.afterProbeReturned(probe.generation(), cooldowns)));
    }

    /// If the circuit has unwritten changes, marks the destination for the next write. Requests an
    /// early round only if the circuit's state changed; a changed failure count waits for the next
    /// regular round.
    private void noteChange(DestinationId destination, @Nullable LocalCircuit local) {
        if (local == null || !local.hasUnwritten()) {
            return;
        }
        unwritten.add(destination);
        if (local.circuit().state() != local.stored().circuit().state()) {
            wake.wake();
        }
    }

    @Override
    public Optional<Probe> claimProbe(Destination destination) {
        var id = destination.id();
        var now = now();
        var until = now.plus(destination.spec().timeout()).plus(PROBE_CLAIM_MARGIN);
        long epoch = node.epoch();
        var change = db.call(tx -> claim(tx, id, epoch, now, until));
        if (change.isEmpty()) {
            return Optional.empty();
        }
        var claimed = change.get().after();
        localCircuits.compute(
                id,
                (_, known) ->
                        (known == null ? LocalCircuit.NONE : known).afterRead(claimed, cooldowns));
        if (claimed.circuit().equals(change.get().before())) {
            return Optional.empty();
        }
        CircuitAnnouncer.announceClaim(id, claimed.circuit());
        return Optional.of(new Probe(id, claimed.circuit().generation()));
    }

    /// Claims the probe and returns the change to the row. Returns empty if there is no row or
    /// another transaction has locked it. If no probe is due, returns the row unchanged.
    private Optional<CircuitChange> claim(
            Tx tx, DestinationId id, long epoch, Instant now, Instant until) {
        var row = CircuitStore.tryLock(tx, id);
        if (row.isEmpty()) {
            return Optional.empty();
        }
        var before = row.get().circuit();
        var claimed = boundedByNow(before).claimProbe(epoch, now, until);
        var after =
                claimed.isEmpty()
                        ? row.get()
                        : CircuitStore.write(tx, id, row.get(), claimed.get(), Optional.empty());
        return Optional.of(new CircuitChange(before, after, Optional.empty()));
    }

    @Override
    public boolean run() {
        try {
            write();
        } finally {
            refresh(); // also runs if `write` failed on a locked row
        }
        return false;
    }

    private void refresh() {
        wakeLanes(readChanges());
        if (cleanupPause.isOver(now())) {
            cleanupPause = Pause.of(now(), CLEANUP_INTERVAL);
            cleanUp();
        }
    }

    /// Writes the changes that are not in the database yet.
    private void write() {
        var tallies = new HashMap<DestinationId, CircuitTally>();
        for (var id : List.copyOf(unwritten)) {
            unwritten.remove(id);
            var local =
                    localCircuits.computeIfPresent(id, (_, known) -> known.startWriting(cooldowns));
            if (local != null && !local.writing().isEmpty()) {
                tallies.put(id, local.writing());
            }
        }
        if (tallies.isEmpty()) {
            return;
        }
        Map<DestinationId, CircuitChange> changes;
        try {
            changes = db.call(tx -> write(tx, tallies));
        } catch (RuntimeException e) {
            unwritten.addAll(tallies.keySet()); // the next round writes the changes
            throw e;
        }
        var moved = new HashMap<DestinationId, CircuitBreaker>();
        changes.forEach((id, change) -> {
            var local =
                    localCircuits.computeIfPresent(
                            id, (_, known) -> known.afterWrite(change.after(), cooldowns));
            if (local != null && local.hasUnwritten()) {
                unwritten.add(id);
            }
            var after = change.after().circuit();
            if (announcer.announceChange(id, change.before(), after, change.error())) {
                moved.put(id, after);
            }
        });
        wakeLanes(moved);
    }

    private Map<DestinationId, CircuitChange> write(
            Tx tx, Map<DestinationId, CircuitTally> tallies) {
        var rows = CircuitStore.lock(tx, tallies.keySet());
        var changes = new HashMap<DestinationId, CircuitChange>();
        tallies.forEach((id, tally) -> {
            var before = requireNonNull(rows.get(id));
            var after = tally.applyTo(before.circuit(), cooldowns);
            boolean isSame = after.equals(before.circuit());
            changes.put(
                    id,
                    new CircuitChange(
                            before.circuit(),
                            isSame
                                    ? before
                                    : CircuitStore.write(tx, id, before, after, tally.error()),
                            tally.error()));
        });
        return changes;
    }

    /// Reads rows that changed since the last read, including changes made by this node. Returns
    /// the circuits whose state changed or whose next probe is due at a different time.
    private Map<DestinationId, CircuitBreaker> readChanges() {
        var changes = db.statement(tx -> CircuitStore.changedSince(tx, horizon));
        horizon = changes.horizon();
        var moved = new HashMap<DestinationId, CircuitBreaker>();
        changes.rows()
                .forEach((id, row) -> {
                    localCircuits.compute(
                            id,
                            (_, known) ->
                                    (known == null ? LocalCircuit.NONE : known)
                                            .afterRead(row, cooldowns));
                    var before = lastRead.put(id, row.circuit());
                    var previous = before == null ? CircuitBreaker.healthy() : before;
                    if (previous.state() != row.circuit().state()
                            || !previous.nextTryAt().equals(row.circuit().nextTryAt())) {
                        moved.put(id, row.circuit());
                    }
                });
        return moved;
    }

    /// Wakes the lanes of these circuits. Each sleeping lane got a wake-up time when it was
    /// released: the time of the next probe, plus a delay that spreads the probes. The lanes of a
    /// circuit that has closed since then wake now. If a circuit's next probe is due earlier than
    /// before, its lanes wake at the new time. A half-open circuit wakes no lanes.
    private void wakeLanes(Map<DestinationId, CircuitBreaker> moved) {
        if (moved.isEmpty()) {
            return;
        }
        try {
            moved.forEach((id, circuit) -> {
                if (circuit.state() != CircuitBreaker.CircuitState.HALF_OPEN) {
                    var at = latestWakeAt(boundedByNow(circuit), clock.instant());
                    db.run(tx -> lanes.wake(tx, id, at));
                }
            });
        } finally {
            changed.wake(); // for those that were woken, if one fails
        }
    }

    /// Returns the time by which a circuit's lanes must wake. If the next probe is already due, an
    /// earlier probe was given back. In that case, the next probe is not delayed, because few
    /// others are due at the same moment.
    private static Instant latestWakeAt(CircuitBreaker circuit, Instant now) {
        var next = circuit.nextTryAt().orElse(now);
        return next.isAfter(now) ? next.plus(circuit.maxProbeDelay()) : next;
    }

    private void cleanUp() {
        var known =
                db.call(tx -> {
                    CircuitStore.forgetDeleted(tx);
                    return CircuitStore.known(tx);
                });
        lastRead.keySet().retainAll(known);
        for (var id : localCircuits.keySet()) {
            if (!known.contains(id)) {
                localCircuits.computeIfPresent(
                        id, (_, local) -> local.hasUnwritten() ? local : null);
            }
        }
    }

    /// Returns the current time, truncated to milliseconds: the precision of the database and the
    /// API.
    private Instant now() {
        return clock.instant().truncatedTo(ChronoUnit.MILLIS);
    }
}
