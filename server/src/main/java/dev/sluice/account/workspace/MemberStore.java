package dev.sluice.account.workspace;

import dev.sluice.platform.db.Tx;

import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/// Stores memberships: which people belong to which workspaces, and their roles.
public final class MemberStore {

    /// A workspace that a person belongs to.
    public record Membership(Workspace workspace, Role role) {}

    /// A person who belongs to a workspace.
    public record Member(UUID account, String email, String name, Role role, Instant since) {}

    private MemberStore() {}

    public static void insert(Tx tx, WorkspaceId workspace, UUID account, Role role, Instant now) {
        tx.update(
                """
                insert into member (workspace_id, account_id, role, created_at)
                values (?, ?, ?, ?)
                """,
                workspace.value(),
                account,
                role.text(),
                now);
    }

    /// Returns the workspaces that a person belongs to, oldest membership first.
    public static List<Membership> memberships(Tx tx, UUID account) {
        return tx.query(
                """
                select workspace.id, workspace.name, plan, suspended_at, suspension_reason, role
                  from member
                  join workspace on workspace.id = workspace_id
                 where account_id = ? and deleted_at is null
                 order by member.created_at, workspace.id
                """,
                row -> new Membership(WorkspaceStore.workspace(row), Role.parse(row.text("role"))),
                account);
    }

    /// Returns a person's membership of a workspace, or empty if the person is not a member.
    public static Optional<Membership> membership(Tx tx, WorkspaceId workspace, UUID account) {
        return tx.findOne(
                """
                select workspace.id, workspace.name, plan, suspended_at, suspension_reason, role
                  from member
                  join workspace on workspace.id = workspace_id
                 where workspace_id = ? and account_id = ? and deleted_at is null
                """,
                row -> new Membership(WorkspaceStore.workspace(row), Role.parse(row.text("role"))),
                workspace.value(),
                account);
    }

    /// Returns the members of a workspace, oldest membership first.
    public static List<Member> members(Tx tx, WorkspaceId workspace) {
        return tx.query(
                """
                select account.id, email, name, role, member.created_at
                  from member
                  join account on account.id = account_id
                 where workspace_id = ?
                 order by member.created_at, account.id
                """,
                row ->
                        new Member(
                                row.uuid("id"),
                                row.text("email"),
                                row.text("name"),
                                Role.parse(row.text("role")),
                                row.instant("created_at")),
                workspace.value());
    }

    /// Returns a person's role in a workspace, or empty if the person is not a member.
    public static Optional<Role> role(Tx tx, WorkspaceId workspace, UUID account) {
        return tx.findOne(
                """
                select role
                  from member
                  join workspace on workspace.id = workspace_id
                 where workspace_id = ? and account_id = ? and deleted_at is null
                """,
                row -> Role.parse(row.text("role")),
                workspace.value(),
                account);
    }

    public static boolean setRole(Tx tx, WorkspaceId workspace, UUID account, Role role) {
        return tx.update(
                        "update member set role = ? where workspace_id = ? and account_id = ?",
                        role.text(),
                        workspace.value(),
                        account)
                > 0;
    }

    public static boolean delete(Tx tx, WorkspaceId workspace, UUID account) {
        return tx.update(
                        "delete from member where workspace_id = ? and account_id = ?",
                        workspace.value(),
                        account)
                > 0;
    }

    /// Removes all members of a workspace.
    public static void deleteAll(Tx tx, WorkspaceId workspace) {
        tx.update("delete from member where workspace_id = ?", workspace.value());
    }

    /// Removes a person from all workspaces.
    public static void deleteAll(Tx tx, UUID account) {
        tx.update("delete from member where account_id = ?", account);
    }

    /// Whether the workspace has an owner other than this person.
    public static boolean hasOtherOwner(Tx tx, WorkspaceId workspace, UUID account) {
        return tx.findOne(
                        """
                        select account_id
                          from member
                         where workspace_id = ?
                           and role = 'owner'
                           and account_id <> ?
                         limit 1
                        """,
                        row -> row.uuid("account_id"),
                        workspace.value(),
                        account)
                .isPresent();
    }
}
