package dev.sluice.engine;

import dev.sluice.gateway.connection.ConnectionId;
import dev.sluice.gateway.source.SourceId;

import java.time.Instant;

/// How many of one connection's unfinished deliveries will expire soon, and when the first of them
/// expires.
///
/// @param deliveries how many deliveries will expire soon
/// @param first the time when the first of these deliveries expires
public record ExpiringDeliveries(
        SourceId source, ConnectionId connection, long deliveries, Instant first) {}
