package dev.sluice.account.plan;

/// Who changes the plan of a workspace.
public enum PlanChangePolicy {
    /// The workspace's owner, through the API.
    OWNER,
    /// Only the operator of the server, with `sluice set-plan`.
    OPERATOR
}
