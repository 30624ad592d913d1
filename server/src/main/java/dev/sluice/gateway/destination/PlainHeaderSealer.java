package dev.sluice.gateway.destination;

import dev.sluice.platform.db.Db;
import dev.sluice.platform.db.Tx;

import java.util.List;
import java.util.UUID;

/// Encrypts the custom headers that an older version stored as plain text. Runs when the server
/// starts, before the destinations are loaded. Does nothing if there are none.
public final class PlainHeaderSealer {

    private static final int ROWS_PER_TRANSACTION = 500;

    private record PlainHeaders(UUID destination, String json) {}

    private final DestinationStore destinations;

    public PlainHeaderSealer(DestinationStore destinations) {
        this.destinations = destinations;
    }

    public void run(Db db) {
        int sealed;
        do {
            sealed = db.call(this::sealSome);
        } while (sealed == ROWS_PER_TRANSACTION);
    }

    private int sealSome(Tx tx) {
        var rows =
                tx.query(
                        """
                        select id, custom_headers
                          from destination
                         where custom_headers is not null
                         limit ?
                           for update
                        """,
                        row -> new PlainHeaders(row.uuid("id"), row.text("custom_headers")),
                        ROWS_PER_TRANSACTION);
        tx.updateEach(
                "update destination set sealed_headers = ?, custom_headers = null where id = ?",
                rows.stream().map(this::arguments).toList());
        return rows.size();
    }

    private List<?> arguments(PlainHeaders row) {
        var id = new DestinationId(row.destination());
        return List.of(
                destinations.sealHeaders(CustomHeaders.revealed(row.json()), id), id.value());
    }
}
