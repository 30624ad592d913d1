package dev.sluice.account.changes;

import dev.sluice.account.workspace.WorkspaceId;
import dev.sluice.platform.db.Tx;
import dev.sluice.platform.id.Uuid7;

import java.time.Instant;
import java.util.UUID;

/// Stores the audit log: inserts entries, and deletes old entries and those of deleted workspaces.
public final class AuditLogStore {

    private AuditLogStore() {}

    /// Inserts an entry. If the actor is an API key, copies the key's name into the entry, because
    /// the key may be deleted later.
    static void insert(
            Tx tx,
            UUID id,
            WorkspaceId workspace,
            AuditActor actor,
            String address,
            AuditedChange change) {
        tx.update(
                """
                insert into audit_log (id, workspace_id, actor_kind, actor_id, actor_name, address,
                                       action, target_id, target_name, fields)
                values (?, ?, ?, ?, coalesce((select name from api_key where id = ?), ''), ?,
                        ?, ?, ?, ?)
                """,
                id,
                workspace.value(),
                actor.kind().text(),
                actor.id().orElse(null),
                actor.id().orElse(null),
                address,
                change.action(),
                change.target(),
                change.name(),
                change.fields());
    }

    /// Deletes a workspace's oldest entries, so that `max` are left.
    static void trim(Tx tx, WorkspaceId workspace, int max) {
        tx.update(
                """
                delete from audit_log
                 where workspace_id = ? and id <= (
                       select id
                         from audit_log
                        where workspace_id = ?
                        order by id desc
                       offset ? limit 1)
                """,
                workspace.value(),
                workspace.value(),
                max);
    }

    /// Deletes up to `limit` entries that were made before `before`, oldest first. Returns the
    /// number of deleted entries.
    static int deleteBefore(Tx tx, Instant before, int limit) {
        return tx.update(
                """
                delete from audit_log
                 where id in (select id from audit_log where id < ? order by id limit ?)
                """,
                Uuid7.floor(before),
                limit);
    }

    /// Deletes up to `limit` of a workspace's entries. Returns the number of deleted entries.
    public static int deleteOf(Tx tx, WorkspaceId workspace, int limit) {
        return tx.update(
                """
                delete from audit_log
                 where id in (select id from audit_log where workspace_id = ? order by id limit ?)
                """,
                workspace.value(),
                limit);
    }
}
