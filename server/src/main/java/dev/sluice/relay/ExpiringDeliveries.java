package dev.sluice.relay;

import dev.sluice.gateway.connection.ConnectionId;
import dev.sluice.gateway.source.SourceId;

import java.time.Instant;

/// How many unfinished deliveries of one connection will expire soon, and when the first of them
/// does.
///
/// @param deliveries the number of deliveries
/// @param first the time when the first of the deliveries expires
public record ExpiringDeliveries(
        SourceId source, ConnectionId connection, long deliveries, Instant first) {}
