package dev.sluice.features.recovery;

import dev.sluice.gateway.connection.ConnectionId;
import dev.sluice.gateway.source.SourceId;

/// A connection that a request about dead letters selects, whether or not it has any dead letters.
///
/// @param isResendable whether dead letters can be resent on the connection now. This requires that
///   the connection is enabled, and that neither the connection nor its destination is deleted
public record DeadLetterConnection(
        ConnectionId connection, SourceId source, boolean isResendable) {}
