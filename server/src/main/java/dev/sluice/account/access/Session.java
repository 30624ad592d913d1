package dev.sluice.account.access;

import dev.sluice.account.workspace.Role;
import dev.sluice.account.workspace.Suspension;
import dev.sluice.account.workspace.WorkspaceId;

import java.util.Optional;
import java.util.UUID;

/// A person's session, as loaded for one request.
///
/// @param membership the workspace that the request names or else the session's current one, with
///   the person's role in it; empty if there is no such workspace, or if the person is not a member
///   of it
public record Session(UUID id, UUID account, Optional<SessionMembership> membership) {

    /// @param role the person's role in the workspace at the time of the request
    /// @param suspension the workspace's suspension at that time; empty if it is not suspended
    public record SessionMembership(
            WorkspaceId workspace, Role role, Optional<Suspension> suspension) {}
}
