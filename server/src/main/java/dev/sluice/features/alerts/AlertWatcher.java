package dev.sluice.features.alerts;

import dev.sluice.engine.ExpiringDeliveries;
import dev.sluice.engine.ExpiryListener;
import dev.sluice.features.alerts.AlertIncident.NewsKind;
import dev.sluice.features.alerts.AlertQueries.CircuitNews;
import dev.sluice.features.alerts.AlertQueries.NewsItem;
import dev.sluice.gateway.alertconfig.AlertConfigStore;
import dev.sluice.gateway.alertconfig.MailboxConfirmationStore;
import dev.sluice.gateway.destination.Destination;
import dev.sluice.gateway.source.Source;
import dev.sluice.platform.db.Db;
import dev.sluice.platform.db.RoundParts;
import dev.sluice.platform.db.Tx;
import dev.sluice.platform.db.TxSnapshot;
import dev.sluice.platform.id.Uuid7;
import dev.sluice.platform.loop.Loop;
import dev.sluice.platform.loop.Pause;
import dev.sluice.platform.loop.Wake;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/// Finds the failures that alerts report, and has [AlertComposer] compose the messages. Only one
/// node at a time does this.
///
/// A round reads the failures and circuit changes that were committed since the last round, page by
/// page. One transaction stores a page as news ([AlertIncident]) and moves the watcher's position.
/// Each failure is therefore counted exactly once, no matter when a process dies. [AlertSender]
/// sends the composed messages.
///
/// While no workspace has an enabled alert channel, most rounds run only one short query.
public final class AlertWatcher implements Loop.Step, ExpiryListener {

    public static final Duration ROUND_INTERVAL = Duration.ofSeconds(2);

    /// How often the position is moved while there are no failures. If the position does not move
    /// for a day, commit log compaction discards failures that have not been read.
    private static final Duration MOVE_INTERVAL = Duration.ofSeconds(30);

    private static final Duration UPKEEP_INTERVAL = Duration.ofSeconds(10);
    private static final int MAX_FORGOTTEN_PER_ROUND = 1_000;
    private static final int EXPIRY_BATCH_SIZE = 500;

    /// The maximum number of failed connections and changed circuits on one page. A page contains
    /// more only if a single commit has more. Each failed connection or changed circuit can have up
    /// to 50 targets.
    static final int MAX_CHANGES_PER_PAGE = 500;

    private static final int MAX_PAGES_PER_ROUND = 10;
    private static final int MAX_TARGETS_BEGUN = 10;

    private static final AlertKey BEFORE_ALL =
            new AlertKey(new UUID(0, 0), new UUID(0, 0), new UUID(0, 0));

    private final Db db;
    private final AlertComposer composer;
    private final Supplier<List<Destination>> unreadableDestinations;
    private final Supplier<List<Source>> unreadableSources;
    private final InstantSource clock;
    private final UUID holder;
    private final Wake composed;

    /// The pause before the next upkeep. Used only by the thread that runs the rounds.
    private Pause upkeepPause = Pause.NONE;

    /// The last incident that [#forget] has checked, or [#BEFORE_ALL] to begin with the first. Used
    /// only by the thread that runs the rounds.
    private AlertKey forgottenUpTo = BEFORE_ALL;

    /// @param unreadableDestinations returns the destinations whose settings this node cannot read
    /// @param unreadableSources returns the sources whose settings this node cannot read
    /// @param composed called when there may be new messages to send
    public AlertWatcher(
            Db db,
            AlertComposer composer,
            Supplier<List<Destination>> unreadableDestinations,
            Supplier<List<Source>> unreadableSources,
            Uuid7 ids,
            InstantSource clock,
            Wake composed) {
        this.db = db;
        this.composer = composer;
        this.unreadableDestinations = unreadableDestinations;
        this.unreadableSources = unreadableSources;
        this.clock = clock;
        this.holder = ids.next();
        this.composed = composed;
    }

    @Override
    public boolean run() {
        var now = clock.instant();
        var position = db.statement(AlertQueries::position);
        boolean isOld = Pause.of(position.movedAt(), MOVE_INTERVAL).isOver(now);
        boolean isUpkeepDue = upkeepPause.isOver(now);
        if (!position.hasChannels()) {
            if (isOld) {
                db.run(tx -> AlertStore.moveWithoutChannels(tx, now));
            }
            if (isUpkeepDue) {
                upkeepPause = Pause.of(now, UPKEEP_INTERVAL);
                forget(now);
            }
            return false;
        }
        if (!db.call(tx -> AlertStore.LEASE.acquire(tx, holder, AlertStore.LEASE_DURATION))) {
            return false;
        }
        var parts = new RoundParts();
        parts.run(this::beginAnew);
        var isMore = new AtomicBoolean();
        parts.run(() -> isMore.set(takeOver(position.seen(), isOld, now)));
        if (isUpkeepDue) {
            upkeepPause = Pause.of(now, UPKEEP_INTERVAL);
            parts.run(() -> noteUnreadable(now));
            parts.run(() -> forget(now));
        }
        int looked = composer.compose(parts, now);
        if (looked > 0) {
            composed.wake();
        }
        parts.end();
        return isMore.get() || composer.isFull(looked);
    }

    /// Deletes the old incidents of targets that had no enabled channel before and now have one.
    private void beginAnew() {
        while (db.call(this::beginAnew)) {
            // Each call handles up to ten targets.
        }
    }

    /// Locks the room first, then the channels, then the incidents.
    private boolean beginAnew(Tx tx) {
        if (!AlertConfigStore.isAnyBegun(tx)) {
            return false;
        }
        AlertStore.lockRoom(tx);
        var targets = AlertConfigStore.takeBegun(tx, MAX_TARGETS_BEGUN);
        if (!targets.isEmpty()) {
            AlertStore.deleteAll(tx, targets);
            targets.forEach(target -> composer.askToConfirm(tx, target, clock.instant()));
        }
        return targets.size() == MAX_TARGETS_BEGUN;
    }

    /// A page of the failures and circuit changes that became visible since an earlier snapshot.
    ///
    /// @param position the position after this page
    /// @param isLast whether nothing is left after this page
    private record Findings(
            TxSnapshot position,
            boolean isLast,
            List<NewsItem> failures,
            List<CircuitNews> circuits) {

        List<AlertKey> keys() {
            var keys = new ArrayList<AlertKey>();
            failures.forEach(one -> keys.add(one.key()));
            circuits.forEach(one -> keys.add(one.key()));
            return keys.stream().distinct().toList();
        }

        /// Returns a copy of these findings. In the copy, the news about destinations that get no
        /// separate incident belongs to the incident that they share, and their recoveries are
        /// dropped.
        Findings placed(IncidentRoom room, Instant now) {
            var placed = new ArrayList<>(room.place(failures));
            var own = new ArrayList<CircuitNews>();
            for (var change : circuits) {
                if (room.has(change.key())) {
                    own.add(change);
                } else if (change.isOpen()) {
                    placed.addAll(room.place(List.of(change.item(now))));
                }
            }
            return new Findings(position, isLast, placed, own);
        }
    }

    /// Stores the failures and circuit changes since the last round as news, page by page. Each
    /// page is stored in one transaction, which also stores the new position. Stops if another
    /// process has moved the position. Returns whether this process has pages left for the next
    /// round.
    private boolean takeOver(TxSnapshot from, boolean isMoveDue, Instant now) {
        var seen = from;
        for (int page = 0; page < MAX_PAGES_PER_ROUND; page++) {
            var before = seen;
            var found = db.snapshot(tx -> find(tx, before, now));
            if (found.isLast() && found.keys().isEmpty() && !isMoveDue) {
                return false;
            }
            boolean isMoved =
                    db.call(tx -> {
                        if (!AlertStore.move(tx, before, found.position(), now)) {
                            return false;
                        }
                        store(tx, found, now);
                        return true;
                    });
            if (found.isLast() || !isMoved) {
                return false;
            }
            seen = found.position();
        }
        return true;
    }

    private static Findings find(Tx tx, TxSnapshot seen, Instant now) {
        var snapshot = AlertQueries.snapshot(tx);
        var page = AlertQueries.nextPage(tx, seen, MAX_CHANGES_PER_PAGE);
        if (page.isEmpty()) {
            return new Findings(snapshot, true, List.of(), List.of());
        }
        long upTo = page.get().upTo();
        boolean isLast = page.get().isLast();
        return new Findings(
                isLast ? snapshot : seen.advanced(snapshot, upTo),
                isLast,
                AlertQueries.failures(tx, seen, upTo, now),
                AlertQueries.circuitChanges(tx, seen, upTo));
    }

    private static void store(Tx tx, Findings found, Instant now) {
        if (found.keys().isEmpty()) {
            return;
        }
        var placed = found.placed(IncidentRoom.forKeys(tx, found.keys()), now);
        var keys = placed.keys();
        AlertStore.lock(tx, keys);
        AlertStore.add(tx, placed.failures());
        AlertStore.noteCircuits(tx, placed.circuits(), now);
        AlertStore.schedule(tx, keys, now);
    }

    /// Stores news about deliveries that will expire soon.
    @Override
    public void expiring(Tx tx, List<ExpiringDeliveries> soon) {
        AlertStore.lockRoom(tx); // must run before any incident is locked
        while (beginAnew(tx)) {
            // Otherwise, the next round might delete the news that is added below.
        }
        for (int from = 0; from < soon.size(); from += EXPIRY_BATCH_SIZE) {
            var batch = soon.subList(from, Math.min(from + EXPIRY_BATCH_SIZE, soon.size()));
            var byConnection =
                    batch.stream()
                            .collect(
                                    Collectors.toMap(
                                            one -> one.connection().value(),
                                            one -> one,
                                            (one, _) -> one));
            var news = new ArrayList<NewsItem>();
            for (var target : AlertQueries.targets(tx, byConnection.keySet())) {
                var one = byConnection.get(target.connection());
                if (one != null) {
                    news.add(
                            new NewsItem(
                                    target.key(),
                                    target.source(),
                                    NewsKind.EXPIRING,
                                    one.deliveries(),
                                    null,
                                    one.first()));
                }
            }
            addAndSchedule(tx, news, clock.instant());
        }
    }

    private static void addAndSchedule(Tx tx, List<NewsItem> news, Instant now) {
        var room = IncidentRoom.forKeys(tx, news.stream().map(NewsItem::key).distinct().toList());
        var placed = room.place(news);
        var keys = placed.stream().map(NewsItem::key).distinct().toList();
        AlertStore.lock(tx, keys);
        AlertStore.add(tx, placed);
        AlertStore.schedule(tx, keys, now);
    }

    private void noteUnreadable(Instant now) {
        var unreadable = new ArrayList<UUID>();
        var workspaces = new ArrayList<UUID>();
        for (var destination : unreadableDestinations.get()) {
            unreadable.add(destination.id().value());
            workspaces.add(destination.workspace().value());
        }
        for (var source : unreadableSources.get()) {
            unreadable.add(source.id().value());
            workspaces.add(source.workspace().value());
        }
        for (int page = 0; page < MAX_PAGES_PER_ROUND; page++) {
            boolean isLast = db.call(tx -> noteUnreadable(tx, unreadable, now));
            if (isLast) {
                break;
            }
        }
        var kept = new ArrayList<>(unreadable);
        kept.addAll(workspaces);
        db.run(tx -> AlertStore.noteReadable(tx, kept, MAX_CHANGES_PER_PAGE));
    }

    private static boolean noteUnreadable(Tx tx, List<UUID> unreadable, Instant now) {
        var unreported =
                AlertQueries.unreportedUnreadable(
                        tx, unreadable, IncidentRoom.MAX_INCIDENTS, MAX_CHANGES_PER_PAGE);
        if (!unreported.isEmpty()) {
            var room = IncidentRoom.forKeys(tx, unreported);
            var keys = unreported.stream().map(room::place).distinct().toList();
            AlertStore.lock(tx, keys);
            var marked = AlertStore.noteUnreadable(tx, keys);
            AlertStore.add(
                    tx,
                    marked.stream()
                            .map(key ->
                                    new NewsItem(
                                            key,
                                            key.destination(),
                                            NewsKind.UNREADABLE,
                                            1,
                                            null,
                                            now))
                            .toList());
            AlertStore.schedule(tx, keys, now);
        }
        return unreported.size() < MAX_CHANGES_PER_PAGE;
    }

    /// Checks the next thousand incidents. Deletes an incident if it is over, if its target has no
    /// enabled channel, if its destination is deleted, or if its source is in the trash. Also
    /// deletes obsolete counts of sent messages and mailboxes that no channel has any more.
    private void forget(Instant now) {
        var after = forgottenUpTo;
        var keys = db.call(tx -> AlertStore.after(tx, after, MAX_FORGOTTEN_PER_ROUND));
        db.run(tx -> AlertStore.deleteOver(tx, keys, now));
        forgottenUpTo = keys.size() < MAX_FORGOTTEN_PER_ROUND ? BEFORE_ALL : keys.getLast();
        db.run(AlertMessageStore::deleteObsoleteUse);
        db.run(tx -> MailboxConfirmationStore.deleteObsolete(tx, now));
    }

    /// Releases the lease, so that another node can continue immediately.
    public void releaseLease() {
        db.run(tx -> AlertStore.LEASE.release(tx, holder));
    }
}
