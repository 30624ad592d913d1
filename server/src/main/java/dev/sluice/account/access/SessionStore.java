package dev.sluice.account.access;

import dev.sluice.account.workspace.InviteStore;
import dev.sluice.account.workspace.MemberStore;
import dev.sluice.account.workspace.Role;
import dev.sluice.account.workspace.Suspension;
import dev.sluice.account.workspace.WorkspaceId;
import dev.sluice.platform.db.Row;
import dev.sluice.platform.db.Tx;

import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/// Stores sessions: opens them, finds them by the hash of their token, and ends them.
public final class SessionStore {

    /// How long a session lasts after the last request that extended it (a product decision).
    public static final Duration LIFETIME = Duration.ofDays(30);

    /// The maximum number of sessions of an account.
    public static final int MAX_SESSIONS = 100;

    /// A request updates `last_seen_at` and extends the session only if the stored time is at least
    /// this old, so most requests write nothing.
    private static final Duration LAST_SEEN_UPDATE_INTERVAL = Duration.ofMinutes(1);

    /// A session to be opened.
    ///
    /// @param address the client's address at sign-in
    /// @param userAgent the first part of the client's `User-Agent` header; may be empty
    public record NewSession(
            UUID id,
            UUID account,
            Optional<WorkspaceId> workspace,
            String address,
            String userAgent) {}

    /// Switches each session in a workspace to the workspace that the signed-in person joined
    /// first, or to no workspace if the person is not a member of any.
    private static final String MOVE_OUT =
            """
            update session
               set workspace_id = (select member.workspace_id
                                     from member
                                    where member.account_id = session.account_id
                                    order by member.created_at
                                    limit 1)
             where workspace_id = ?
            """;

    private SessionStore() {}

    /// Opens a session. If the account then has more than [#MAX_SESSIONS], those end that were
    /// unused for longest.
    public static void insert(Tx tx, NewSession session, byte[] tokenHash, Instant now) {
        tx.update(
                """
                insert into session (id, account_id, token_hash, workspace_id, created_at,
                                     last_seen_at, expires_at, address, user_agent)
                values (?, ?, ?, ?, ?, ?, ?, ?, ?)
                """,
                session.id(),
                session.account(),
                tokenHash,
                session.workspace().map(WorkspaceId::value).orElse(null),
                now,
                now,
                now.plus(LIFETIME),
                session.address(),
                session.userAgent());
        tx.update(
                """
                delete from session
                 where account_id = ? and id in (
                       select id
                         from session
                        where account_id = ?
                        order by (id = ?) desc, last_seen_at desc
                       offset ?)
                """,
                session.account(),
                session.account(),
                session.id(),
                MAX_SESSIONS);
    }

    /// Finds the session with this token, and extends it if it was last seen at least a minute ago.
    /// Returns empty if there is no such session or it has expired.
    ///
    /// @param named the workspace in which to look for the person's membership, instead of the
    ///   session's current one
    static Optional<Session> findAndExtend(
            Tx tx, byte[] tokenHash, Optional<WorkspaceId> named, Instant now) {
        var found =
                tx.findOne(
                        """
                        select session.id, session.account_id, member.workspace_id, role,
                               suspended_at, suspension_reason,
                               last_seen_at > ? as is_recent
                          from session
                          left join workspace
                            on workspace.id = coalesce(?::uuid, session.workspace_id)
                           and workspace.deleted_at is null
                          left join member on member.workspace_id = workspace.id
                                          and member.account_id = session.account_id
                         where token_hash = ?
                           and expires_at > ?
                        """,
                        row -> new FoundSession(session(row), row.bool("is_recent")),
                        now.minus(LAST_SEEN_UPDATE_INTERVAL),
                        named.map(WorkspaceId::value).orElse(null),
                        tokenHash,
                        now);
        found.filter(session -> !session.isRecent())
                .ifPresent(session ->
                        tx.update(
                                "update session set last_seen_at = ?, expires_at = ? where id = ?",
                                now,
                                now.plus(LIFETIME),
                                session.session().id()));
        return found.map(FoundSession::session);
    }

    private record FoundSession(Session session, boolean isRecent) {}

    private static Session session(Row row) throws SQLException {
        return new Session(
                row.uuid("id"),
                row.uuid("account_id"),
                row.isNull("workspace_id")
                        ? Optional.empty()
                        : Optional.of(
                                new Session.SessionMembership(
                                        new WorkspaceId(row.uuid("workspace_id")),
                                        Role.parse(row.text("role")),
                                        Suspension.read(row))));
    }

    /// An unexpired session, as shown to its owner in the list of sessions.
    public record OpenSession(
            UUID id, String address, String userAgent, Instant createdAt, Instant lastSeenAt) {}

    /// Returns an account's unexpired sessions, most recently seen first.
    public static List<OpenSession> list(Tx tx, UUID account, Instant now) {
        return tx.query(
                """
                select id, address, user_agent, created_at, last_seen_at
                  from session
                 where account_id = ?
                   and expires_at > ?
                 order by last_seen_at desc, id
                """,
                row ->
                        new OpenSession(
                                row.uuid("id"),
                                row.text("address"),
                                row.text("user_agent"),
                                row.instant("created_at"),
                                row.instant("last_seen_at")),
                account,
                now);
    }

    /// Deletes the sessions that have expired by `now`.
    public static void deleteExpired(Tx tx, Instant now) {
        tx.update("delete from session where expires_at <= ?", now);
    }

    /// Ends one of an account's sessions. Returns false if the account has no session with this id.
    public static boolean end(Tx tx, UUID account, UUID session) {
        return tx.update("delete from session where account_id = ? and id = ?", account, session)
                > 0;
    }

    /// Switches a session to another workspace. The caller must have checked that the person is a
    /// member of it.
    public static void switchTo(Tx tx, UUID session, WorkspaceId workspace) {
        tx.update("update session set workspace_id = ? where id = ?", workspace.value(), session);
    }

    /// Replaces the hash of a session's token. Returns false if the session has ended.
    static boolean replaceToken(Tx tx, UUID session, byte[] tokenHash) {
        return tx.update("update session set token_hash = ? where id = ?", tokenHash, session) > 0;
    }

    /// Whether the session is still stored: it has not been ended, but it may have expired.
    public static boolean isOpen(Tx tx, UUID session) {
        return tx.findOne("select id from session where id = ?", row -> row.uuid("id"), session)
                .isPresent();
    }

    /// Switches the account's sessions in `workspace` to the workspace that the person joined
    /// first, or to no workspace if the person is not a member of any. The caller must already have
    /// deleted the person's membership of `workspace`.
    public static void moveOut(Tx tx, WorkspaceId workspace, UUID account) {
        tx.update(MOVE_OUT + " and account_id = ?", workspace.value(), account);
    }

    /// Ends all access to a workspace. Deletes the workspace's keys, invites and memberships. Then
    /// switches each session in the workspace to whichever of the signed-in person's other
    /// workspaces they joined first, or to no workspace if there are no others.
    public static void endAccess(Tx tx, WorkspaceId workspace) {
        ApiKeyStore.deleteAll(tx, workspace);
        InviteStore.deleteAll(tx, workspace);
        MemberStore.deleteAll(tx, workspace);
        tx.update(MOVE_OUT, workspace.value());
    }

    /// Ends the account's sessions in this workspace.
    public static void endIn(Tx tx, WorkspaceId workspace, UUID account) {
        tx.update(
                "delete from session where workspace_id = ? and account_id = ?",
                workspace.value(),
                account);
    }

    /// Ends all of an account's sessions, except for the session `except` if it is given.
    public static void endAll(Tx tx, UUID account, Optional<UUID> except) {
        tx.update(
                "delete from session where account_id = ? and id is distinct from ?",
                account,
                except.orElse(null));
    }
}
