package dev.sluice.relay.replay;

import dev.sluice.account.workspace.WorkspaceId;
import dev.sluice.gateway.connection.ConnectionId;
import dev.sluice.gateway.source.SourceId;
import dev.sluice.platform.db.Row;
import dev.sluice.platform.db.Tx;
import dev.sluice.relay.DeliveryStatus;

import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.stream.Collectors;

/// Jobs and who works on them. Leases are told by the database's clock.
///
/// A job is open while it runs, and while it has an owner: that one may have made resends which are
/// not counted yet.
final class ReplayStore {

    private ReplayStore() {}

    /// When a job that is inserted with this transaction was made: after all jobs of its connection
    /// that are there. So whatever a later one may have to leave to it is known to that one.
    ///
    /// @param askedAt not earlier than that
    static Instant turn(Tx tx, WorkspaceId workspace, ConnectionId connection, Instant askedAt) {
        tx.query(
                "select id from connection where id = ? for no key update",
                row -> row.uuid("id"),
                connection.value());
        return tx
                .query(
                        """
                        select created_at
                          from replay_job
                         where workspace_id = ? and connection_id = ? and created_at >= ?
                         order by created_at desc
                         limit 1
                        """,
                        row -> row.instant("created_at").plusMillis(1),
                        workspace.value(),
                        connection.value(),
                        askedAt.truncatedTo(ChronoUnit.MILLIS))
                .stream()
                .findFirst()
                .orElse(askedAt);
    }

    static void insert(Tx tx, Replay replay) {
        var selection = replay.selection();
        tx.update(
                """
                insert into replay_job (id, workspace_id, source_id, connection_id, statuses, since, until,
                                        status, planned, is_exact, created_at, updated_at, after_id,
                                        to_id)
                values (?, ?, ?, ?, ?, ?, ?, 'running', ?, ?, ?, ?, ?, ?)
                """,
                replay.id(),
                replay.workspace().value(),
                selection.source().value(),
                selection.connection().value(),
                selection.statuses().stream().map(status -> (int) status.number()).toList(),
                replay.since().orElse(null),
                replay.until().orElse(null),
                replay.planned(),
                replay.isExact(),
                replay.createdAt(),
                replay.updatedAt(),
                selection.after(),
                selection.to());
    }

    static List<Replay> list(Tx tx, WorkspaceId workspace, long offset, int limit) {
        return tx.query(
                """
                select *
                  from replay_job
                 where workspace_id = ?
                 order by created_at desc, id desc
                offset ? limit ?
                """,
                ReplayStore::replay,
                workspace.value(),
                offset,
                limit);
    }

    static long count(Tx tx, WorkspaceId workspace) {
        return tx.single(
                "select count(*) as n from replay_job where workspace_id = ?",
                row -> row.number("n"),
                workspace.value());
    }

    static Optional<Replay> find(Tx tx, WorkspaceId workspace, UUID id) {
        return tx.one(
                "select * from replay_job where id = ? and workspace_id = ?",
                ReplayStore::replay,
                id,
                workspace.value());
    }

    /// Empty when there is no such job, or it does not run.
    static Optional<Replay> cancel(Tx tx, WorkspaceId workspace, UUID id, Instant now) {
        return tx.one(
                """
                update replay_job
                   set status = 'cancelled', reason = null, updated_at = ?, finished_at = ?
                 where id = ? and workspace_id = ? and status = 'running'
                returning *
                """,
                ReplayStore::replay,
                now,
                now,
                id,
                workspace.value());
    }

    /// Open jobs that this process may work on, at most `limit`: first those that waited longest.
    static List<UUID> open(Tx tx, UUID owner, int limit) {
        return tx.query(
                """
                select id
                  from replay_job
                 where (status = 'running' or owner is not null)
                   and (owner is null or owner = ? or lease_until < now())
                 order by lease_until nulls first, created_at
                 limit ?
                """,
                row -> row.uuid("id"),
                owner,
                limit);
    }

    /// Takes or renews the lease of an open job. Empty while another holds it, and when it is
    /// closed by now.
    static Optional<Replay> hold(Tx tx, UUID id, UUID owner, Duration lease) {
        return tx.one(
                """
                update replay_job
                   set owner = ?, lease_until = now() + make_interval(secs => ?)
                 where id = ? and (status = 'running' or owner is not null)
                   and (owner is null or owner = ? or lease_until < now())
                returning *
                """,
                ReplayStore::replay,
                owner,
                lease.toSeconds(),
                id,
                owner);
    }

    /// When those jobs were made that ask for the same statuses on its connection, and were running
    /// when this one was made: what they resend, this one need not. Only where succeeded ones are
    /// asked for: elsewhere the resend itself shows whether another is needed.
    static List<Instant> beside(Tx tx, Replay replay) {
        var selection = replay.selection();
        if (!selection.isOfSucceeded()) {
            return List.of();
        }
        var statuses = selection.statuses().stream().map(status -> (int) status.number()).toList();
        return tx.query(
                """
                select created_at
                  from replay_job
                 where workspace_id = ? and connection_id = ? and created_at < ?
                   and (finished_at is null or finished_at >= ?) and statuses @> ? and statuses <@ ?
                """,
                row -> row.instant("created_at"),
                replay.workspace().value(),
                selection.connection().value(),
                replay.createdAt(),
                replay.createdAt().truncatedTo(ChronoUnit.MILLIS), // its microseconds tell no time
                statuses,
                statuses);
    }

    /// Moves a job on by a chunk that is done. Changes nothing when another moved it on meanwhile.
    ///
    /// @param next where it goes on; empty when that was the last chunk
    static void advance(
            Tx tx, Replay replay, UUID owner, Chunk chunk, Optional<UUID> next, Instant now) {
        tx.update(
                """
                update replay_job
                   set after_id = coalesce(?, to_id), created = created + ?, skipped = skipped + ?,
                       planned = case when is_exact then planned
                                      else greatest(planned, created + skipped + ?) end,
                       reason = null, updated_at = ?
                 where id = ? and owner = ? and after_id = ? and status = 'running'
                """,
                next.orElse(null),
                chunk.created(),
                chunk.skipped(),
                chunk.created() + chunk.skipped(),
                now,
                replay.id(),
                owner,
                replay.selection().after());
        if (next.isEmpty()) {
            // Events that are gone since it was planned were not seen any more.
            tx.update(
                    """
                    update replay_job
                       set status = 'completed', skipped = greatest(skipped, planned - created),
                           is_exact = true, finished_at = ?, owner = null, lease_until = null
                     where id = ? and owner = ? and after_id = to_id and status = 'running'
                    """,
                    now,
                    replay.id(),
                    owner);
        }
    }

    /// Lets go of a job that ended early, whose last chunk is counted with this.
    static void close(Tx tx, Replay replay, UUID owner, int created) {
        tx.update(
                """
                update replay_job
                   set created = created + ?, owner = null, lease_until = null,
                       planned = case when is_exact then planned
                                      else greatest(planned, created + skipped + ?) end
                 where id = ? and owner = ? and status <> 'running'
                """,
                created,
                created,
                replay.id(),
                owner);
    }

    /// Says why it does not go on at the moment.
    static void rest(Tx tx, Replay replay, UUID owner, String reason, Instant now) {
        tx.update(
                """
                update replay_job
                   set reason = ?, updated_at = ?
                 where id = ? and owner = ? and status = 'running' and reason is distinct from ?
                """,
                reason,
                now,
                replay.id(),
                owner,
                reason);
    }

    /// It cannot be brought to its end. Stays open until its last chunk is counted.
    static void fail(Tx tx, Replay replay, UUID owner, String reason, Instant now) {
        tx.update(
                """
                update replay_job
                   set status = 'failed', reason = ?, updated_at = ?, finished_at = ?
                 where id = ? and owner = ? and status = 'running'
                """,
                reason,
                now,
                now,
                replay.id(),
                owner);
    }

    /// Lets others go on at once.
    static void leave(Tx tx, UUID owner) {
        tx.update("update replay_job set lease_until = now() where owner = ?", owner);
    }

    /// Forgets jobs that finished earlier than that.
    static int forget(Tx tx, Instant before) {
        return tx.update("delete from replay_job where finished_at < ? and owner is null", before);
    }

    private static Replay replay(Row row) throws SQLException {
        var selection =
                new Selection(
                        new SourceId(row.uuid("source_id")),
                        new ConnectionId(row.uuid("connection_id")),
                        row.integers("statuses").stream()
                                .map(DeliveryStatus::numbered)
                                .collect(Collectors.toSet()),
                        row.uuid("after_id"),
                        row.uuid("to_id"));
        return new Replay(
                row.uuid("id"),
                new WorkspaceId(row.uuid("workspace_id")),
                selection,
                row.instantOrNone("since"),
                row.instantOrNone("until"),
                Replay.Status.of(row.text("status")),
                row.number("planned"),
                row.bool("is_exact"),
                row.number("created"),
                row.number("skipped"),
                row.textOrNone("reason"),
                row.instant("created_at"),
                row.instant("updated_at"),
                row.instantOrNone("finished_at"));
    }
}
