package dev.sluice.account.access;

/// What the requests of the management API use up and all workspaces of a node share.
///
/// [Api] takes, for each route, the budgets that its requests may spend. A request is refused with
/// 402, 429 or 503 before anything is done for it if there is no room in one of them, and nobody
/// can spend so much of one that others have none: each belongs to a room that shares it.
public enum Budget {

    /// Requests a minute: of a workspace's plan for keys, of the account and the workspace for
    /// sessions. Whoever is identified has spent one, so each route with a [Gate] has this budget,
    /// and no route names it.
    REQUESTS,

    /// Database connections, beyond those that identify the caller.
    DATABASE,

    /// The threads for work that takes much CPU time, and the places for requests that wait for
    /// one: [dev.sluice.platform.share.ComputePool]. Nothing else may compute for more than a few
    /// milliseconds.
    COMPUTE
}
