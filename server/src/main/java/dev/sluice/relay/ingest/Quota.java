package dev.sluice.relay.ingest;

import dev.sluice.account.plan.Plan;
import dev.sluice.account.workspace.WorkspaceId;
import dev.sluice.gateway.source.Source;
import dev.sluice.gateway.source.SourceId;
import dev.sluice.platform.db.Db;
import dev.sluice.platform.db.DbException;
import dev.sluice.platform.http.ApiException;
import dev.sluice.platform.http.ErrorStatus;
import dev.sluice.platform.id.Uuid7;
import dev.sluice.platform.loop.Loop;
import dev.sluice.relay.EventId;
import dev.sluice.relay.Verification;
import dev.sluice.relay.store.Accepted;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.time.Duration;
import java.time.InstantSource;
import java.time.ZoneOffset;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BiPredicate;
import java.util.function.Function;

/// Events that a workspace may store in a month (UTC, by the time in the event's id), by its plan.
///
/// A node takes tokens from the database, some at a time, and spends one in memory for each event;
/// so the number is never exceeded, however many nodes there are. It gives back what an idle
/// workspace does not use, what is left when it stops, and the tokens of events that were not
/// stored. What a node holds when it crashes is lost for the month: at most one chunk for each
/// workspace, see [QuotaLease#chunk]. A round gives back what is idle.
public final class Quota implements Loop.Step {

    private static final Logger log = LoggerFactory.getLogger(Quota.class);

    /// Questions to the database at once, so that other work of the relay finds a connection.
    private static final int AT_ONCE = 2;

    /// @param month such as 202611
    /// @param cap the plan's number; another one is another lease
    private record Key(WorkspaceId workspace, int month, long cap) {

        /// In which nodes that change several come to them.
        static final Comparator<Key> ORDER =
                Comparator.comparing((Key key) -> key.workspace().value())
                        .thenComparingInt(Key::month)
                        .thenComparingLong(Key::cap);
    }

    private final Db db;
    private final Function<WorkspaceId, Plan.Limits> limits;
    private final Function<SourceId, Optional<Source>> sources;
    private final Duration patience;
    private final InstantSource clock;

    private final ConcurrentHashMap<Key, QuotaLease> leases = new ConcurrentHashMap<>();

    private final Semaphore asking = new Semaphore(AT_ONCE);

    /// @param patience how long a request waits for the database at most
    public Quota(
            Db db,
            Function<WorkspaceId, Plan.Limits> limits,
            Function<SourceId, Optional<Source>> sources,
            Duration patience,
            InstantSource clock) {
        this.db = db;
        this.limits = limits;
        this.sources = sources;
        this.patience = patience;
        this.clock = clock;
    }

    /// Spends a token for an event that is about to be stored. Not for one that failed its
    /// verification.
    ///
    /// @throws ApiException 402 when the month's events are used up, 500 when the database does not
    ///   say so in time
    void spend(Source source, EventId event) {
        var cap = limits.apply(source.workspace()).eventsPerMonth();
        if (cap.isEmpty()) {
            return;
        }
        var key = new Key(source.workspace(), month(event), cap.getAsLong());
        var lease = leases.computeIfAbsent(key, _ -> new QuotaLease());
        if (!lease.spend()) {
            spendOfMore(key, lease);
        }
    }

    private void spendOfMore(Key key, QuotaLease lease) {
        long deadline = System.nanoTime() + patience.toNanos();
        do {
            var now = clock.instant();
            if (lease.isKnownEmpty(now)) {
                throw exceeded(key.cap());
            }
            try {
                long left = deadline - System.nanoTime();
                if (lease.more(() -> take(key), now).get(left, TimeUnit.NANOSECONDS) == 0) {
                    throw exceeded(key.cap());
                }
            } catch (ExecutionException | TimeoutException e) {
                throw Ingest.notStored();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw Ingest.notStored();
            }
        } while (!lease.spend());
    }

    private static ApiException exceeded(long cap) {
        return new ApiException(
                ErrorStatus.QUOTA_EXCEEDED,
                "The workspace's plan has "
                        + cap
                        + " events a month (UTC), and they are used up. Nothing was stored.");
    }

    private long take(Key key) {
        asking.acquireUninterruptibly();
        try {
            return db.call(tx -> QuotaStore.take(tx, key.workspace(), key.month(), key.cap()));
        } catch (DbException e) {
            log.atWarn()
                    .addKeyValue("workspace_id", key.workspace())
                    .setCause(e)
                    .log("quota.not_taken");
            throw e;
        } finally {
            asking.release();
        }
    }

    private static int month(EventId event) {
        var day = Uuid7.timeOf(event.value()).atOffset(ZoneOffset.UTC);
        return 100 * day.getYear() + day.getMonthValue();
    }

    /// Gives back the token of an event that will never be stored. That of a source deleted
    /// meanwhile is lost.
    public void dropped(Accepted event) {
        if (event.verification().status() != Verification.FAILED) {
            sources.apply(event.source()).ifPresent(source -> giveBack(source, event.id()));
        }
    }

    /// Gives back the token that was spent for this event.
    void giveBack(Source source, EventId event) {
        var workspace = source.workspace();
        limits.apply(workspace)
                .eventsPerMonth()
                .ifPresent(cap -> {
                    var lease = leases.get(new Key(workspace, month(event), cap));
                    if (lease != null) {
                        lease.giveBack();
                    }
                });
    }

    @Override
    public boolean run() {
        giveBack((key, lease) -> lease.looksIdle() || (!lease.isSpent() && isOld(key)));
        forgetOld();
        return false;
    }

    /// Leases of a month or plan that is over, once they are empty.
    private void forgetOld() {
        leases.forEach((key, lease) -> {
            if (lease.isSpent() && isOld(key)) {
                leases.remove(key);
            }
        });
    }

    private boolean isOld(Key key) {
        var now = clock.instant().atOffset(ZoneOffset.UTC);
        var cap = limits.apply(key.workspace()).eventsPerMonth();
        return key.month() < 100 * now.getYear() + now.getMonthValue()
                || cap.isEmpty()
                || cap.getAsLong() != key.cap();
    }

    /// Tokens leave memory when the database is known to listen, and come back when it refuses.
    /// Whether they arrived is not known when the connection breaks; it is not tried again: rather
    /// tokens lost than doubled.
    private void giveBack(BiPredicate<Key, QuotaLease> isToGo) {
        var unused = new TreeMap<Key, QuotaLease>(Key.ORDER);
        leases.forEach((key, lease) -> {
            if (isToGo.test(key, lease)) {
                unused.put(key, lease);
            }
        });
        if (unused.isEmpty()) {
            return;
        }
        var drained = new HashMap<QuotaLease, Long>();
        try {
            db.run(tx -> {
                QuotaStore.beQuick(tx);
                unused.forEach((key, lease) -> {
                    long tokens = lease.drain();
                    drained.put(lease, tokens);
                    QuotaStore.giveBack(tx, key.workspace(), key.month(), tokens);
                });
            });
        } catch (DbException e) {
            if (!e.isConnectionLost()) {
                drained.forEach(QuotaLease::refill);
            }
            log.atWarn().addKeyValue("leases", unused.size()).setCause(e).log("quota.not_returned");
        }
    }

    /// Gives back everything, after the last event was stored or dropped.
    public void leave() {
        giveBack((_, lease) -> !lease.isSpent());
    }
}
