package dev.sluice.account.access;

import dev.sluice.account.workspace.Role;
import dev.sluice.account.workspace.WorkspaceId;

import java.util.Optional;
import java.util.UUID;

/// A person's session, as found for one request.
///
/// @param membership the workspace that the session acts in, with the person's role; empty if the
///   person is no longer a member of it
public record Session(UUID id, UUID account, Optional<SessionMembership> membership) {

    /// @param role the person's present role in the workspace
    public record SessionMembership(WorkspaceId workspace, Role role) {}
}
