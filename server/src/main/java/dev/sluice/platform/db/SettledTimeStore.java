package dev.sluice.platform.db;

import java.time.Instant;
import java.util.Optional;

/// Stores the settled time, so that a process that starts while the database's clock is wrong
/// notices it.
final class SettledTimeStore {

    private SettledTimeStore() {}

    /// Returns the settled time of the process that saved it last; empty in a new database.
    static Optional<Instant> read(Tx tx) {
        return tx.single("select settled_at from clock", row -> row.instantOrNone("settled_at"));
    }

    static void save(Tx tx, Instant settled) {
        tx.update("update clock set settled_at = ?", settled);
    }
}
