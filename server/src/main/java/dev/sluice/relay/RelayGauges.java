package dev.sluice.relay;

import java.util.function.LongSupplier;
import java.util.function.ToLongFunction;

/// Functions that read the relay's current state in memory, for the metrics of this process.
///
/// @param queuedEvents events that are queued for a commit
/// @param queuedResults results that are queued for a commit
/// @param attemptsInFlight attempts in progress
/// @param attemptLimit maximum number of concurrent attempts
/// @param payloadBytes memory used by the payloads of deliveries, in bytes
/// @param refused ingest requests refused since the start, by reason
public record RelayGauges(
        LongSupplier queuedEvents,
        LongSupplier queuedResults,
        LongSupplier attemptsInFlight,
        LongSupplier attemptLimit,
        LongSupplier payloadBytes,
        ToLongFunction<RefusalReason> refused) {}
