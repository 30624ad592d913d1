package dev.sluice.engine;

import java.util.function.LongSupplier;
import java.util.function.ToLongFunction;

/// Functions that return the relay's current values from memory, for this process's metrics.
///
/// @param queuedEvents the number of events that are waiting to be committed
/// @param queuedResults the number of delivery results that are waiting to be committed
/// @param attemptsInFlight the number of attempts in progress
/// @param attemptLimit the maximum number of concurrent attempts
/// @param pacedDestinations the number of destinations whose pace this node has lowered
/// @param payloadBytes the memory, in bytes, that delivery payloads use
/// @param refused for each reason, the number of ingest requests refused since the process started
public record RelayGauges(
        LongSupplier queuedEvents,
        LongSupplier queuedResults,
        LongSupplier attemptsInFlight,
        LongSupplier attemptLimit,
        LongSupplier pacedDestinations,
        LongSupplier payloadBytes,
        ToLongFunction<RefusalReason> refused) {}
