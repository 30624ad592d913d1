package dev.sluice.gateway.destination;

import dev.sluice.platform.db.Db;

/// Encrypts the custom headers that an older version stored as plain text, if there are any. Runs
/// when the server starts, before the destinations are loaded.
public final class PlainHeaderSealer {

    private static final int ROWS_PER_TRANSACTION = 500;

    private final DestinationStore destinations;

    public PlainHeaderSealer(DestinationStore destinations) {
        this.destinations = destinations;
    }

    public void run(Db db) {
        int sealed;
        do {
            sealed = db.call(tx -> destinations.sealPlainHeaders(tx, ROWS_PER_TRANSACTION));
        } while (sealed == ROWS_PER_TRANSACTION);
    }
}
