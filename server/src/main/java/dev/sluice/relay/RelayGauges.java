package dev.sluice.relay;

import java.util.function.LongSupplier;
import java.util.function.ToLongFunction;

/// Reads what the relay has in memory now, for the metrics of this process.
///
/// @param queuedEvents events that wait for their commit
/// @param queuedResults results that wait for their commit
/// @param attemptsInFlight attempts under way
/// @param attemptLimit attempts that may be under way at a time
/// @param payloadBytes memory of the payloads of deliveries
/// @param refused ingest requests refused since the start, by reason
public record RelayGauges(
        LongSupplier queuedEvents,
        LongSupplier queuedResults,
        LongSupplier attemptsInFlight,
        LongSupplier attemptLimit,
        LongSupplier payloadBytes,
        ToLongFunction<RefusalReason> refused) {}
