package dev.sluice.features.recovery;

import dev.sluice.engine.ErrorCode;

import java.time.Instant;
import java.util.Optional;

/// A condition on how a dead letter ended. A dismissed dead letter never satisfies a condition.
///
/// @param code the error code with which the delivery must have ended; empty if any code is
///   accepted
/// @param responseStatus the response status that the last attempt must have received; empty if any
///   status is accepted
/// @param endedBefore the delivery must have ended before this time, so that the selection of a
///   running job does not grow
public record FailureCondition(
        Optional<ErrorCode> code, Optional<Integer> responseStatus, Instant endedBefore) {}
