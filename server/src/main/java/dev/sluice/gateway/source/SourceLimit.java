package dev.sluice.gateway.source;

import dev.sluice.account.plan.PlanCatalog;
import dev.sluice.account.workspace.WorkspaceId;
import dev.sluice.platform.db.Tx;
import dev.sluice.platform.http.ApiErrorCode;
import dev.sluice.platform.http.ApiException;

/// Enforces the maximum number of sources that a workspace's plan allows. Sources in the trash do
/// not count.
record SourceLimit(PlanCatalog plans) {

    /// Checks that the plan allows one more source.
    ///
    /// Call this only after incrementing the configuration version, which locks out other changes.
    /// Otherwise two simultaneous requests could both use the last available source.
    ///
    /// @param existing the number of sources that the workspace already has
    /// @throws ApiException 402 if the plan allows no more sources
    void requireRoom(Tx tx, WorkspaceId workspace, long existing) {
        var plan = plans.ofWorkspace(tx, workspace);
        var cap = plan.limits().sources();
        if (cap.isPresent() && existing >= cap.getAsInt()) {
            throw new ApiException(
                    ApiErrorCode.PLAN_LIMIT_REACHED,
                    "The "
                            + plan.name()
                            + " plan allows "
                            + cap.getAsInt()
                            + " sources. Delete one first.");
        }
    }
}
