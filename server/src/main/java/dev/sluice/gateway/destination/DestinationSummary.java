package dev.sluice.gateway.destination;

import dev.sluice.platform.db.Row;
import dev.sluice.platform.db.Tx;
import dev.sluice.platform.json.JsonObject;

import java.sql.SQLException;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;

/// What a list of connections shows of a destination: enough to tell whether it takes deliveries.
public record DestinationSummary(
        DestinationId id, String name, String url, String status, CircuitView circuit) {

    /// Those of `ids` that exist, by id.
    public static Map<DestinationId, DestinationSummary> of(Tx tx, Collection<DestinationId> ids) {
        var summaries = new HashMap<DestinationId, DestinationSummary>();
        tx.query(
                        """
                        select destination.id, name, url, status, circuit.state as circuit_state, circuit.reopen_at
                          from destination
                          left join circuit on circuit.destination_id = destination.id
                         where destination.id = any (?)
                        """,
                        DestinationSummary::read,
                        ids.stream().map(DestinationId::value).toList())
                .forEach(summary -> summaries.put(summary.id(), summary));
        return summaries;
    }

    private static DestinationSummary read(Row row) throws SQLException {
        return new DestinationSummary(
                new DestinationId(row.uuid("id")),
                row.text("name"),
                row.text("url"),
                row.text("status"),
                CircuitView.read(row));
    }

    public JsonObject json() {
        return new JsonObject()
                .put("id", id)
                .put("name", name)
                .put("url", url)
                .put("status", status)
                .put("circuit_state", circuit.state())
                .put("circuit_reopen_at", circuit.reopenAt());
    }
}
