package dev.sluice.relay.retention;

import dev.sluice.gateway.connection.ConnectionId;
import dev.sluice.gateway.source.SourceId;

import java.time.Instant;

/// Deliveries of one source on one connection that will end unsent before long.
///
/// @param first when the first of them ends
public record Expiring(SourceId source, ConnectionId connection, long deliveries, Instant first) {}
