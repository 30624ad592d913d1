package dev.sluice.features.recovery;

import dev.sluice.account.workspace.WorkspaceId;
import dev.sluice.account.workspace.WorkspaceStore;
import dev.sluice.engine.DeletedWorkspace;
import dev.sluice.engine.DeliveryStatus;
import dev.sluice.engine.ErrorCode;
import dev.sluice.gateway.connection.ConnectionId;
import dev.sluice.gateway.source.SourceId;
import dev.sluice.platform.db.Row;
import dev.sluice.platform.db.Tx;
import dev.sluice.platform.http.ApiErrorCode;
import dev.sluice.platform.http.ApiException;

import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.stream.Collectors;

/// Stores replay jobs and their leases. Only the database's clock decides whether another process
/// may take over a lease.
///
/// A job is open while it is running or has an owner. A job that has ended keeps its owner until
/// its last chunk's resends have been counted.
public final class ReplayStore {

    private static final String IS_NAMED =
            """
            and (? = '' or exists (
                select from connection
                  join source on source.id = connection.source_id
                  join destination on destination.id = connection.destination_id
                 where connection.id = any (replay_job.connections)
                   and (strpos(lower(source.name), lower(?)) > 0
                        or strpos(lower(destination.name), lower(?)) > 0)))
            """;

    /// The maximum number of a workspace's jobs that have not finished.
    static final int MAX_UNFINISHED = 10;

    /// The maximum number of a workspace's finished jobs that are kept.
    static final int MAX_FINISHED = 1_000;

    private ReplayStore() {}

    /// Returns the creation time for a job inserted in this transaction. This time is later than
    /// the creation time of every other job on these connections. Locks the connections until the
    /// transaction ends. A job uses the creation times to find the earlier jobs whose resends it
    /// must not repeat.
    ///
    /// @param askedAt the time of the request, which is the earliest possible creation time
    static Instant nextCreatedAt(
            Tx tx, WorkspaceId workspace, List<ConnectionId> connections, Instant askedAt) {
        tx.query(
                "select id from connection where id = any (?) order by id for no key update",
                row -> row.uuid("id"),
                connections.stream().map(ConnectionId::value).toList());
        return tx
                .query(
                        """
                        select created_at
                          from replay_job
                         where workspace_id = ? and created_at >= ?
                         order by created_at desc
                         limit 1
                        """,
                        row -> row.instant("created_at").plusMillis(1),
                        workspace.value(),
                        askedAt.truncatedTo(ChronoUnit.MILLIS))
                .stream()
                .findFirst()
                .orElse(askedAt);
    }

    /// Inserts a job, and deletes the workspace's oldest finished jobs, so that [#MAX_FINISHED] are
    /// left. A job that an unfinished one must not repeat is kept.
    ///
    /// @throws ApiException 409 if the workspace has [#MAX_UNFINISHED] jobs that have not finished
    static void start(Tx tx, Replay replay) {
        WorkspaceStore.lock(tx, replay.workspace());
        if (countUnfinished(tx, replay.workspace()) >= MAX_UNFINISHED) {
            throw new ApiException(
                    ApiErrorCode.CONFLICT,
                    "A workspace has at most "
                            + MAX_UNFINISHED
                            + " replays that have not finished, with those that are paused. Wait"
                            + " until one has finished, or cancel one.");
        }
        insert(tx, replay);
        tx.update(
                """
                delete from replay_job as old
                 where id in (
                       select id
                         from replay_job
                        where workspace_id = ? and finished_at is not null and owner is null
                        order by created_at desc, id desc
                       offset ?)
                   and not exists (
                       select from replay_job as unfinished
                        where unfinished.workspace_id = old.workspace_id
                          and unfinished.finished_at is null
                          and unfinished.created_at between old.created_at and old.finished_at)
                """,
                replay.workspace().value(),
                MAX_FINISHED);
    }

    private static long countUnfinished(Tx tx, WorkspaceId workspace) {
        return tx.single(
                """
                select count(*) as n
                  from replay_job
                 where workspace_id = ? and finished_at is null
                """,
                row -> row.number("n"),
                workspace.value());
    }

    static void insert(Tx tx, Replay replay) {
        var selection = replay.selection();
        var scope = replay.scope();
        tx.update(
                """
                insert into replay_job (id, workspace_id, source_id, connection_id, statuses, since, until,
                                        status, planned, is_exact, created_at, updated_at, after_id,
                                        to_id, error_code, response_status, ended_before,
                                        connections, next_connections, next_sources, next_after,
                                        max_created, per_second)
                values (?, ?, ?, ?, ?, ?, ?, 'running', ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                """,
                replay.id(),
                replay.workspace().value(),
                selection.source().value(),
                selection.connection().value(),
                selection.statuses().stream().map(status -> (int) status.number()).toList(),
                replay.period().since().orElse(null),
                replay.period().until().orElse(null),
                replay.progress().planned(),
                replay.progress().isExact(),
                replay.createdAt(),
                replay.state().updatedAt(),
                selection.after(),
                selection.to(),
                selection
                        .condition()
                        .flatMap(FailureCondition::code)
                        .map(code -> (int) code.number())
                        .orElse(null),
                selection.condition().flatMap(FailureCondition::responseStatus).orElse(null),
                selection.condition().map(FailureCondition::endedBefore).orElse(null),
                scope.connections().stream().map(ConnectionId::value).toList(),
                scope.waiting().stream().map(one -> one.connection().value()).toList(),
                scope.waiting().stream().map(one -> one.source().value()).toList(),
                scope.waiting().stream().map(ReplayScope.WaitingConnection::after).toList(),
                scope.maxCreated().orElse(null),
                scope.perSecond().orElse(null));
    }

    /// Returns a workspace's jobs, newest first.
    ///
    /// @param q the search text; empty to return every job. Otherwise, a job matches if one of its
    ///   connections has a source or a destination whose name contains the text, ignoring case
    static List<Replay> list(Tx tx, WorkspaceId workspace, String q, long offset, int limit) {
        return tx.query(
                """
                select *
                  from replay_job
                 where workspace_id = ? %s
                 order by created_at desc, id desc
                offset ? limit ?
                """
                        .formatted(IS_NAMED),
                ReplayStore::replay,
                workspace.value(),
                q,
                q,
                q,
                offset,
                limit);
    }

    static long count(Tx tx, WorkspaceId workspace, String q) {
        return tx.single(
                "select count(*) as n from replay_job where workspace_id = ? " + IS_NAMED,
                row -> row.number("n"),
                workspace.value(),
                q,
                q,
                q);
    }

    static Optional<Replay> find(Tx tx, WorkspaceId workspace, UUID id) {
        return tx.findOne(
                "select * from replay_job where id = ? and workspace_id = ?",
                ReplayStore::replay,
                id,
                workspace.value());
    }

    /// Pauses a running job, or resumes a paused one. Returns the changed job, or empty if there is
    /// no such job or its status does not allow the change.
    static Optional<Replay> setPaused(
            Tx tx, WorkspaceId workspace, UUID id, boolean isPaused, Instant now) {
        return tx.findOne(
                """
                update replay_job
                   set status = ?, reason = null, updated_at = ?
                 where id = ? and workspace_id = ? and status = ?
                returning *
                """,
                ReplayStore::replay,
                isPaused ? "paused" : "running",
                now,
                id,
                workspace.value(),
                isPaused ? "running" : "paused");
    }

    /// Changes how many resends an unfinished job may create per second; an empty `perSecond`
    /// removes the limit. Returns the changed job, or empty if there is no such job or it has
    /// finished.
    static Optional<Replay> setRate(
            Tx tx, WorkspaceId workspace, UUID id, Optional<Integer> perSecond, Instant now) {
        return tx.findOne(
                """
                update replay_job
                   set per_second = ?, updated_at = ?
                 where id = ? and workspace_id = ? and finished_at is null
                returning *
                """,
                ReplayStore::replay,
                perSecond.orElse(null),
                now,
                id,
                workspace.value());
    }

    /// Releases the lease on a paused job. If its last chunk's resends have not been counted yet,
    /// they are counted when the job resumes and repeats the chunk.
    static void releasePaused(Tx tx, Replay replay, UUID owner) {
        tx.update(
                """
                update replay_job
                   set owner = null, lease_until = null
                 where id = ? and owner = ? and status = 'paused'
                """,
                replay.id(),
                owner);
    }

    /// Cancels a job. Returns the cancelled job, or empty if there is no such job or it has ended.
    /// A paused job without an owner gets its own id as its owner, which keeps it open until its
    /// last chunk's resends have been counted.
    static Optional<Replay> cancel(Tx tx, WorkspaceId workspace, UUID id, Instant now) {
        return tx.findOne(
                """
                update replay_job
                   set status = 'cancelled', reason = null, updated_at = ?, finished_at = ?,
                       lease_until = case when status = 'paused' and owner is null then now()
                                          else lease_until end,
                       owner = case when status = 'paused' then coalesce(owner, id) else owner end
                 where id = ? and workspace_id = ? and finished_at is null
                returning *
                """,
                ReplayStore::replay,
                now,
                now,
                id,
                workspace.value());
    }

    /// Returns up to `limit` open jobs that this process may lease. Workspaces take turns: first
    /// comes one job of each, then a second one, up to [#MAX_UNFINISHED]. Within a turn, jobs
    /// without a lease come first, then those whose lease ends earliest, which ran longest ago.
    ///
    /// @param resting the jobs that must wait; they are left out
    /// @param lease the duration of a lease. A lease with more time left than this counts as
    ///   expired, because it was acquired before the database's clock was set back
    static List<UUID> openJobs(
            Tx tx, UUID owner, Duration lease, Collection<UUID> resting, int limit) {
        return tx.query(
                """
                select id
                  from (select id, lease_until, created_at,
                               row_number() over (partition by workspace_id
                                                  order by lease_until nulls first, created_at) as turn
                          from replay_job
                         where (status = 'running' or owner is not null)
                           and (owner is null or owner = ? or lease_until < now()
                                or lease_until > clock_timestamp() + make_interval(secs => ?))
                           and id <> all (?)) as open
                 where turn <= ?
                 order by turn, lease_until nulls first, created_at
                 limit ?
                """,
                row -> row.uuid("id"),
                owner,
                lease.toSeconds(),
                List.copyOf(resting),
                MAX_UNFINISHED,
                limit);
    }

    /// Acquires or renews the lease on an open job. Returns the job, or empty if another process
    /// holds the lease or the job is not open.
    static Optional<Replay> acquireLease(Tx tx, UUID id, UUID owner, Duration lease) {
        return tx.findOne(
                """
                update replay_job
                   set owner = ?, lease_until = now() + make_interval(secs => ?)
                 where id = ? and (status = 'running' or owner is not null)
                   and (owner is null or owner = ? or lease_until < now()
                        or lease_until > clock_timestamp() + make_interval(secs => ?))
                returning *
                """,
                ReplayStore::replay,
                owner,
                lease.toSeconds(),
                id,
                owner,
                lease.toSeconds());
    }

    /// Whether the job is running and this process is still its owner.
    static boolean isRunning(Tx tx, UUID id, UUID owner) {
        return tx.findOne(
                        """
                        select from replay_job where id = ? and owner = ? and status = 'running'
                        """,
                        _ -> true,
                        id,
                        owner)
                .isPresent();
    }

    /// Returns the creation times of earlier jobs with the same statuses and connection that had
    /// not finished when this job was created. This job does not resend the events that those jobs
    /// resend.
    ///
    /// Returns an empty list unless the selection includes succeeded deliveries. If it does not
    /// include them, each event's newest delivery already shows whether the event needs another
    /// resend.
    static List<Instant> overlappingJobTimes(Tx tx, Replay replay) {
        var selection = replay.selection();
        if (!selection.includesSucceeded()) {
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
                // The job's creation time without its microseconds, which are derived from the
                // job's id.
                replay.createdAt().truncatedTo(ChronoUnit.MILLIS),
                statuses,
                statuses);
    }

    /// Closes a job that was cancelled or has failed, and adds its last chunk's resends to its
    /// count.
    static void close(Tx tx, UUID id, UUID owner, int created) {
        tx.update(
                """
                update replay_job
                   set created = created + ?, owner = null, lease_until = null,
                       planned = case when is_exact then planned
                                      else greatest(planned, created + skipped + ?) end
                 where id = ? and owner = ? and finished_at is not null
                """,
                created,
                created,
                id,
                owner);
    }

    /// Records why a running job is waiting.
    static void saveReason(Tx tx, Replay replay, UUID owner, String reason, Instant now) {
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

    /// Marks a running job as failed. The job keeps its owner until its last chunk's resends have
    /// been counted. Returns false if this process does not own the job, or it is not running.
    static boolean fail(Tx tx, UUID id, UUID owner, String reason, Instant now) {
        int failed =
                tx.update(
                        """
                        update replay_job
                           set status = 'failed', reason = ?, updated_at = ?, finished_at = ?
                         where id = ? and owner = ? and status = 'running'
                        """,
                        reason,
                        now,
                        now,
                        id,
                        owner);
        return failed == 1;
    }

    /// Ends all of this process's leases, so that other processes can take over its jobs
    /// immediately.
    static void releaseLeases(Tx tx, UUID owner) {
        tx.update("update replay_job set lease_until = now() where owner = ?", owner);
    }

    /// Deletes up to `limit` of a deleted workspace's jobs. Returns the number of deleted jobs.
    public static int deleteOf(Tx tx, DeletedWorkspace workspace, int limit) {
        return tx.update(
                """
                delete from replay_job
                 where id in (select id from replay_job where workspace_id = ? limit ?)
                """,
                workspace.id().value(),
                limit);
    }

    /// Deletes closed jobs that finished before the given time. Returns the number of deleted jobs.
    static int deleteFinished(Tx tx, Instant before) {
        return tx.update("delete from replay_job where finished_at < ? and owner is null", before);
    }

    private static Optional<FailureCondition> condition(Row row) throws SQLException {
        if (row.isNull("ended_before")) {
            return Optional.empty();
        }
        return Optional.of(
                new FailureCondition(
                        row.integerOrNone("error_code").map(ErrorCode::fromNumber),
                        row.integerOrNone("response_status"),
                        row.instant("ended_before")));
    }

    private static ReplayScope scope(Row row) throws SQLException {
        var connections = row.uuids("next_connections");
        var sources = row.uuids("next_sources");
        var positions = row.uuids("next_after");
        var waiting = new ArrayList<ReplayScope.WaitingConnection>();
        for (int i = 0; i < connections.size(); i++) {
            waiting.add(
                    new ReplayScope.WaitingConnection(
                            new ConnectionId(connections.get(i)),
                            new SourceId(sources.get(i)),
                            positions.get(i)));
        }
        return new ReplayScope(
                row.uuids("connections").stream().map(ConnectionId::new).toList(),
                waiting,
                row.isNull("max_created")
                        ? Optional.empty()
                        : Optional.of(row.number("max_created")),
                row.integerOrNone("per_second"));
    }

    private static Replay replay(Row row) throws SQLException {
        var selection =
                new ResendSelection(
                        new SourceId(row.uuid("source_id")),
                        new ConnectionId(row.uuid("connection_id")),
                        row.integers("statuses").stream()
                                .map(DeliveryStatus::fromNumber)
                                .collect(Collectors.toSet()),
                        row.uuid("after_id"),
                        row.uuid("to_id"),
                        condition(row));
        return new Replay(
                row.uuid("id"),
                new WorkspaceId(row.uuid("workspace_id")),
                selection,
                scope(row),
                new BulkResendRequest.ArrivalPeriod(
                        row.instantOrNone("since"), row.instantOrNone("until")),
                new Replay.ReplayProgress(
                        row.number("planned"),
                        row.bool("is_exact"),
                        row.number("created"),
                        row.number("skipped")),
                new Replay.ReplayState(
                        Replay.ReplayStatus.of(row.text("status")),
                        row.textOrNone("reason"),
                        row.instant("updated_at"),
                        row.instantOrNone("finished_at")),
                row.instant("created_at"));
    }
}
