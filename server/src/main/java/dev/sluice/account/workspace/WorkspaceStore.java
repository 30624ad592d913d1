package dev.sluice.account.workspace;

import dev.sluice.platform.db.Row;
import dev.sluice.platform.db.Tx;

import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/// Writes workspaces, the people in them, and the number that orders all configuration changes.
public final class WorkspaceStore {

    private WorkspaceStore() {}

    /// The next number of the configuration. Changes are committed in the order of their numbers:
    /// who has taken one holds back the others until its transaction ends.
    public static long nextVersion(Tx tx) {
        return tx.single(
                """
                update config_version
                   set version = version + 1
                returning version
                """,
                row -> row.number("version"));
    }

    public static boolean isEmpty(Tx tx) {
        return tx.query("select id from workspace limit 1", row -> row.uuid("id")).isEmpty();
    }

    public static void create(Tx tx, Workspace workspace, Instant now) {
        tx.update(
                """
                insert into workspace (id, name, plan, created_at, updated_at, version)
                values (?, ?, ?, ?, ?, ?)
                """,
                workspace.id().value(),
                workspace.name(),
                workspace.plan(),
                now,
                now,
                nextVersion(tx));
    }

    public static void addOwner(Tx tx, WorkspaceId workspace, UUID account, Instant now) {
        tx.update(
                """
                insert into member (workspace_id, account_id, role, created_at)
                values (?, ?, 'owner', ?)
                """,
                workspace.value(),
                account,
                now);
    }

    public static Optional<Workspace> find(Tx tx, WorkspaceId id) {
        return tx.one(
                "select id, name, plan from workspace where id = ?",
                WorkspaceStore::workspace,
                id.value());
    }

    /// Those changed after `version`.
    public static List<Workspace> changedAfter(Tx tx, long version) {
        return tx.query(
                "select id, name, plan from workspace where version > ?",
                WorkspaceStore::workspace,
                version);
    }

    private static Workspace workspace(Row row) throws SQLException {
        return new Workspace(new WorkspaceId(row.uuid("id")), row.text("name"), row.text("plan"));
    }
}
