package dev.sluice.account.workspace;

import dev.sluice.platform.db.Row;
import dev.sluice.platform.db.Tx;

import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/// Stores invites. An address has at most one invite to a workspace; a new invite replaces the
/// earlier one. A stored invite is open until it expires. Accepting it deletes it.
public final class InviteStore {

    private InviteStore() {}

    public static void replace(Tx tx, Invite invite, byte[] tokenHash) {
        tx.update(
                "delete from invite where workspace_id = ? and email = ?",
                invite.workspace().value(),
                invite.email());
        tx.update(
                """
                insert into invite (id, workspace_id, email, role, token_hash, created_by, created_at,
                                    expires_at)
                values (?, ?, ?, ?, ?, ?, ?, ?)
                """,
                invite.id(),
                invite.workspace().value(),
                invite.email(),
                invite.role().text(),
                tokenHash,
                invite.createdBy(),
                invite.createdAt(),
                invite.expiresAt());
    }

    /// Returns how many people a workspace has, counting its members and its open invites.
    public static long countWithMembers(Tx tx, WorkspaceId workspace, Instant now) {
        return tx.single(
                """
                select (select count(*) from member where workspace_id = ?)
                       + (select count(*) from invite where workspace_id = ? and expires_at > ?) as n
                """,
                row -> row.number("n"),
                workspace.value(),
                workspace.value(),
                now);
    }

    /// Returns the open invites to a workspace, newest first.
    public static List<Invite> list(Tx tx, WorkspaceId workspace, Instant now) {
        return tx.query(
                """
                select id, workspace_id, email, role, created_by, created_at, expires_at
                  from invite
                 where workspace_id = ?
                   and expires_at > ?
                 order by created_at desc, id
                """,
                InviteStore::invite,
                workspace.value(),
                now);
    }

    /// Returns the open invite with this token, or empty if there is none.
    public static Optional<Invite> find(Tx tx, byte[] tokenHash, Instant now) {
        return tx.findOne(
                """
                select id, workspace_id, email, role, created_by, created_at, expires_at
                  from invite
                 where token_hash = ?
                   and expires_at > ?
                """,
                InviteStore::invite,
                tokenHash,
                now);
    }

    /// Deletes and returns the open invite with this token, so that it works only once. Locks the
    /// invite's workspace until the transaction ends, so that the inviter's role cannot change
    /// before then. The workspace is locked before the invite, as changes of roles do it, which
    /// delete invites.
    public static Optional<Invite> take(Tx tx, byte[] tokenHash, Instant now) {
        find(tx, tokenHash, now).ifPresent(invite -> WorkspaceStore.lock(tx, invite.workspace()));
        return tx.findOne(
                """
                delete from invite
                 where token_hash = ?
                   and expires_at > ?
                returning id, workspace_id, email, role, created_by, created_at, expires_at
                """,
                InviteStore::invite,
                tokenHash,
                now);
    }

    /// Deletes the invites that have expired by `now`.
    public static void deleteExpired(Tx tx, Instant now) {
        tx.update("delete from invite where expires_at <= ?", now);
    }

    /// Deletes an invite and returns the e-mail address it was for, or empty if there is no such
    /// invite.
    public static Optional<String> delete(Tx tx, WorkspaceId workspace, UUID id) {
        return tx.findOne(
                "delete from invite where workspace_id = ? and id = ? returning email",
                row -> row.text("email"),
                workspace.value(),
                id);
    }

    /// Deletes the invites that a person created for a workspace.
    public static void deleteBy(Tx tx, WorkspaceId workspace, UUID createdBy) {
        tx.update(
                "delete from invite where workspace_id = ? and created_by = ?",
                workspace.value(),
                createdBy);
    }

    /// Deletes the invites that a person created for a workspace, and may not give with the role
    /// `role`.
    public static void deleteExceeding(Tx tx, WorkspaceId workspace, UUID createdBy, Role role) {
        for (var given : Role.values()) {
            if (!role.mayInvite(given)) {
                tx.update(
                        "delete from invite where workspace_id = ? and created_by = ? and role = ?",
                        workspace.value(),
                        createdBy,
                        given.text());
            }
        }
    }

    /// Deletes all invites to a workspace.
    public static void deleteAll(Tx tx, WorkspaceId workspace) {
        tx.update("delete from invite where workspace_id = ?", workspace.value());
    }

    /// Deletes the invites that a person created, in all workspaces.
    public static void deleteAllBy(Tx tx, UUID createdBy) {
        tx.update("delete from invite where created_by = ?", createdBy);
    }

    private static Invite invite(Row row) throws SQLException {
        return new Invite(
                row.uuid("id"),
                new WorkspaceId(row.uuid("workspace_id")),
                row.text("email"),
                Role.parse(row.text("role")),
                row.uuid("created_by"),
                row.instant("created_at"),
                row.instant("expires_at"));
    }
}
