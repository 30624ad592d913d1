package dev.sluice.account.members;

import dev.sluice.account.access.AccountStore;
import dev.sluice.account.workspace.MemberStore;
import dev.sluice.account.workspace.Role;
import dev.sluice.platform.db.Tx;
import dev.sluice.platform.http.ApiErrorCode;
import dev.sluice.platform.http.ApiException;

import java.util.UUID;

/// The limit on how many workspaces a person owns. Without it, a person would get another quota and
/// another share of the server with each further workspace.
final class OwnedWorkspaces {

    private static final int MAX_OWNED_WORKSPACES = 200;

    private OwnedWorkspaces() {}

    /// Throws 409 if the person already owns the maximum number of workspaces. Locks the account
    /// until the transaction ends. A transaction that locks workspaces, too, locks them first.
    ///
    /// @param remedy what to do about it, in one sentence
    static void requireRoom(Tx tx, UUID account, String remedy) {
        AccountStore.lock(tx, account);
        long owned =
                MemberStore.memberships(tx, account).stream()
                        .filter(membership -> membership.role() == Role.OWNER)
                        .count();
        if (owned >= MAX_OWNED_WORKSPACES) {
            throw new ApiException(
                    ApiErrorCode.CONFLICT,
                    "A person owns at most " + MAX_OWNED_WORKSPACES + " workspaces. " + remedy);
        }
    }
}
