package dev.sluice.relay.replay;

import dev.sluice.relay.ErrorCode;

import java.time.Instant;
import java.util.Optional;

/// A condition on how a dead letter ended. Dismissed dead letters never fulfil it.
///
/// @param code the error code of the last attempt
/// @param responseStatus the status of the last response
/// @param endedBefore dead letters that ended at this time or later do not fulfil it, so that the
///   selection of a running job does not grow
record FailureCondition(
        Optional<ErrorCode> code, Optional<Integer> responseStatus, Instant endedBefore) {}
