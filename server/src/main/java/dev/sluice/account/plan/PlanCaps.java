package dev.sluice.account.plan;

import dev.sluice.account.workspace.WorkspaceId;
import dev.sluice.platform.db.Tx;
import dev.sluice.platform.http.ApiErrorCode;
import dev.sluice.platform.http.ApiException;

import java.time.Duration;
import java.util.OptionalInt;

/// Refuses configuration changes that a workspace's plan does not allow. Existing configuration
/// stays, even if it exceeds the limits.
///
/// Call these methods only after incrementing the configuration version, which makes other changes
/// wait. Otherwise two simultaneous requests could both take the last free slot.
public record PlanCaps(PlanCatalog plans) {

    private static final Duration DELETED_RETRY = Duration.ofHours(1);

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

    /// Checks that the plan allows the bytes that a workspace's configuration has after a change.
    /// Call this in the transaction that made the change. Configuration above the limit may still
    /// be made smaller.
    ///
    /// @param before the use before the change
    /// @return the use after the change
    /// @throws ApiException 402 if the configuration has become larger and exceeds the plan's
    ///   limit; 429 if it has become larger and too much deleted configuration is still kept
    public ConfigurationUse requireRoomForBytes(
            Tx tx, WorkspaceId workspace, ConfigurationUse before) {
        var after = ConfigurationUse.of(tx, workspace);
        if (after.bytes() > before.bytes()) {
            requireRoomForBytes(plans.ofWorkspace(tx, workspace), before, after);
        }
        return after;
    }

    private static void requireRoomForBytes(
            Plan plan, ConfigurationUse before, ConfigurationUse after) {
        var cap = plan.limits().configurationBytes();
        if (cap.isPresent() && after.bytes() > cap.getAsLong()) {
            throw new ApiException(
                    ApiErrorCode.PLAN_LIMIT_REACHED,
                    "The "
                            + plan.name()
                            + " plan allows "
                            + cap.getAsLong()
                            + " bytes of configuration (configuration_bytes). "
                            + before.bytes()
                            + " are used, and this change would make it "
                            + after.bytes()
                            + ". Delete or shorten something first; sources in the trash count"
                            + " until they are purged.");
        }
        if (after.deletedBytes() > ConfigurationUse.MAX_DELETED_BYTES) {
            throw ApiException.tooMany(
                    "Too much deleted configuration is still kept: "
                            + after.deletedBytes()
                            + " bytes, and a workspace may add to its configuration only while"
                            + " there are at most "
                            + ConfigurationUse.MAX_DELETED_BYTES
                            + ". What was deleted is removed after a day, once no event refers to"
                            + " it.",
                    DELETED_RETRY);
        }
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
