package dev.sluice.observe;

import dev.sluice.account.plan.PlanCatalog;
import dev.sluice.account.plan.Retention;
import dev.sluice.account.workspace.WorkspaceId;
import dev.sluice.account.workspace.WorkspaceStore;
import dev.sluice.platform.db.Tx;

/// How long a workspace's events are shown.
public final class PlannedRetention {

    private PlannedRetention() {}

    /// What its plan says now.
    public static Retention of(Tx tx, PlanCatalog plans, WorkspaceId id) {
        var workspace = WorkspaceStore.find(tx, id).orElseThrow();
        return plans.named(workspace.plan()).limits().retention();
    }
}
