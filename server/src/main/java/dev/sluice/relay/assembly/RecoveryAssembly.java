package dev.sluice.relay.assembly;

import dev.sluice.account.access.Api;
import dev.sluice.account.assembly.AccountAssembly;
import dev.sluice.account.audit.AuditLogStore;
import dev.sluice.account.plan.Retention;
import dev.sluice.account.workspace.WorkspaceId;
import dev.sluice.gateway.assembly.GatewayAssembly;
import dev.sluice.platform.assembly.Foundation;
import dev.sluice.platform.db.Db;
import dev.sluice.platform.loop.Chore;
import dev.sluice.platform.loop.Wake;
import dev.sluice.relay.ExpiryListener;
import dev.sluice.relay.compression.DictionaryStore;
import dev.sluice.relay.deadletters.DismissalRoutes;
import dev.sluice.relay.deadletters.DismissalStore;
import dev.sluice.relay.erasure.WorkspaceEraser;
import dev.sluice.relay.ingest.QuotaStore;
import dev.sluice.relay.replay.BulkResendRoutes;
import dev.sluice.relay.replay.DeadLetterResendRoutes;
import dev.sluice.relay.replay.ReplayRoutes;
import dev.sluice.relay.replay.ReplayStore;
import dev.sluice.relay.replay.ReplayWorker;
import dev.sluice.relay.replay.ResendRoutes;
import dev.sluice.relay.retention.RetentionLoop;
import dev.sluice.relay.retention.RetentionNoticeStore;
import dev.sluice.relay.store.ErasureStore;
import dev.sluice.relay.usage.LedgerStore;

import java.time.Duration;
import java.util.List;

/// Builds the features that change stored deliveries: resends and replays, retention, and the
/// erasure of deleted workspaces.
public final class RecoveryAssembly {

    private final Foundation base;
    private final AccountAssembly account;
    private final GatewayAssembly gateway;
    private final RelayAssembly relay;
    private final ExpiryListener expiryListener;
    private final Db db;
    private final ReplayWorker replayWorker;
    private final Wake replays = new Wake();

    /// @param expiryListener is called with deliveries that will expire soon
    public RecoveryAssembly(
            Foundation base,
            AccountAssembly account,
            GatewayAssembly gateway,
            RelayAssembly relay,
            ExpiryListener expiryListener) {
        this.base = base;
        this.account = account;
        this.gateway = gateway;
        this.relay = relay;
        this.expiryListener = expiryListener;
        db = base.pools().relay();
        replayWorker =
                new ReplayWorker(
                        db,
                        gateway.routing(),
                        this::retention,
                        base.ids(),
                        base.clock(),
                        base.settledClock(),
                        relay.backlogWake());
    }

    private Retention retention(WorkspaceId workspace) {
        return account.plans().byNameOrLast(gateway.routing().plan(workspace)).limits().retention();
    }

    public List<Chore> chores() {
        var retentionLoop = retentionLoop();
        return List.of(
                new Chore("retention", Duration.ofSeconds(1), retentionLoop)
                        .startingAfter(Duration.ofSeconds(3))
                        .endingWith(retentionLoop::releaseLease),
                new Chore("replays", Duration.ofMillis(500), replayWorker)
                        .wokenBy(replays)
                        .endingWith(replayWorker::releaseLeases),
                new Chore("erasure", Duration.ofMinutes(1), workspaceEraser()));
    }

    private RetentionLoop retentionLoop() {
        return new RetentionLoop(
                db,
                account.plans(),
                relay.partitions(),
                base.ids(),
                relay.resultListener(),
                expiryListener,
                List.of(DismissalStore::deleteBefore),
                base.settledClock());
    }

    private WorkspaceEraser workspaceEraser() {
        return new WorkspaceEraser(
                db,
                gateway.deletion(),
                List.of(
                        ErasureStore::eraseEvents,
                        (tx, workspace, _) -> DictionaryStore.deleteOf(tx, workspace),
                        (tx, workspace, limit) ->
                                LedgerStore.deleteSums(tx, workspace.usageKeys(), limit),
                        DismissalStore::deleteOf,
                        ReplayStore::deleteOf,
                        (tx, workspace, _) -> QuotaStore.deleteOf(tx, workspace),
                        (tx, workspace, _) -> RetentionNoticeStore.deleteOf(tx, workspace),
                        (tx, workspace, limit) ->
                                AuditLogStore.deleteOf(tx, workspace.id(), limit)),
                base.settledClock());
    }

    public void addTo(Api routes) {
        var api = account.api();
        var plans = account.plans();
        var idempotency = account.idempotency();
        var backlog = relay.backlogWake();
        new ResendRoutes(api, plans, idempotency, backlog).addTo(routes);
        new BulkResendRoutes(api, plans, idempotency, replays, backlog).addTo(routes);
        new DeadLetterResendRoutes(api, plans, idempotency, replays).addTo(routes);
        new DismissalRoutes(api.db(), plans, api.clock()).addTo(routes);
        new ReplayRoutes(api.db(), replays, api.clock()).addTo(routes);
    }
}
