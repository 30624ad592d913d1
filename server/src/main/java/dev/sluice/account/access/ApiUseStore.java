package dev.sluice.account.access;

import dev.sluice.account.workspace.WorkspaceId;
import dev.sluice.platform.db.Tx;

import java.util.Optional;

/// Counts each workspace's API requests in the current minute, for the API rate limit.
final class ApiUseStore {

    private ApiUseStore() {}

    /// Counts one more request, unless `max` requests were already counted in this minute.
    ///
    /// If the stored count is for the next minute, it was written by a node whose clock is slightly
    /// ahead, and this method increments it. A count for any other minute is either old or was
    /// written before a clock was set back. In either case, counting starts again at 1.
    ///
    /// @param minute the number of minutes since 1970
    /// @return the number of requests counted in this minute, including this one; empty if this
    ///   request was not counted
    static Optional<Integer> increment(Tx tx, WorkspaceId workspace, long minute, int max) {
        return tx.findOne(
                """
                insert into api_use (workspace_id, minute, n)
                values (?, ?, 1)
                on conflict (workspace_id) do update
                   set n = case when api_use.minute in (excluded.minute, excluded.minute + 1)
                                then api_use.n + 1 else 1 end,
                       minute = case when api_use.minute = excluded.minute + 1
                                     then api_use.minute else excluded.minute end
                 where api_use.minute not in (excluded.minute, excluded.minute + 1) or api_use.n < ?
                returning n
                """,
                row -> row.integer("n"),
                workspace.value(),
                minute,
                max);
    }
}
