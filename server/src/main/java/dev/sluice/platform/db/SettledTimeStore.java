package dev.sluice.platform.db;

import java.time.Instant;
import java.util.Optional;

/// Stores the settled time (see [SettledTime]), so that a process can tell at startup whether the
/// database's clock has jumped since the last save.
final class SettledTimeStore {

    private SettledTimeStore() {}

    /// Returns the most recently saved settled time, or empty in a new database.
    static Optional<Instant> read(Tx tx) {
        return tx.single("select settled_at from clock", row -> row.instantOrNone("settled_at"));
    }

    static void save(Tx tx, Instant settled) {
        tx.update("update clock set settled_at = ?", settled);
    }
}
