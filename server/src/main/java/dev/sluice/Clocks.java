package dev.sluice;

import dev.sluice.platform.db.DatabaseClock;
import dev.sluice.platform.db.Db;

import java.time.InstantSource;
import java.util.function.Consumer;

/// The clocks of a server process.
///
/// @param shared follows the database's clock, so that all processes on one database agree
/// @param settled for decisions that cannot be undone: the earlier of the database's settled time
///   and this machine's time. A clock that is ahead, on either machine, then does no harm for good
/// @param setBy synchronises both with the database it is given
record Clocks(InstantSource shared, InstantSource settled, Consumer<Db> setBy) {

    static Clocks ofDatabase() {
        var host = InstantSource.system();
        var shared = new DatabaseClock(host, System::nanoTime);
        return new Clocks(shared, earlierOf(shared.settled(), host), shared::syncWith);
    }

    static InstantSource earlierOf(InstantSource one, InstantSource other) {
        return () -> {
            var first = one.instant();
            var second = other.instant();
            return first.isBefore(second) ? first : second;
        };
    }

    /// Uses `clock` as both clocks and never synchronises it with a database. For tests.
    static Clocks of(InstantSource clock) {
        return new Clocks(clock, clock, _ -> {});
    }
}
