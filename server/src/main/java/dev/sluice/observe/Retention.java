package dev.sluice.observe;

import dev.sluice.account.plan.PlanCatalog;
import dev.sluice.account.workspace.WorkspaceId;
import dev.sluice.account.workspace.WorkspaceStore;
import dev.sluice.platform.db.Tx;

import java.time.Duration;

/// How long a workspace's events are shown.
public final class Retention {

    private Retention() {}

    /// What its plan says now.
    public static Duration of(Tx tx, PlanCatalog plans, WorkspaceId id) {
        var workspace = WorkspaceStore.find(tx, id).orElseThrow();
        return plans.named(workspace.plan()).limits().retention();
    }
}
