package dev.sluice.account.workspace;

import dev.sluice.platform.db.Row;
import dev.sluice.platform.db.Tx;
import dev.sluice.platform.http.EntityTag;

import java.sql.SQLException;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Optional;

/// Stores workspaces and the configuration version.
///
/// The configuration version is a single number that orders all configuration changes, in all
/// workspaces.
public final class WorkspaceStore {

    private static final String COLUMNS =
            "select id, name, plan, suspended_at, suspension_reason from workspace";

    private WorkspaceStore() {}

    /// Increments the configuration version and returns it. The version's row stays locked until
    /// the transaction ends, so changes commit in the order of their versions.
    public static long nextConfigVersion(Tx tx) {
        return tx.single(
                """
                update config_version
                   set version = version + 1
                returning version
                """,
                row -> row.number("version"));
    }

    /// Returns the version of the newest committed configuration change.
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

    /// Locks a workspace until the transaction ends, so that simultaneous requests cannot together
    /// exceed one of the workspace's limits or leave it without an owner.
    public static void lock(Tx tx, WorkspaceId id) {
        tx.query(
                "select id from workspace where id = ? for no key update",
                row -> row.uuid("id"),
                id.value());
    }

    /// Renames a workspace. Each change gets a later time than the previous change, even if the
    /// clock has not advanced, because entity tags are derived from that time.
    public static void rename(Tx tx, WorkspaceId id, String name, Instant now, long version) {
        tx.update(
                """
                update workspace
                   set name = ?,
                       updated_at = greatest(?, updated_at + interval '1 microsecond'),
                       version = ?
                 where id = ?
                """,
                name,
                now,
                version,
                id.value());
    }

    /// Sets the workspace's plan to `changed.plan()`. The time of the change is chosen in the same
    /// way as in [#rename].
    public static void setPlan(Tx tx, Workspace changed, Instant now, long version) {
        tx.update(
                """
                update workspace
                   set plan = ?,
                       updated_at = greatest(?, updated_at + interval '1 microsecond'),
                       version = ?
                 where id = ?
                """,
                changed.plan(),
                now,
                version,
                changed.id().value());
    }

    /// Suspends a workspace, or lifts its suspension if `suspension` is empty. The time of the
    /// change is chosen in the same way as in [#rename].
    public static void setSuspension(
            Tx tx, WorkspaceId id, Optional<Suspension> suspension, Instant now, long version) {
        tx.update(
                """
                update workspace
                   set suspended_at = ?,
                       suspension_reason = ?,
                       updated_at = greatest(?, updated_at + interval '1 microsecond'),
                       version = ?
                 where id = ?
                """,
                suspension.map(Suspension::since).orElse(null),
                suspension.map(Suspension::reason).orElse(""),
                now,
                version,
                id.value());
    }

    /// Returns how many workspaces are suspended.
    public static long countSuspended(Tx tx) {
        return tx.single(
                """
                select count(*) as n
                  from workspace
                 where suspended_at is not null and deleted_at is null
                """,
                row -> row.number("n"));
    }

    /// Marks a workspace as deleted and erases its name and the reason of a suspension. The row
    /// stays in the table.
    public static void delete(Tx tx, WorkspaceId id, Instant now, long version) {
        tx.update(
                """
                update workspace
                   set name = '', suspension_reason = '',
                       deleted_at = ?, updated_at = ?, version = ?
                 where id = ?
                """,
                now,
                now,
                version,
                id.value());
    }

    /// Returns up to 100 deleted workspaces whose data has not been erased yet, earliest deletion
    /// first.
    ///
    /// @param before the latest deletion time; workspaces deleted after this time are not returned
    /// @param except workspaces to leave out
    public static List<WorkspaceId> deletedBefore(
            Tx tx, Instant before, Collection<WorkspaceId> except) {
        return tx.query(
                """
                select id
                  from workspace
                 where deleted_at <= ? and erased_at is null and id <> all (?)
                 order by deleted_at
                 limit 100
                """,
                row -> new WorkspaceId(row.uuid("id")),
                before,
                except.stream().map(WorkspaceId::value).toList());
    }

    /// Locks a deleted workspace until the transaction ends. Returns false if another transaction
    /// has locked it, if it is not deleted, or if its data has been erased.
    public static boolean lockDeleted(Tx tx, WorkspaceId id) {
        return tx.findOne(
                        """
                        select id
                          from workspace
                         where id = ? and deleted_at is not null and erased_at is null
                           for update skip locked
                        """,
                        row -> row.uuid("id"),
                        id.value())
                .isPresent();
    }

    /// Records that all of a deleted workspace's data, except its row in this table, has been
    /// erased.
    public static void markErased(Tx tx, WorkspaceId id, Instant now) {
        tx.update("update workspace set erased_at = ? where id = ?", now, id.value());
    }

    public static Optional<Workspace> find(Tx tx, WorkspaceId id) {
        return tx.findOne(
                COLUMNS + " where id = ? and deleted_at is null",
                WorkspaceStore::workspace,
                id.value());
    }

    /// Returns a workspace's entity tag, which is derived from the time of the last change. Returns
    /// empty if the workspace is unknown or deleted.
    public static Optional<EntityTag> tag(Tx tx, WorkspaceId id) {
        return tx.findOne(
                "select updated_at from workspace where id = ? and deleted_at is null",
                row -> EntityTag.of(row.instant("updated_at")),
                id.value());
    }

    /// Returns a list that contains only the oldest workspace that is not deleted, or an empty list
    /// if there is none.
    public static List<Workspace> first(Tx tx) {
        return tx.query(
                COLUMNS + " where deleted_at is null order by created_at, id limit 1",
                WorkspaceStore::workspace);
    }

    /// Returns the workspaces with this name that are not deleted, oldest first.
    public static List<Workspace> named(Tx tx, String name) {
        return tx.query(
                COLUMNS + " where name = ? and deleted_at is null order by created_at, id",
                WorkspaceStore::workspace,
                name);
    }

    /// Returns the workspaces that have changed since configuration version `version`. A deleted
    /// workspace is included until its data has been erased.
    public static List<Workspace> changedAfter(Tx tx, long version) {
        return tx.query(
                COLUMNS + " where version > ? and erased_at is null",
                WorkspaceStore::workspace,
                version);
    }

    /// Returns the workspace in the columns of [#COLUMNS].
    static Workspace workspace(Row row) throws SQLException {
        return new Workspace(
                new WorkspaceId(row.uuid("id")),
                row.text("name"),
                row.text("plan"),
                Suspension.read(row));
    }
}
