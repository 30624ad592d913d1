package dev.sluice.platform.assembly;

import dev.sluice.platform.db.Database;
import dev.sluice.platform.db.Db;
import dev.sluice.platform.loop.Shutdown;

import java.time.Duration;
import java.util.List;

/// A server's database connection pools. They are separate so that no pool can exhaust the
/// connections of another.
///
/// @param api serves the management API; workspaces share its connections, so that the requests of
///   one cannot keep those of another from the database
/// @param access serves the statements that identify the callers of the management API, so that a
///   caller is known even while all connections of `api` are in use; shared in the same way
/// @param relay serves the relay's background work, so that load on the API cannot affect it
/// @param delivery serves the statements that deliveries wait for, so that background work cannot
///   delay them. Such statements load deliveries, configuration and circuits, or write the times at
///   which lanes are due
/// @param node serves node heartbeats and takeovers, so that no other work can make this node lose
///   its lease
public record Pools(Db api, Db access, Db relay, Db delivery, Db node) {

    private static final int API_CONNECTIONS = 10;
    private static final int ACCESS_CONNECTIONS = 4;
    private static final int RELAY_CONNECTIONS = 8;
    private static final int DELIVERY_CONNECTIONS = 4;
    private static final int NODE_CONNECTIONS = 2;

    /// The time limit for one API statement. It is short because a request waits for the result.
    /// The other pools have the longer `CHORE_TIMEOUT`.
    private static final Duration API_TIMEOUT = Duration.ofSeconds(5);

    private static final Duration CHORE_TIMEOUT = Duration.ofSeconds(60);

    /// Returns all pools, starting with the API's pool.
    public List<Db> all() {
        return List.of(api, access, relay, delivery, node);
    }

    public static Pools open(Database database, Shutdown shutdown) {
        return new Pools(
                shutdown.closing(
                        "pool api", Db.openShared(database, "api", API_CONNECTIONS, API_TIMEOUT)),
                shutdown.closing(
                        "pool access",
                        Db.openShared(database, "access", ACCESS_CONNECTIONS, API_TIMEOUT)),
                shutdown.closing(
                        "pool relay", Db.open(database, "relay", RELAY_CONNECTIONS, CHORE_TIMEOUT)),
                shutdown.closing(
                        "pool delivery",
                        Db.open(database, "delivery", DELIVERY_CONNECTIONS, CHORE_TIMEOUT)),
                shutdown.closing(
                        "pool node", Db.open(database, "node", NODE_CONNECTIONS, CHORE_TIMEOUT)));
    }
}
