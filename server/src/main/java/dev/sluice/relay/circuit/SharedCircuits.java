package dev.sluice.relay.circuit;

import static java.util.Objects.requireNonNull;

import dev.sluice.gateway.destination.Destination;
import dev.sluice.gateway.destination.DestinationId;
import dev.sluice.platform.db.Db;
import dev.sluice.platform.db.Tx;
import dev.sluice.platform.loop.Loop;
import dev.sluice.relay.Lease;
import dev.sluice.relay.store.LaneStore;
import dev.sluice.relay.store.NodeStore;

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
import java.util.concurrent.CopyOnWriteArrayList;

/// The circuits of all nodes on one database, as this node sees them.
///
/// What an attempt shows counts here at once, and is written in the next round: over what the row
/// says by then, so that nodes add up. A destination that is well costs one look into a map that
/// mostly has no entry, and no statement. Other nodes' changes are read once a second; so a success
/// there and failures here are in order to within a second.
///
/// A commit whose outcome is not known is written again: in that case, failures that did not open
/// the circuit may count twice. A round is one write and one look for changes; rounds belong to one
/// thread.
public final class SharedCircuits implements Circuits, Loop.Step {

    /// What a probe may take beyond the destination's timeout.
    private static final Duration GRACE = Duration.ofSeconds(30);

    private static final Duration TIDYING = Duration.ofMinutes(1);

    /// A row before and after it was written.
    private record Change(Circuit before, Stored after, Optional<String> error) {}

    private final Db db;
    private final Lease node;
    private final Cooldowns cooldowns;
    private final InstantSource clock;
    private final ConcurrentHashMap<DestinationId, View> views = new ConcurrentHashMap<>();

    /// Those of which something is to be written.
    private final Set<DestinationId> news = ConcurrentHashMap.newKeySet();

    private final List<Runnable> listeners = new CopyOnWriteArrayList<>();
    private final Announcements announcements = new Announcements();

    /// Of the thread of the rounds, like the two below: rows as they were read last.
    private final Map<DestinationId, Circuit> read = new HashMap<>();

    private long horizon;
    private Instant nextTidying = Instant.EPOCH;

    private volatile Runnable onNews = () -> {};

    private SharedCircuits(Db db, Lease node, Cooldowns cooldowns, InstantSource clock) {
        this.db = db;
        this.node = node;
        this.cooldowns = cooldowns;
        this.clock = clock;
    }

    public static SharedCircuits open(Db db, Lease node, Cooldowns cooldowns, InstantSource clock) {
        var circuits = new SharedCircuits(db, node, cooldowns, clock);
        circuits.look();
        return circuits;
    }

    /// Calls `wake` when a round should come soon; must be quick.
    public void wakeBy(Runnable wake) {
        onNews = wake;
    }

    /// Called after lanes were woken, on the thread of the rounds; must be quick.
    public void onChange(Runnable listener) {
        listeners.add(listener);
    }

    public void tell(CircuitListener listener) {
        announcements.to(listener);
    }

    @Override
    public Circuit of(DestinationId destination) {
        var view = views.get(destination);
        return view == null ? Circuit.healthy() : view.circuit();
    }

    @Override
    public int width(Destination destination) {
        int limit = destination.spec().maxInFlight();
        var view = views.get(destination.id());
        return view == null || view.slowStart().isEmpty()
                ? limit
                : Math.min(limit, view.slowStart().get().width());
    }

    @Override
    public void failed(DestinationId destination, int started, String error) {
        var now = now();
        change(
                destination,
                views.compute(
                        destination,
                        (_, known) ->
                                (known == null ? View.NONE : known)
                                        .failed(started, now, error, cooldowns)));
    }

    @Override
    public void reached(Destination destination) {
        var known = views.get(destination.id());
        if (known == null || known.isSteady()) {
            return;
        }
        int limit = destination.spec().maxInFlight();
        change(
                destination.id(),
                views.computeIfPresent(
                        destination.id(), (_, view) -> view.reached(limit, cooldowns)));
    }

    @Override
    public void giveBack(Probe probe) {
        change(
                probe.destination(),
                views.computeIfPresent(
                        probe.destination(),
                        (_, view) -> view.givenBack(probe.generation(), cooldowns)));
    }

    /// Counts below the threshold wait for the round that comes anyway.
    private void change(DestinationId destination, @Nullable View view) {
        if (view == null || !view.hasNews()) {
            return;
        }
        news.add(destination);
        if (view.circuit().state() != view.stored().circuit().state()) {
            onNews.run();
        }
    }

    @Override
    public Optional<Probe> claimProbe(Destination destination) {
        var id = destination.id();
        var now = now();
        var until = now.plus(destination.spec().timeout()).plus(GRACE);
        long epoch = node.epoch();
        var change = db.call(tx -> claim(tx, id, epoch, now, until));
        if (change.isEmpty()) {
            return Optional.empty();
        }
        var claimed = change.get().after();
        views.compute(
                id, (_, known) -> (known == null ? View.NONE : known).learned(claimed, cooldowns));
        if (claimed.circuit().equals(change.get().before())) {
            return Optional.empty();
        }
        Announcements.claimed(id, claimed.circuit());
        return Optional.of(new Probe(id, claimed.circuit().generation()));
    }

    /// Empty when there is no row, or another has it; unchanged when there is nothing to claim.
    private static Optional<Change> claim(
            Tx tx, DestinationId id, long epoch, Instant now, Instant until) {
        var row = CircuitStore.tryLock(tx, id);
        if (row.isEmpty()) {
            return Optional.empty();
        }
        var before = row.get().circuit();
        var claimed = before.claimProbe(epoch, now, until);
        var after =
                claimed.isEmpty()
                        ? row.get()
                        : CircuitStore.write(tx, id, row.get(), claimed.get(), Optional.empty());
        return Optional.of(new Change(before, after, Optional.empty()));
    }

    @Override
    public boolean run() {
        try {
            write();
        } finally {
            learn(); // also when a row was locked
        }
        return false;
    }

    private void learn() {
        var moved = look();
        if (!clock.instant().isBefore(nextTidying)) {
            nextTidying = clock.instant().plus(TIDYING);
            tidy();
        }
        wakeLanes(moved);
    }

    /// Writes what attempts showed since the round before.
    private void write() {
        var tallies = new HashMap<DestinationId, Tally>();
        for (var id : List.copyOf(news)) {
            news.remove(id);
            var view = views.computeIfPresent(id, (_, known) -> known.departing(cooldowns));
            if (view != null && !view.leaving().isEmpty()) {
                tallies.put(id, view.leaving());
            }
        }
        if (tallies.isEmpty()) {
            return;
        }
        Map<DestinationId, Change> changes;
        try {
            changes = db.call(tx -> write(tx, tallies));
        } catch (RuntimeException e) {
            news.addAll(tallies.keySet()); // it stays in the views, and is written next time
            throw e;
        }
        var moved = new HashMap<DestinationId, Circuit>();
        changes.forEach((id, change) -> {
            var view =
                    views.computeIfPresent(
                            id, (_, known) -> known.written(change.after(), cooldowns));
            if (view != null && view.hasNews()) {
                news.add(id);
            }
            var after = change.after().circuit();
            if (announcements.changed(id, change.before(), after, change.error())) {
                moved.put(id, after);
            }
        });
        wakeLanes(moved);
    }

    private Map<DestinationId, Change> write(Tx tx, Map<DestinationId, Tally> tallies) {
        NodeStore.beBrief(tx);
        var rows = CircuitStore.lock(tx, tallies.keySet());
        var changes = new HashMap<DestinationId, Change>();
        tallies.forEach((id, tally) -> {
            var before = requireNonNull(rows.get(id));
            var after = tally.over(before.circuit(), cooldowns);
            boolean isSame = after.equals(before.circuit());
            changes.put(
                    id,
                    new Change(
                            before.circuit(),
                            isSame
                                    ? before
                                    : CircuitStore.write(tx, id, before, after, tally.error()),
                            tally.error()));
        });
        return changes;
    }

    /// Reads what was written since the last look, by this node too. Those that moved on since.
    private Map<DestinationId, Circuit> look() {
        var look = db.snapshot(tx -> CircuitStore.changedSince(tx, horizon));
        horizon = look.horizon();
        var moved = new HashMap<DestinationId, Circuit>();
        look.rows()
                .forEach((id, row) -> {
                    views.compute(
                            id,
                            (_, known) ->
                                    (known == null ? View.NONE : known).learned(row, cooldowns));
                    var before = read.put(id, row.circuit());
                    var knew = before == null ? Circuit.healthy() : before;
                    if (knew.state() != row.circuit().state()
                            || !knew.nextTryAt().equals(row.circuit().nextTryAt())) {
                        moved.put(id, row.circuit());
                    }
                });
        return moved;
    }

    /// Lanes sleep until the next try as it was known when they went to sleep. Those of a circuit
    /// that is closed, or due earlier by now, wake then.
    private void wakeLanes(Map<DestinationId, Circuit> moved) {
        if (moved.isEmpty()) {
            return;
        }
        moved.forEach((id, circuit) -> {
            if (circuit.state() != Circuit.State.HALF_OPEN) {
                var at = circuit.nextTryAt().orElse(clock.instant());
                db.run(tx -> LaneStore.wake(tx, id, at));
            }
        });
        listeners.forEach(Runnable::run);
    }

    private void tidy() {
        var known =
                db.call(tx -> {
                    CircuitStore.forgetDeleted(tx);
                    return CircuitStore.known(tx);
                });
        read.keySet().retainAll(known);
        for (var id : views.keySet()) {
            if (!known.contains(id)) {
                views.computeIfPresent(id, (_, view) -> view.hasNews() ? view : null);
            }
        }
    }

    /// To the millisecond, as the database and the API tell it.
    private Instant now() {
        return clock.instant().truncatedTo(ChronoUnit.MILLIS);
    }
}
