package dev.sluice.relay.replay;

import dev.sluice.gateway.connection.ConnectionId;
import dev.sluice.gateway.source.SourceId;

import java.util.List;
import java.util.Optional;
import java.util.UUID;

/// The connections of a job, and how much and how fast it may resend.
///
/// @param connections all connections of the job
/// @param waiting those that follow the present one
/// @param maxCreated the number of resends after which the job is completed
/// @param perSecond the number of resends that the job may create in one second
record ReplayScope(
        List<ConnectionId> connections,
        List<WaitingConnection> waiting,
        Optional<Long> maxCreated,
        Optional<Integer> perSecond) {

    static final int MIN_PER_SECOND = 1;
    static final int MAX_PER_SECOND = 10_000;

    /// A connection whose turn has not come yet, or comes again.
    ///
    /// @param after the position from which the job continues there
    record WaitingConnection(ConnectionId connection, SourceId source, UUID after) {}

    ReplayScope {
        connections = List.copyOf(connections);
        waiting = List.copyOf(waiting);
    }

    static ReplayScope of(ConnectionId connection) {
        return new ReplayScope(List.of(connection), List.of(), Optional.empty(), Optional.empty());
    }
}
