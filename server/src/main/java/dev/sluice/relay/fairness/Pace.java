package dev.sluice.relay.fairness;

import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashSet;
import java.util.SequencedSet;

/// Judges from one destination's attempts whether it is proven.
///
/// A destination is proven while its latest attempt ended within a second, whatever the outcome,
/// and no attempt in progress has taken longer than that. A destination with no attempts yet is
/// unproven. Not thread-safe: the queue that owns the pace guards it.
public final class Pace {

    /// How long an attempt may take if the destination is to be proven.
    public static final Duration PROMPT = Duration.ofSeconds(1);

    /// The attempts in progress, the earliest first.
    private final SequencedSet<Run> inProgress = new LinkedHashSet<>();

    private boolean wasLastPrompt;

    /// One attempt in progress, compared by identity.
    public static final class Run {
        private final Instant beganAt;

        private Run(Instant beganAt) {
            this.beganAt = beganAt;
        }
    }

    /// Records that an attempt begins. The caller must report its end with the returned object.
    public Run began(Instant now) {
        var run = new Run(now);
        inProgress.add(run);
        return run;
    }

    /// Records that an attempt ended and revealed nothing about the destination.
    public void withdrawn(Run run) {
        inProgress.remove(run);
    }

    public void ended(Run run, Duration latency) {
        inProgress.remove(run);
        wasLastPrompt = latency.compareTo(PROMPT) <= 0;
    }

    public Standing standing(Instant now) {
        return wasLastPrompt && !isOverdue(now) ? Standing.PROVEN : Standing.UNPROVEN;
    }

    private boolean isOverdue(Instant now) {
        return !inProgress.isEmpty() && inProgress.getFirst().beganAt.plus(PROMPT).isBefore(now);
    }
}
