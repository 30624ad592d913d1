package dev.sluice.features.recovery;

import dev.sluice.platform.db.Tx;

import java.time.Instant;
import java.util.Optional;
import java.util.UUID;

/// Stores a replay job's progress. An update has no effect if the job has finished, or if another
/// process now owns it or has moved it forward.
final class ReplayPositionStore {

    private ReplayPositionStore() {}

    /// Records a finished chunk and the position of the next one. After a connection's last chunk,
    /// moves the job to its next connection, or completes the job. Counts the chunk even if the job
    /// was paused in the meantime.
    ///
    /// @param next the position after which to continue; empty after the connection's last chunk
    /// @param isComplete whether the job has created its maximum number of resends, and is
    ///   therefore completed
    static void advance(
            Tx tx,
            Replay replay,
            UUID owner,
            ReplayChunk chunk,
            Optional<UUID> next,
            boolean isComplete,
            Instant now) {
        var selection = replay.selection();
        tx.update(
                """
                update replay_job
                   set after_id = coalesce(?, to_id), created = created + ?, skipped = skipped + ?,
                       planned = case when is_exact then planned
                                      else greatest(planned, created + skipped + ?) end,
                       reason = null, updated_at = ?
                 where id = ? and owner = ? and connection_id = ? and after_id = ?
                   and finished_at is null
                """,
                next.orElse(null),
                chunk.created(),
                chunk.skipped(),
                chunk.created() + chunk.skipped(),
                now,
                replay.id(),
                owner,
                selection.connection().value(),
                selection.after());
        if (isComplete || (next.isEmpty() && replay.scope().waiting().isEmpty())) {
            complete(tx, replay, owner, isComplete, now);
        } else if (next.isEmpty()) {
            moveOn(tx, replay, owner, now);
        }
    }

    /// Completes the job. Planned resends that were not created, for example because their events
    /// no longer exist, are counted as skipped.
    private static void complete(
            Tx tx, Replay replay, UUID owner, boolean isComplete, Instant now) {
        tx.update(
                """
                update replay_job
                   set status = 'completed', skipped = greatest(skipped, planned - created),
                       is_exact = true, finished_at = ?, owner = null, lease_until = null
                 where id = ? and owner = ? and connection_id = ? and (after_id = to_id or ?)
                   and finished_at is null
                """,
                now,
                replay.id(),
                owner,
                replay.selection().connection().value(),
                isComplete);
    }

    /// Moves the job to its next connection after finishing the current one.
    static void moveOn(Tx tx, Replay replay, UUID owner, Instant now) {
        tx.update(
                """
                update replay_job
                   set connection_id = next_connections[1], source_id = next_sources[1],
                       after_id = next_after[1], next_connections = next_connections[2:],
                       next_sources = next_sources[2:], next_after = next_after[2:],
                       updated_at = ?
                 where id = ? and owner = ? and connection_id = ? and cardinality(next_connections) > 0
                   and finished_at is null
                """,
                now,
                replay.id(),
                owner,
                replay.selection().connection().value());
    }

    /// Moves the job to its next connection because the current one must wait. The current
    /// connection and its position go to the end of the list of waiting connections.
    static void rotate(Tx tx, Replay replay, UUID owner, Instant now) {
        tx.update(
                """
                update replay_job
                   set connection_id = next_connections[1], source_id = next_sources[1],
                       after_id = next_after[1],
                       next_connections = next_connections[2:] || connection_id,
                       next_sources = next_sources[2:] || source_id,
                       next_after = next_after[2:] || after_id, updated_at = ?
                 where id = ? and owner = ? and connection_id = ? and cardinality(next_connections) > 0
                   and finished_at is null
                """,
                now,
                replay.id(),
                owner,
                replay.selection().connection().value());
    }
}
