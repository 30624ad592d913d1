package dev.sluice.account.access;

import dev.sluice.account.changes.AuditTrail;
import dev.sluice.account.workspace.Role;
import dev.sluice.account.workspace.WorkspaceId;
import dev.sluice.platform.db.Tx;
import dev.sluice.platform.http.ApiErrorCode;
import dev.sluice.platform.http.ApiException;

import java.util.Optional;
import java.util.Set;
import java.util.UUID;

/// The authenticated caller of an API request, and the workspace that the request is for.
///
/// @param trail records the caller's changes in the audit log
public record Caller(WorkspaceId workspace, Identity identity, AuditTrail trail) {

    /// How the caller was authenticated.
    public sealed interface Identity {

        /// @param key the id of the API key
        /// @param createdBy the account of the person who created the key; empty if the account no
        ///   longer exists, or if the operator created the key
        record KeyIdentity(UUID key, Optional<UUID> createdBy) implements Identity {}

        /// @param role the person's role in the workspace, read for this request
        record SessionIdentity(UUID account, UUID session, Role role) implements Identity {}
    }

    /// Returns the account of the signed-in person, or of the person who created the API key. Empty
    /// if the key has no creator.
    public Optional<UUID> account() {
        return switch (identity) {
            case Identity.KeyIdentity key -> key.createdBy();
            case Identity.SessionIdentity session -> Optional.of(session.account());
        };
    }

    /// Records a change by the caller in the workspace's audit log.
    ///
    /// @param action what was done, such as `source.updated`
    /// @param name the name of what was changed; empty if it has none
    /// @param fields the names of the fields that the request set
    public void record(Tx tx, String action, UUID target, String name, Set<String> fields) {
        trail.record(tx, workspace, action, target, name, fields);
    }

    /// Requires the caller to be signed in and to have at least this role. Returns the caller's
    /// session.
    ///
    /// @throws ApiException 403 if the caller uses an API key or has a lower role
    public Identity.SessionIdentity requireRole(Role required) {
        var session = requireSession();
        CurrentRole.require(session.role(), required);
        return session;
    }

    /// Checks the caller's role again, in the transaction that makes the change. Locks the
    /// workspace until the transaction ends, so that the role cannot change before then.
    ///
    /// @throws ApiException 403 if the caller is no longer a member, if the caller's role no longer
    ///   includes `required`, or if the caller uses an API key
    void lockRole(Tx tx, Role required) {
        var role =
                CurrentRole.lock(tx, workspace, requireSession().account())
                        .orElseThrow(Authenticator::notMember);
        CurrentRole.require(role, required);
    }

    /// Requires the caller to be signed in, and returns the caller's session.
    ///
    /// @throws ApiException 403 if the caller uses an API key
    public Identity.SessionIdentity requireSession() {
        return switch (identity) {
            case Identity.SessionIdentity session -> session;
            case Identity.KeyIdentity _ ->
                    throw new ApiException(
                            ApiErrorCode.FORBIDDEN,
                            "An API key may not do this. Sign in to the dashboard instead.");
        };
    }
}
