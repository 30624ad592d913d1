package dev.sluice.account.access;

import dev.sluice.account.workspace.Invite;
import dev.sluice.account.workspace.MemberStore;
import dev.sluice.account.workspace.Role;
import dev.sluice.account.workspace.WorkspaceId;
import dev.sluice.account.workspace.WorkspaceStore;
import dev.sluice.platform.db.Tx;
import dev.sluice.platform.http.ApiErrorCode;
import dev.sluice.platform.http.ApiException;

import java.util.Optional;
import java.util.UUID;

/// Rechecks a person's role in a workspace, in the transaction that makes a change.
///
/// A request reads the role when it begins. Before its transaction runs, someone may remove the
/// person or lower their role. Without the second check, an invite or a key that the request
/// creates would outlive the removal.
public final class CurrentRole {

    private CurrentRole() {}

    /// Locks the workspace until the transaction ends. Returns the role that the person has now, or
    /// empty if the person is no longer a member. A transaction that also calls
    /// `WorkspaceStore.nextConfigVersion` must call it before this method.
    public static Optional<Role> lock(Tx tx, WorkspaceId workspace, UUID account) {
        WorkspaceStore.lock(tx, workspace);
        return MemberStore.role(tx, workspace, account);
    }

    /// Checks that the person who created the invite may still give its role. Without this check,
    /// an admin could invite a second address of their own before being demoted, and be an admin
    /// again.
    ///
    /// @throws ApiException 403 if the person may no longer give it, or is no longer a member
    public static void requireInviter(Tx tx, Invite invite) {
        if (MemberStore.role(tx, invite.workspace(), invite.createdBy())
                .filter(role -> role.mayInvite(invite.role()))
                .isEmpty()) {
            throw new ApiException(
                    ApiErrorCode.FORBIDDEN,
                    "The person who sent this invite may no longer invite anyone with its role. Ask"
                            + " an admin of the workspace for a new invite.");
        }
    }

    /// @throws ApiException 403 if `role` does not include `required`
    public static void require(Role role, Role required) {
        if (!role.includes(required)) {
            throw new ApiException(
                    ApiErrorCode.FORBIDDEN,
                    "This needs the role "
                            + required.text()
                            + "; your role in this workspace is "
                            + role.text()
                            + ".");
        }
    }
}
