package dev.sluice.account.access;

import dev.sluice.platform.db.Tx;

import java.util.Optional;
import java.util.UUID;

/// Counts the requests with a session in the current minute, for each account and each workspace.
public final class SessionUseStore {

    private SessionUseStore() {}

    /// Counts one more request, as [ApiUseStore#increment] does.
    ///
    /// @param owner the id of an account or a workspace
    /// @param minute the number of minutes since 1970
    /// @return the number of requests counted in this minute, including this one; empty if this
    ///   request was not counted
    static Optional<Integer> increment(Tx tx, UUID owner, long minute, int max) {
        return tx.findOne(
                """
                insert into session_use (owner, minute, n)
                values (?, ?, 1)
                on conflict (owner) do update
                   set n = case when session_use.minute in (excluded.minute, excluded.minute + 1)
                                then session_use.n + 1 else 1 end,
                       minute = case when session_use.minute = excluded.minute + 1
                                     then session_use.minute else excluded.minute end
                 where session_use.minute not in (excluded.minute, excluded.minute + 1)
                    or session_use.n < ?
                returning n
                """,
                row -> row.integer("n"),
                owner,
                minute,
                max);
    }

    /// Deletes the counts of minutes before `minute`. Rows that requests are counting in are left
    /// out: waiting for them could end in a deadlock, because each request locks two.
    public static void deleteBefore(Tx tx, long minute) {
        tx.update(
                """
                delete from session_use
                 where owner in (select owner
                                   from session_use
                                  where minute < ?
                                    for update skip locked)
                """,
                minute);
    }
}
