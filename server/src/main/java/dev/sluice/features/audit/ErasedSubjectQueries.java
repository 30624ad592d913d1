package dev.sluice.features.audit;

import dev.sluice.platform.db.Tx;

import java.util.HashSet;
import java.util.Set;
import java.util.UUID;

/// Reads the ids of the sources and connections that belong to deleted workspaces.
final class ErasedSubjectQueries {

    private ErasedSubjectQueries() {}

    static Set<UUID> read(Tx tx) {
        return new HashSet<>(
                tx.query(
                        """
                        select source.id
                          from source
                          join workspace on workspace.id = workspace_id
                         where workspace.deleted_at is not null
                        union all
                        select connection.id
                          from connection
                          join workspace on workspace.id = workspace_id
                         where workspace.deleted_at is not null
                        """,
                        row -> row.uuid("id")));
    }
}
