package dev.sluice.relay.usage;

import dev.sluice.platform.db.Tx;

import java.time.Instant;

/// Shortens the log of commits. [LedgerStore] adds a row for each batch.
final class CommitLogStore {

    private CommitLogStore() {}

    /// Returns the oldest transaction that runs. All before it are over.
    static long oldestRunning(Tx tx) {
        return tx.single(
                "select pg_snapshot_xmin(pg_current_snapshot())::text::bigint as xid",
                row -> row.number("xid"));
    }

    /// Replaces the rows of all batches before this transaction by one row. All of those
    /// transactions must be over. Of the outcomes and failures, nothing is kept.
    static void compactBefore(Tx tx, long xid, Instant now) {
        tx.update(
                """
                with batches as (
                  delete from commit_log
                   where xid < ? and compacted_at is null
                  returning xid, overlap, events_from)
                insert into commit_log (xid, overlap, events_from, compacted_at)
                select max(xid), max(overlap), min(events_from), ? from batches
                having count(*) > 0
                """,
                xid,
                now);
    }

    /// Removes the rows that were compacted before `before`. One row always stays, because it says
    /// where the log begins.
    static void deleteBefore(Tx tx, Instant before) {
        tx.update(
                """
                delete from commit_log
                 where compacted_at < ?
                   and xid < (select xid from commit_log order by xid desc limit 1)
                """,
                before);
    }
}
