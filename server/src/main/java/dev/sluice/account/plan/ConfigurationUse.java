package dev.sluice.account.plan;

import dev.sluice.account.workspace.WorkspaceId;
import dev.sluice.platform.db.Tx;

/// How many bytes a workspace's configuration takes. The database keeps the sums with triggers, in
/// the transaction that writes the rows (`docs/adr/0055`).
///
/// @param bytes the bytes of sources, destinations, connections and alert channels, including
///   sources in the trash
/// @param deletedBytes the bytes of deleted rows that are still kept
/// @param replacedBytes the bytes of replaced settings, names and URLs that are still kept
/// @param writtenBytes the bytes of all these rows that were ever written; never decreases
public record ConfigurationUse(
        long bytes, long deletedBytes, long replacedBytes, long writtenBytes) {

    /// The maximum of [#deletedBytes] at which a workspace may still add configuration.
    static final long MAX_DELETED_BYTES = 16L * 1024 * 1024;

    public static ConfigurationUse of(Tx tx, WorkspaceId workspace) {
        return tx.findOne(
                        """
                        select bytes, deleted_bytes, replaced_bytes, written_bytes
                          from configuration_use
                         where workspace_id = ?
                        """,
                        row ->
                                new ConfigurationUse(
                                        row.number("bytes"),
                                        row.number("deleted_bytes"),
                                        row.number("replaced_bytes"),
                                        row.number("written_bytes")),
                        workspace.value())
                .orElse(new ConfigurationUse(0, 0, 0, 0));
    }
}
