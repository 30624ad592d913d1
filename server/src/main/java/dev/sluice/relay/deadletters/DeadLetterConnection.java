package dev.sluice.relay.deadletters;

import dev.sluice.gateway.connection.ConnectionId;
import dev.sluice.gateway.source.SourceId;

/// A connection that may have dead letters.
///
/// @param isResendable whether something can be sent to it now: it is enabled and not deleted
public record DeadLetterConnection(
        ConnectionId connection, SourceId source, boolean isResendable) {}
