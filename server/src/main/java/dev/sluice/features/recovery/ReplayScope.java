package dev.sluice.features.recovery;

import dev.sluice.gateway.connection.ConnectionId;
import dev.sluice.gateway.source.SourceId;

import java.util.List;
import java.util.Optional;
import java.util.UUID;

/// The connections that a replay job covers, and the maximum number and rate of its resends.
/// [dev.sluice.features.recovery.ResendSelection] describes which events are resent.
///
/// @param connections all connections that the job covers
/// @param waiting the connections still to be processed after the current one
/// @param maxCreated the number of resends after which the job is completed; empty for no limit
/// @param perSecond the maximum number of resends to create per second; empty for no limit
record ReplayScope(
        List<ConnectionId> connections,
        List<WaitingConnection> waiting,
        Optional<Long> maxCreated,
        Optional<Integer> perSecond) {

    static final int MIN_PER_SECOND = 1;
    static final int MAX_PER_SECOND = 10_000;

    /// A connection that the job has not processed yet, or has processed only in part.
    ///
    /// @param after the delivery id after which the job continues on this connection
    record WaitingConnection(ConnectionId connection, SourceId source, UUID after) {}

    ReplayScope {
        connections = List.copyOf(connections);
        waiting = List.copyOf(waiting);
    }

    static ReplayScope of(ConnectionId connection) {
        return new ReplayScope(List.of(connection), List.of(), Optional.empty(), Optional.empty());
    }
}
