package dev.sluice.features.assembly;

import dev.sluice.account.access.Api;
import dev.sluice.account.assembly.AccountAssembly;
import dev.sluice.account.changes.AuditLogStore;
import dev.sluice.account.plan.Retention;
import dev.sluice.account.workspace.WorkspaceId;
import dev.sluice.engine.ExpiryListener;
import dev.sluice.engine.accept.QuotaStore;
import dev.sluice.engine.assembly.EngineAssembly;
import dev.sluice.engine.commit.ErasureStore;
import dev.sluice.engine.ledger.LedgerStore;
import dev.sluice.features.erasure.WorkspaceEraser;
import dev.sluice.features.recovery.BulkResendRoutes;
import dev.sluice.features.recovery.DeadLetterResendRoutes;
import dev.sluice.features.recovery.DismissalRoutes;
import dev.sluice.features.recovery.DismissalStore;
import dev.sluice.features.recovery.ReplayRoutes;
import dev.sluice.features.recovery.ReplayStore;
import dev.sluice.features.recovery.ReplayWorker;
import dev.sluice.features.recovery.ResendRoutes;
import dev.sluice.features.retention.RetentionLoop;
import dev.sluice.features.retention.RetentionNoticeStore;
import dev.sluice.gateway.assembly.GatewayAssembly;
import dev.sluice.platform.assembly.Foundation;
import dev.sluice.platform.db.Db;
import dev.sluice.platform.loop.Chore;
import dev.sluice.platform.loop.Wake;

import java.time.Duration;
import java.util.List;

/// Builds the features that change stored deliveries: resends and replays, retention, and the
/// erasure of deleted workspaces.
public final class RecoveryAssembly {

    private final Foundation base;
    private final AccountAssembly account;
    private final GatewayAssembly gateway;
    private final EngineAssembly engine;
    private final ExpiryListener expiryListener;
    private final Db db;
    private final ReplayWorker replayWorker;
    private final Wake replays = new Wake();

    /// @param expiryListener is called with deliveries that will expire soon
    public RecoveryAssembly(
            Foundation base,
            AccountAssembly account,
            GatewayAssembly gateway,
            EngineAssembly engine,
            ExpiryListener expiryListener) {
        this.base = base;
        this.account = account;
        this.gateway = gateway;
        this.engine = engine;
        this.expiryListener = expiryListener;
        db = base.pools().relay();
        replayWorker =
                new ReplayWorker(
                        db,
                        gateway.routing(),
                        this::retention,
                        base.ids(),
                        new ReplayWorker.WorkerClocks(
                                base.clock(), base.settledClock(), System::nanoTime),
                        engine.backlogWake());
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
                engine.partitions(),
                base.ids(),
                engine.resultListener(),
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
        var backlog = engine.backlogWake();
        new ResendRoutes(api, plans, idempotency, backlog).addTo(routes);
        new BulkResendRoutes(api, plans, idempotency, replays, backlog).addTo(routes);
        new DeadLetterResendRoutes(api, plans, idempotency, replays).addTo(routes);
        new DismissalRoutes(api.db(), plans, api.clock()).addTo(routes);
        new ReplayRoutes(api.db(), replays, api.clock()).addTo(routes);
    }
}
