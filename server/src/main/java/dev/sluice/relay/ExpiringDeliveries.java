package dev.sluice.relay;

import dev.sluice.gateway.connection.ConnectionId;
import dev.sluice.gateway.source.SourceId;

import java.time.Instant;

/// The deliveries from one source to one connection that will expire soon.
///
/// @param first time when the first of them expires
public record ExpiringDeliveries(
        SourceId source, ConnectionId connection, long deliveries, Instant first) {}
