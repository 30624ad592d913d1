package dev.sluice.account.access;

import dev.sluice.account.workspace.Role;
import dev.sluice.account.workspace.WorkspaceId;

import java.util.Optional;
import java.util.UUID;

/// A person's session, as it is loaded for one request.
///
/// @param membership the workspace in which the session acts, with the person's role; empty if the
///   session acts in no workspace, or if the person is no longer a member of it
public record Session(UUID id, UUID account, Optional<SessionMembership> membership) {

    /// @param role the person's role in the workspace at the time of the request
    public record SessionMembership(WorkspaceId workspace, Role role) {}
}
