package dev.sluice.relay.replay;

import dev.sluice.relay.EventId;

/// An event of a selection, with the state of its deliveries on the selection's connection.
///
/// @param hasSelectedStatus whether one of those deliveries has a requested status
/// @param isDeadLetter whether the newest of those deliveries failed or is exhausted
/// @param isResentByJob whether this job already resent the event
/// @param isResentByOther whether a user resent the event after the job was created, or an
///   overlapping job resent it
record ResendCandidate(
        EventId event,
        boolean hasSelectedStatus,
        boolean isDeadLetter,
        boolean isResentByJob,
        boolean isResentByOther) {

    /// What to do with a candidate.
    enum ResendDecision {
        RESEND,
        ALREADY_RESENT_BY_JOB,
        /// A user or another job has already resent the event.
        RESENT_BY_OTHER,
        /// The event's deliveries do not match the requested statuses.
        NOT_SELECTED
    }

    ResendDecision decide(boolean includesSucceeded) {
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
