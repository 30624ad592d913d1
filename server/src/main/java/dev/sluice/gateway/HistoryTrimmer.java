package dev.sluice.gateway;

import dev.sluice.account.plan.ConfigurationUse;
import dev.sluice.account.workspace.WorkspaceId;
import dev.sluice.platform.db.Tx;

import java.time.Instant;
import java.util.List;
import java.util.Optional;

/// Deletes a workspace's oldest replaced settings, names and URLs when they take more than
/// [#MAX_BYTES], whatever resource they belong to.
///
/// @param tables the deletions from each table with such rows
public record HistoryTrimmer(List<OldRows> tables) {

    /// Deletes a workspace's rows of one table that were replaced at or before `newest`.
    @FunctionalInterface
    public interface OldRows {
        void delete(Tx tx, WorkspaceId workspace, Instant newest);
    }

    static final long MAX_BYTES = 8L * 1024 * 1024;

    /// What is left after a deletion. It is less than the maximum, so that not every change must
    /// delete some.
    private static final long TRIMMED_BYTES = MAX_BYTES / 4 * 3;

    public HistoryTrimmer {
        tables = List.copyOf(tables);
    }

    void trim(Tx tx, WorkspaceId workspace, ConfigurationUse use) {
        if (use.replacedBytes() > MAX_BYTES) {
            newestToDelete(tx, workspace)
                    .ifPresent(
                            newest -> tables.forEach(table -> table.delete(tx, workspace, newest)));
        }
    }

    /// Returns the time of the newest row that must go, so that [#TRIMMED_BYTES] are left.
    private static Optional<Instant> newestToDelete(Tx tx, WorkspaceId workspace) {
        return tx.single(
                """
                select max(at) as newest
                  from (select at, sum(size) over (order by at desc) as total
                          from (select replaced_at as at, octet_length(record_send(row_of)) as size
                                  from replaced_destination as row_of where workspace_id = ?
                                union all
                                select replaced_at, octet_length(record_send(row_of))
                                  from replaced_connection as row_of where workspace_id = ?
                                union all
                                select replaced_at, octet_length(record_send(row_of))
                                  from replaced_source as row_of where workspace_id = ?
                                union all
                                select created_at, octet_length(record_send(row_of))
                                  from destination_revision as row_of where workspace_id = ?)
                               as kept) as running
                 where total > ?
                """,
                row -> row.instantOrNone("newest"),
                workspace.value(),
                workspace.value(),
                workspace.value(),
                workspace.value(),
                TRIMMED_BYTES);
    }
}
