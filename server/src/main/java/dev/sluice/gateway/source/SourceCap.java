package dev.sluice.gateway.source;

import dev.sluice.account.plan.PlanCatalog;
import dev.sluice.account.workspace.WorkspaceId;
import dev.sluice.platform.db.Tx;
import dev.sluice.platform.http.ApiException;
import dev.sluice.platform.http.ErrorStatus;

/// How many sources a workspace's plan allows; those in the trash do not count.
record SourceCap(PlanCatalog plans) {

    /// Call after the configuration's next version was taken, so that two at once cannot both find
    /// the last place.
    ///
    /// @param others how many sources the workspace has already
    /// @throws ApiException 402 when there is no room for one more
    void refuseOver(Tx tx, WorkspaceId workspace, long others) {
        var plan = plans.of(tx, workspace);
        var cap = plan.limits().sources();
        if (cap.isPresent() && others >= cap.getAsInt()) {
            throw new ApiException(
                    ErrorStatus.PLAN_LIMIT_REACHED,
                    "The plan "
                            + plan.name()
                            + " has room for "
                            + cap.getAsInt()
                            + " sources. Delete one first.");
        }
    }
}
