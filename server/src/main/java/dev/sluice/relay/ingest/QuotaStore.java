package dev.sluice.relay.ingest;

import dev.sluice.account.workspace.WorkspaceId;
import dev.sluice.platform.db.Tx;

/// Writes how many of a month's events were taken by nodes.
final class QuotaStore {

    private QuotaStore() {}

    /// The first statement of a transaction: nobody waits for it longer than this.
    static void beQuick(Tx tx) {
        tx.update("set local statement_timeout = '3s'");
    }

    /// Takes some tokens; 0 when there are none left. Nodes that ask at once come one after the
    /// other.
    static long take(Tx tx, WorkspaceId workspace, int month, long cap) {
        beQuick(tx);
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
        long chunk = QuotaLease.chunk(cap, taken);
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
}
