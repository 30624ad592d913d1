package dev.sluice.relay.selection;

import dev.sluice.relay.ErrorCode;

import java.time.Instant;
import java.util.Optional;

/// A condition on how a dead letter ended. A dismissed dead letter does not satisfy any condition.
///
/// @param code the error code with which the delivery must have ended; empty for any
/// @param responseStatus the response status of the last attempt; empty for any
/// @param endedBefore dead letters that ended at this time or later do not satisfy the condition,
///   so that the selection of a running job does not grow
public record FailureCondition(
        Optional<ErrorCode> code, Optional<Integer> responseStatus, Instant endedBefore) {}
