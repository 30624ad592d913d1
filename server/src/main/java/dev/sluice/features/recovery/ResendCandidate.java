package dev.sluice.features.recovery;

import dev.sluice.engine.EventId;

/// An event that a bulk resend may select, with the state of its deliveries on the selection's
/// connection.
///
/// @param hasSelectedStatus whether one of those deliveries has a requested status
/// @param isDeadLetter whether the newest of those deliveries failed or is exhausted
/// @param isResentByJob whether the job for which the candidate was read has already resent the
///   event; false if there is no job
/// @param isResentByOther whether the event was resent since the job was created, or was resent by
///   an overlapping earlier job; also true if the job itself resent the event
public record ResendCandidate(
        EventId event,
        boolean hasSelectedStatus,
        boolean isDeadLetter,
        boolean isResentByJob,
        boolean isResentByOther) {

    /// The decision on whether to resend a candidate.
    public enum ResendDecision {
        RESEND,
        ALREADY_RESENT_BY_JOB,
        /// A user or another job has already resent the event.
        RESENT_BY_OTHER,
        /// The selection does not include the event (see [ResendSelection#includesSucceeded]).
        NOT_SELECTED
    }

    public ResendDecision decide(boolean includesSucceeded) {
        if (isResentByJob) {
            return ResendDecision.ALREADY_RESENT_BY_JOB;
        }
        if (!hasSelectedStatus) {
            return ResendDecision.NOT_SELECTED;
        }
        if (isResentByOther) {
            return ResendDecision.RESENT_BY_OTHER;
        }
        return isDeadLetter || includesSucceeded
                ? ResendDecision.RESEND
                : ResendDecision.NOT_SELECTED;
    }
}
