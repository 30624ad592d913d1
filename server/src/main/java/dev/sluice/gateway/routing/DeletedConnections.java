package dev.sluice.gateway.routing;

import dev.sluice.gateway.connection.ConnectionId;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.SequencedSet;

/// The connections that this node knows to be deleted: those that were deleted lately, and those
/// that it was asked about.
///
/// Few deleted connections have deliveries left, so a node does not read the others when it starts.
/// A connection that is asked for and not known waits for the next look into the database.
/// Thread-safe.
final class DeletedConnections {

    /// The oldest ones are forgotten first. Whoever needs one of them again asks again.
    private static final int MAX_REMEMBERED = 100_000;

    private final SequencedMap<ConnectionId, RouteDeletion> known = new LinkedHashMap<>();
    private final SequencedSet<ConnectionId> asked = new LinkedHashSet<>();

    /// Returns the connection's deletion, if this node knows it. Otherwise the connection is among
    /// those to be looked up.
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

    /// Removes and returns connections that were asked for and not known.
    synchronized List<ConnectionId> takeAsked(int limit) {
        var taken = new ArrayList<ConnectionId>();
        while (taken.size() < limit && !asked.isEmpty()) {
            taken.add(asked.removeFirst());
        }
        return taken;
    }
}
