package dev.sluice.account.plan;

import dev.sluice.account.changes.AuditTrail;
import dev.sluice.account.workspace.Workspace;
import dev.sluice.account.workspace.WorkspaceId;
import dev.sluice.account.workspace.WorkspaceStore;
import dev.sluice.platform.db.Tx;

import java.time.Instant;
import java.util.Optional;
import java.util.Set;

/// The result of changing a workspace's plan.
public sealed interface PlanChange {

    /// The workspace now has the new plan.
    record Changed(Workspace workspace) implements PlanChange {}

    /// Nothing was changed: the new plan keeps events for a shorter time than the current plan, and
    /// the request did not confirm this.
    ///
    /// @param retention how long the new plan keeps events
    /// @param events the number of stored events that would expire immediately; approximate,
    ///   because events are counted by the hour
    record Unconfirmed(Retention retention, long events) implements PlanChange {

        /// Returns a sentence that says what would be lost.
        public String message() {
            return "The plan keeps events for "
                    + retention.days().orElse(0)
                    + " days, which is shorter than now. About "
                    + events
                    + " stored events would expire at once.";
        }
    }

    /// Records the change in the workspace's audit log, unless nothing was changed.
    default void recordTo(Tx tx, AuditTrail trail) {
        if (this instanceof Changed(var workspace)) {
            trail.record(
                    tx,
                    workspace.id(),
                    "workspace.plan_changed",
                    workspace.id().value(),
                    workspace.name(),
                    Set.of("plan"));
        }
    }

    /// Changes a workspace's plan. All nodes enforce the new limits within about two seconds of the
    /// commit, and within half a second while they are busy.
    ///
    /// Sources, destinations and connections that exceed the new limits stay; only new ones are
    /// refused.
    ///
    /// @param isConfirmed whether the request accepts that events expire because of the change
    /// @param version obtained from [WorkspaceStore#nextConfigVersion] in the same transaction
    /// @return empty if there is no such workspace
    static Optional<PlanChange> apply(
            Tx tx,
            PlanCatalog plans,
            WorkspaceId workspace,
            Plan next,
            boolean isConfirmed,
            Instant now,
            long version) {
        return WorkspaceStore.find(tx, workspace)
                .map(before -> {
                    var kept = plans.byNameOrLast(before.plan()).limits().retention();
                    var retention = next.limits().retention();
                    if (retention.isShorterThan(kept) && !isConfirmed) {
                        return new Unconfirmed(
                                retention,
                                StoredEventQueries.count(
                                        tx,
                                        workspace,
                                        kept.expiryCutoff(now),
                                        retention.expiryCutoff(now)));
                    }
                    var after =
                            new Workspace(
                                    workspace, before.name(), next.name(), before.suspension());
                    WorkspaceStore.setPlan(tx, after, now, version);
                    return new Changed(after);
                });
    }
}
