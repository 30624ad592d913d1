package dev.sluice.account.plan;

/// A policy that says who may change a workspace's plan.
public enum PlanChangePolicy {
    /// An owner of the workspace, through the API.
    OWNER,
    /// Only the server's operator, with `sluice set-plan`.
    OPERATOR
}
