package dev.sluice.engine.ledger;

import dev.sluice.platform.db.Tx;

import java.time.Instant;

/// Shortens and restarts the table `commit_log`, to which [LedgerStore] adds a row for each batch.
public final class CommitLogStore {

    private CommitLogStore() {}

    /// Returns the id of the oldest running transaction. All transactions with lower ids have
    /// ended.
    static long oldestRunning(Tx tx) {
        return tx.single(
                "select pg_snapshot_xmin(pg_current_snapshot())::text::bigint as xid",
                row -> row.number("xid"));
    }

    /// Replaces the rows of all batches whose transactions have ids below `xid` with one row. All
    /// of those transactions must already have ended. The outcomes and failures in the rows are
    /// discarded. If there is an enabled alert channel, rows with failures that the alerts have not
    /// read are kept.
    ///
    /// @param watchedSince if the alerts have not read any failures since this time, the unread
    ///   failures are discarded as well
    static void compactBefore(Tx tx, long xid, Instant now, Instant watchedSince) {
        tx.update(
                """
                with watch as (
                  select seen::pg_snapshot as seen from alert_watch
                   where moved_at > ? and exists (select from alert_config where enabled)),
                batches as (
                  delete from commit_log
                   where xid < ? and compacted_at is null
                     and (failed_connections is null
                          or not exists (
                               select from watch
                                where not pg_visible_in_snapshot(xid::text::xid8, seen)))
                  returning xid, overlap, events_from)
                insert into commit_log (xid, overlap, events_from, compacted_at)
                select max(xid), max(overlap), min(events_from), ? from batches
                having count(*) > 0
                """,
                watchedSince,
                xid,
                now);
    }

    /// Returns the number of batches with failures whose transactions have ids below `xid` and
    /// whose rows have not been compacted.
    static int uncompactedFailures(Tx tx, long xid) {
        return tx.single(
                """
                select count(*) as n from commit_log
                 where failed_connections is not null and compacted_at is null and xid < ?
                """,
                row -> row.integer("n"),
                xid);
    }

    /// Empties the log and adds a first row for this transaction, which imports all events. The
    /// order in which these events were first committed is no longer known. A stream therefore
    /// reads either all of them or none.
    ///
    /// @param eventsFrom a time before which no event arrived
    public static void restart(Tx tx, Instant eventsFrom) {
        tx.update("delete from commit_log");
        tx.update(
                """
                insert into commit_log (xid, overlap, events_from, compacted_at)
                values (pg_current_xact_id()::text::bigint, 0, ?, now())
                """,
                eventsFrom.toEpochMilli());
    }

    /// Removes the rows that were compacted before the given time. The log's newest row is never
    /// removed, because it shows where the log begins.
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
