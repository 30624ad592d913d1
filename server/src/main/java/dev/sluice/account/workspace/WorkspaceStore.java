package dev.sluice.account.workspace;

import dev.sluice.platform.db.Row;
import dev.sluice.platform.db.Tx;

import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/// The SQL that reads and writes workspaces, their members, and the configuration version.
///
/// The version is a single number that puts all configuration changes, in all workspaces, in order.
public final class WorkspaceStore {

    private WorkspaceStore() {}

    /// Increments the configuration version and returns it. The row with the version stays locked
    /// until the transaction ends, so changes commit in the order of their versions.
    public static long nextConfigVersion(Tx tx) {
        return tx.single(
                """
                update config_version
                   set version = version + 1
                returning version
                """,
                row -> row.number("version"));
    }

    /// Returns the version of the newest committed change.
    public static long configVersion(Tx tx) {
        return tx.single("select version from config_version", row -> row.number("version"));
    }

    public static boolean hasNoWorkspace(Tx tx) {
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
                nextConfigVersion(tx));
    }

    /// Locks a workspace until the transaction ends, so that what is counted in it stays true.
    public static void lock(Tx tx, WorkspaceId id) {
        tx.query(
                "select id from workspace where id = ? for no key update",
                row -> row.uuid("id"),
                id.value());
    }

    /// Renames a workspace.
    public static void rename(Tx tx, WorkspaceId id, String name, Instant now) {
        tx.update(
                "update workspace set name = ?, updated_at = ?, version = ? where id = ?",
                name,
                now,
                nextConfigVersion(tx),
                id.value());
    }

    /// Gives the workspace the plan that `changed` has.
    public static void setPlan(Tx tx, Workspace changed, Instant now, long version) {
        tx.update(
                "update workspace set plan = ?, updated_at = ?, version = ? where id = ?",
                changed.plan(),
                now,
                version,
                changed.id().value());
    }

    /// Deletes a workspace: its row stays without its name, until its data is erased.
    public static void delete(Tx tx, WorkspaceId id, Instant now, long version) {
        tx.update(
                """
                update workspace
                   set name = '', deleted_at = ?, updated_at = ?, version = ?
                 where id = ?
                """,
                now,
                now,
                version,
                id.value());
    }

    /// Returns a deleted workspace whose data is still to be erased, and locks it until the
    /// transaction ends. Skips workspaces that another node is erasing.
    ///
    /// @param before when it was deleted at the latest
    public static Optional<WorkspaceId> lockDeleted(Tx tx, Instant before) {
        return tx.findOne(
                """
                select id
                  from workspace
                 where deleted_at <= ? and erased_at is null
                 order by deleted_at
                 limit 1
                   for update skip locked
                """,
                row -> new WorkspaceId(row.uuid("id")),
                before);
    }

    /// Records that nothing of a deleted workspace is left but its row.
    public static void markErased(Tx tx, WorkspaceId id, Instant now) {
        tx.update("update workspace set erased_at = ? where id = ?", now, id.value());
    }

    public static Optional<Workspace> find(Tx tx, WorkspaceId id) {
        return tx.findOne(
                "select id, name, plan from workspace where id = ? and deleted_at is null",
                WorkspaceStore::workspace,
                id.value());
    }

    /// Returns the oldest workspace; none if there is none.
    public static List<Workspace> first(Tx tx) {
        return tx.query(
                """
                select id, name, plan
                  from workspace
                 where deleted_at is null
                 order by created_at, id
                 limit 1
                """,
                WorkspaceStore::workspace);
    }

    /// Returns the workspaces with this name.
    public static List<Workspace> named(Tx tx, String name) {
        return tx.query(
                """
                select id, name, plan
                  from workspace
                 where name = ? and deleted_at is null
                 order by created_at, id
                """,
                WorkspaceStore::workspace,
                name);
    }

    /// Returns the workspaces that changed after `version`.
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
