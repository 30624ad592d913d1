package dev.sluice.engine.accept;

import dev.sluice.account.plan.UsageKind;
import dev.sluice.account.workspace.WorkspaceId;
import dev.sluice.engine.DeletedWorkspace;
import dev.sluice.gateway.source.VerificationStatus;
import dev.sluice.platform.db.Tx;

import java.time.LocalDate;
import java.util.List;
import java.util.Optional;

/// The SQL for the `quota` table, which records how many of a workspace's tokens for each month the
/// nodes have reserved or spent (see [MonthlyQuota]).
public final class QuotaStore {

    private QuotaStore() {}

    /// Limits each statement in the transaction to 3 s. Must be called first in the transaction.
    static void limitStatementTime(Tx tx) {
        tx.update("set local statement_timeout = '3s'");
    }

    /// Reserves a chunk of tokens and returns its size, or 0 if no tokens are left. Locks the row,
    /// so that nodes reserve chunks one after the other.
    static long takeChunk(Tx tx, WorkspaceId workspace, int month, long cap) {
        limitStatementTime(tx);
        long taken =
                lockTaken(tx, workspace, month)
                        .orElseGet(() -> {
                            insert(tx, workspace, month);
                            return lockTaken(tx, workspace, month).orElseThrow();
                        });
        // Events that were stored while the plan had no quota took no tokens.
        long uncounted = Math.max(0, stored(tx, workspace, month) - taken);
        long chunk = QuotaLease.chunkSize(cap, taken + uncounted);
        if (uncounted + chunk > 0) {
            add(tx, workspace, month, uncounted + chunk);
        }
        return chunk;
    }

    private static Optional<Long> lockTaken(Tx tx, WorkspaceId workspace, int month) {
        return tx.findOne(
                """
                select taken
                  from quota
                 where workspace_id = ? and month = ?
                   for update
                """,
                row -> row.number("taken"),
                workspace.value(),
                month);
    }

    private static void insert(Tx tx, WorkspaceId workspace, int month) {
        tx.update(
                """
                insert into quota (workspace_id, month, taken)
                values (?, ?, 0)
                on conflict (workspace_id, month) do nothing
                """,
                workspace.value(),
                month);
    }

    /// Returns the number of events that were stored in a month, not counting those that failed
    /// verification. The result might not include events from the last second yet; these are
    /// counted when the next chunk is reserved. While the plan has a quota, the result is never
    /// more than the number of tokens taken.
    private static long stored(Tx tx, WorkspaceId workspace, int month) {
        var first = LocalDate.of(month / 100, month % 100, 1);
        return tx.single(
                """
                select coalesce(sum(n), 0)::bigint as n
                  from source
                  join rollup_day on kind = ? and key = source.id
                 where workspace_id = ? and day >= ? and day < ? and dim = any (?)
                """,
                row -> row.number("n"),
                UsageKind.EVENTS.number(),
                workspace.value(),
                first.toEpochDay(),
                first.plusMonths(1).toEpochDay(),
                List.of(
                        (int) VerificationStatus.VERIFIED.number(),
                        (int) VerificationStatus.SKIPPED.number()));
    }

    static void giveBack(Tx tx, WorkspaceId workspace, int month, long tokens) {
        if (tokens > 0) {
            add(tx, workspace, month, -tokens);
        }
    }

    private static void add(Tx tx, WorkspaceId workspace, int month, long tokens) {
        tx.update(
                "update quota set taken = taken + ? where workspace_id = ? and month = ?",
                tokens,
                workspace.value(),
                month);
    }

    /// Deletes the quota counts of a deleted workspace. Returns the number of deleted rows.
    public static int deleteOf(Tx tx, DeletedWorkspace workspace) {
        return tx.update("delete from quota where workspace_id = ?", workspace.id().value());
    }
}
