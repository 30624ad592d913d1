package dev.sluice.gateway.routing;

import dev.sluice.gateway.connection.ConnectionId;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.SequencedSet;

/// A bounded cache that records how connections were deleted, and a queue of connections that may
/// be deleted and must be looked up in the database.
///
/// Few deleted connections have deliveries left, so a node does not load the deleted connections
/// when it starts. Instead, [ConfigurationCache#run] looks up connections that callers asked for
/// but that are not in memory. Thread-safe.
final class DeletedConnections {

    /// The maximum size of the cache, and of the queue. A full cache drops the connection that was
    /// added first. A full queue ignores a new connection; a later [#find] adds the connection if
    /// there is room by then.
    private static final int MAX_REMEMBERED = 100_000;

    private final SequencedMap<ConnectionId, RouteDeletion> known = new LinkedHashMap<>();
    private final SequencedSet<ConnectionId> asked = new LinkedHashSet<>();

    /// Returns the connection's deletion if it is in memory. Otherwise returns empty, and queues
    /// the connection to be looked up unless the queue is full.
    synchronized Optional<RouteDeletion> find(ConnectionId connection) {
        var deletion = known.get(connection);
        if (deletion == null && asked.size() < MAX_REMEMBERED) {
            asked.add(connection);
        }
        return Optional.ofNullable(deletion);
    }

    synchronized void add(ConnectionId connection, RouteDeletion deletion) {
        known.put(connection, deletion);
        if (known.size() > MAX_REMEMBERED) {
            known.pollFirstEntry();
        }
    }

    /// Removes and returns up to `limit` connections that are queued to be looked up.
    synchronized List<ConnectionId> takeAsked(int limit) {
        var taken = new ArrayList<ConnectionId>();
        while (taken.size() < limit && !asked.isEmpty()) {
            taken.add(asked.removeFirst());
        }
        return taken;
    }
}
