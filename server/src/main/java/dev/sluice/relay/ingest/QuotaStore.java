package dev.sluice.relay.ingest;

import dev.sluice.account.workspace.WorkspaceId;
import dev.sluice.platform.db.Tx;
import dev.sluice.relay.DeletedWorkspace;

/// Updates the table `quota`, which records how many of a month's events the nodes have reserved or
/// stored.
public final class QuotaStore {

    private QuotaStore() {}

    /// Limits each statement in the transaction to 3 s. Must be the first statement.
    static void limitStatementTime(Tx tx) {
        tx.update("set local statement_timeout = '3s'");
    }

    /// Reserves a chunk of tokens and returns its size, or 0 when no tokens are left. Locks the
    /// row, so that concurrent nodes wait for each other.
    static long takeChunk(Tx tx, WorkspaceId workspace, int month, long cap) {
        limitStatementTime(tx);
        tx.update(
                """
                insert into quota (workspace_id, month, taken)
                values (?, ?, 0)
                on conflict (workspace_id, month) do nothing
                """,
                workspace.value(),
                month);
        long taken =
                tx.single(
                        """
                        select taken
                          from quota
                         where workspace_id = ? and month = ?
                           for update
                        """,
                        row -> row.number("taken"),
                        workspace.value(),
                        month);
        long chunk = QuotaLease.chunkSize(cap, taken);
        if (chunk > 0) {
            add(tx, workspace, month, chunk);
        }
        return chunk;
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

    /// Deletes the quota counts of a deleted workspace. Returns the number of rows.
    public static int deleteOf(Tx tx, DeletedWorkspace workspace) {
        return tx.update("delete from quota where workspace_id = ?", workspace.id().value());
    }
}
