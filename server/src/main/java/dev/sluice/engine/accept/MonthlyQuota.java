package dev.sluice.engine.accept;

import dev.sluice.account.plan.Plan;
import dev.sluice.account.workspace.WorkspaceId;
import dev.sluice.engine.EventId;
import dev.sluice.engine.commit.AcceptedEvent;
import dev.sluice.gateway.source.Source;
import dev.sluice.gateway.source.SourceId;
import dev.sluice.gateway.source.VerificationStatus;
import dev.sluice.platform.db.Db;
import dev.sluice.platform.db.DbException;
import dev.sluice.platform.http.ApiErrorCode;
import dev.sluice.platform.http.ApiException;
import dev.sluice.platform.id.Uuid7;
import dev.sluice.platform.loop.Loop;

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

/// Limits how many events a workspace may store in a month, not counting events that failed
/// verification. The workspace's plan sets the limit.
///
/// Months are in UTC. The time in an event's id decides which month the event belongs to. The quota
/// is counted in tokens, one for each event. A node reserves a chunk of tokens in the database and
/// then spends them in memory. All nodes together therefore cannot spend more tokens than the
/// limit.
///
/// Events that are stored while a plan has no limit take no tokens. If the workspace gets a limit
/// again, these events also count: before tokens are reserved, the number of tokens taken is raised
/// to the number of events stored.
///
/// A node returns the unused tokens of an idle workspace. The token for an event that was not
/// stored can be spent again. When a node stops, it returns all its unused tokens. If a node
/// crashes, its unused tokens are lost for the rest of the month: at most about one chunk for each
/// workspace (see [QuotaLease#chunkSize]).
///
/// Each round returns the tokens of idle workspaces, and those left from past months or former
/// limits. Thread-safe.
public final class MonthlyQuota implements Loop.Step {

    private static final Logger log = LoggerFactory.getLogger(MonthlyQuota.class);

    /// The maximum number of concurrent database calls that reserve tokens. It is low, so that
    /// database connections stay free for the relay's other work.
    private static final int MAX_CONCURRENT_QUERIES = 2;

    /// The key under which this node keeps a [QuotaLease].
    ///
    /// @param month the year and month, such as 202611
    /// @param cap the plan's limit; if the limit changes, a new lease is used
    private record QuotaKey(WorkspaceId workspace, int month, long cap) {

        /// The order in which a node updates several quotas. All nodes use the same order, so that
        /// they cannot deadlock.
        static final Comparator<QuotaKey> LOCK_ORDER =
                Comparator.comparing((QuotaKey key) -> key.workspace().value())
                        .thenComparingInt(QuotaKey::month)
                        .thenComparingLong(QuotaKey::cap);
    }

    private final Db db;
    private final Function<WorkspaceId, Plan.PlanLimits> limits;
    private final Function<SourceId, Optional<Source>> sources;
    private final Duration databaseTimeout;
    private final InstantSource clock;

    private final ConcurrentHashMap<QuotaKey, QuotaLease> leases = new ConcurrentHashMap<>();

    private final Semaphore queryPermits = new Semaphore(MAX_CONCURRENT_QUERIES);

    /// @param databaseTimeout how long a request may wait for the database
    public MonthlyQuota(
            Db db,
            Function<WorkspaceId, Plan.PlanLimits> limits,
            Function<SourceId, Optional<Source>> sources,
            Duration databaseTimeout,
            InstantSource clock) {
        this.db = db;
        this.limits = limits;
        this.sources = sources;
        this.databaseTimeout = databaseTimeout;
        this.clock = clock;
    }

    /// Spends a token for an event that is about to be stored. An event that failed verification
    /// needs no token.
    ///
    /// @throws ApiException 402 if the month's quota is used up, 500 if the database fails or does
    ///   not respond in time
    void spend(Source source, EventId event) {
        var cap = limits.apply(source.workspace()).eventsPerMonth();
        if (cap.isEmpty()) {
            return;
        }
        var key = new QuotaKey(source.workspace(), month(event), cap.getAsLong());
        var lease = leases.computeIfAbsent(key, _ -> new QuotaLease());
        if (!lease.spend()) {
            leaseAndSpend(key, lease);
        }
    }

    private void leaseAndSpend(QuotaKey key, QuotaLease lease) {
        long deadline = System.nanoTime() + databaseTimeout.toNanos();
        do {
            var now = clock.instant();
            if (lease.isKnownEmpty(now)) {
                throw quotaExceeded(key.cap());
            }
            try {
                long left = deadline - System.nanoTime();
                if (lease.fetchMore(() -> takeChunk(key), now).get(left, TimeUnit.NANOSECONDS)
                        == 0) {
                    throw quotaExceeded(key.cap());
                }
            } catch (ExecutionException | TimeoutException e) {
                throw IngestEndpoint.notStored();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw IngestEndpoint.notStored();
            }
        } while (!lease.spend());
    }

    private static ApiException quotaExceeded(long cap) {
        return new ApiException(
                ApiErrorCode.QUOTA_EXCEEDED,
                "The workspace's plan has "
                        + cap
                        + " events a month (UTC), and they are used up. Nothing was stored.");
    }

    private long takeChunk(QuotaKey key) {
        queryPermits.acquireUninterruptibly();
        try {
            return db.call(tx -> QuotaStore.takeChunk(tx, key.workspace(), key.month(), key.cap()));
        } catch (DbException e) {
            log.atWarn()
                    .addKeyValue("workspace_id", key.workspace())
                    .setCause(e)
                    .log("quota.lease_failed");
            throw e;
        } finally {
            queryPermits.release();
        }
    }

    private static int month(EventId event) {
        var day = Uuid7.timeOf(event.value()).atOffset(ZoneOffset.UTC);
        return 100 * day.getYear() + day.getMonthValue();
    }

    /// Gives back the token of an event that was not stored, so that this node can spend it again.
    /// If the source was deleted or the plan's limit changed in the meantime, the token is lost.
    public void refundDropped(AcceptedEvent event) {
        if (event.verification().status() != VerificationStatus.FAILED) {
            sources.apply(event.source()).ifPresent(source -> giveBack(source, event.id()));
        }
    }

    /// Gives back the token that was spent for this event, so that this node can spend it again.
    void giveBack(Source source, EventId event) {
        var workspace = source.workspace();
        limits.apply(workspace)
                .eventsPerMonth()
                .ifPresent(cap -> {
                    var lease = leases.get(new QuotaKey(workspace, month(event), cap));
                    if (lease != null) {
                        lease.giveBack();
                    }
                });
    }

    @Override
    public boolean run() {
        giveBack((key, lease) -> lease.checkIdle() || (!lease.isSpent() && isOld(key)));
        removeOld();
        return false;
    }

    /// Removes empty leases that belong to a past month or to a former limit.
    private void removeOld() {
        leases.forEach((key, lease) -> {
            if (lease.isSpent() && isOld(key)) {
                leases.remove(key);
            }
        });
    }

    private boolean isOld(QuotaKey key) {
        var now = clock.instant().atOffset(ZoneOffset.UTC);
        var cap = limits.apply(key.workspace()).eventsPerMonth();
        return key.month() < 100 * now.getYear() + now.getMonthValue()
                || cap.isEmpty()
                || cap.getAsLong() != key.cap();
    }

    /// Returns the tokens of the chosen leases to the database.
    ///
    /// The tokens are removed from memory once the database has answered a first statement, and
    /// restored if the database then rejects the update. If the connection breaks, the outcome is
    /// unknown. The tokens are then not restored, because losing tokens is better than duplicating
    /// them.
    private void giveBack(BiPredicate<QuotaKey, QuotaLease> shouldReturn) {
        var unused = new TreeMap<QuotaKey, QuotaLease>(QuotaKey.LOCK_ORDER);
        leases.forEach((key, lease) -> {
            if (shouldReturn.test(key, lease)) {
                unused.put(key, lease);
            }
        });
        if (unused.isEmpty()) {
            return;
        }
        var drained = new HashMap<QuotaLease, Long>();
        try {
            db.run(tx -> {
                QuotaStore.limitStatementTime(tx);
                unused.forEach((key, lease) -> {
                    long tokens = lease.drain();
                    drained.put(lease, tokens);
                    QuotaStore.giveBack(tx, key.workspace(), key.month(), tokens);
                });
            });
        } catch (DbException e) {
            if (!e.isConnectionLost()) {
                drained.forEach(QuotaLease::restore);
            }
            log.atWarn()
                    .addKeyValue("leases", unused.size())
                    .setCause(e)
                    .log("quota.return_failed");
        }
    }

    /// Returns all unused tokens to the database. Call this after the last event has been stored or
    /// dropped.
    public void returnUnused() {
        giveBack((_, lease) -> !lease.isSpent());
    }
}
