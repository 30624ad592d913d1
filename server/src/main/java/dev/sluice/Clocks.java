package dev.sluice;

import dev.sluice.platform.db.DatabaseClock;
import dev.sluice.platform.db.Db;

import java.time.InstantSource;
import java.util.function.Consumer;

/// The clocks of a server process.
///
/// @param shared the clock that follows the database's clock, so that all processes that share a
///   database agree on the time
/// @param settled the clock for decisions that cannot be undone. It shows the earlier of the
///   database's settled time (see [DatabaseClock#settled()]) and this machine's time, so a single
///   clock that is ahead cannot trigger such a decision too early
/// @param setBy synchronizes `shared` and `settled` with the time of the given database
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

    /// Returns clocks that both follow `clock` and are never synchronized with a database. For
    /// tests.
    static Clocks of(InstantSource clock) {
        return new Clocks(clock, clock, _ -> {});
    }
}
