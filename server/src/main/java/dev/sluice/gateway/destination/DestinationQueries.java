package dev.sluice.gateway.destination;

import dev.sluice.account.workspace.WorkspaceId;
import dev.sluice.gateway.NameSearch;
import dev.sluice.platform.db.Row;
import dev.sluice.platform.db.Tx;

import java.sql.SQLException;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;

/// Reads data about destinations, but never their secrets.
public final class DestinationQueries {

    private DestinationQueries() {}

    public static boolean exists(Tx tx, WorkspaceId workspace, DestinationId id) {
        return tx.findOne(
                        """
                        select id
                          from destination
                         where id = ? and workspace_id = ? and deleted_at is null
                        """,
                        row -> row.uuid("id"),
                        id.value(),
                        workspace.value())
                .isPresent();
    }

    /// @param q text that the name must contain, ignoring case; empty for all destinations
    static long count(Tx tx, WorkspaceId workspace, String q) {
        return tx.single(
                """
                select count(*) as n
                  from destination
                 where workspace_id = ? and deleted_at is null
                """
                        + NameSearch.CONDITION,
                row -> row.number("n"),
                workspace.value(),
                q,
                q);
    }

    /// Returns a summary of each given destination, keyed by id. Includes deleted destinations
    /// whose rows still exist, and omits unknown ids.
    public static Map<DestinationId, DestinationSummary> summaries(
            Tx tx, Collection<DestinationId> ids) {
        var summaries = new HashMap<DestinationId, DestinationSummary>();
        tx.query(
                        """
                        select destination.id, name, url, status, circuit.state as circuit_state, circuit.reopen_at
                          from destination
                          left join circuit on circuit.destination_id = destination.id
                         where destination.id = any (?)
                        """,
                        DestinationQueries::summary,
                        ids.stream().map(DestinationId::value).toList())
                .forEach(summary -> summaries.put(summary.id(), summary));
        return summaries;
    }

    private static DestinationSummary summary(Row row) throws SQLException {
        return new DestinationSummary(
                new DestinationId(row.uuid("id")),
                row.text("name"),
                row.text("url"),
                row.text("status"),
                CircuitView.read(row));
    }
}
