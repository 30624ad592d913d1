package dev.sluice.account.plan;

import dev.sluice.account.workspace.WorkspaceId;
import dev.sluice.platform.db.Tx;
import dev.sluice.platform.http.ApiErrorCode;
import dev.sluice.platform.http.ApiException;

import java.util.OptionalInt;

/// Refuses configuration changes that a workspace's plan does not allow. Existing configuration
/// stays, even if it exceeds the limits.
///
/// Call these methods only after incrementing the configuration version, which makes other changes
/// wait. Otherwise two simultaneous requests could both take the last free slot.
public record PlanCaps(PlanCatalog plans) {

    /// Checks that the plan allows one more source. Sources in the trash do not count.
    ///
    /// @param existing the number of sources that the workspace already has
    /// @throws ApiException 402 if the plan allows no more sources
    public void requireRoomForSource(Tx tx, WorkspaceId workspace, long existing) {
        var plan = plans.ofWorkspace(tx, workspace);
        require(plan, plan.limits().sources(), existing, "sources. Delete one first.");
    }

    /// Checks that the plan allows one more destination.
    ///
    /// @param existing the number of destinations that the workspace already has
    /// @throws ApiException 402 if the plan allows no more destinations
    public void requireRoomForDestination(Tx tx, WorkspaceId workspace, long existing) {
        var plan = plans.ofWorkspace(tx, workspace);
        require(plan, plan.limits().destinations(), existing, "destinations. Delete one first.");
    }

    /// Checks that the plan allows a source to have one more connection.
    ///
    /// @param existing the number of connections that the source already has
    /// @throws ApiException 402 if the plan allows no more connections per source
    public void requireRoomForConnection(Tx tx, WorkspaceId workspace, long existing) {
        var plan = plans.ofWorkspace(tx, workspace);
        require(
                plan,
                OptionalInt.of(plan.limits().connectionsPerSource()),
                existing,
                "connections per source. Delete one first, or use another source.");
    }

    /// @param rest the part of the message after the number
    private static void require(Plan plan, OptionalInt cap, long existing, String rest) {
        if (cap.isPresent() && existing >= cap.getAsInt()) {
            throw new ApiException(
                    ApiErrorCode.PLAN_LIMIT_REACHED,
                    "The " + plan.name() + " plan allows " + cap.getAsInt() + " " + rest);
        }
    }
}
