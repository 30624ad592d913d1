package dev.sluice.engine.share;

import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashSet;
import java.util.SequencedSet;

/// Decides whether a destination is slow, based on how long its last attempt took and how long its
/// current attempts have been running. A slow destination is *unproven* (see [Standing]), as is an
/// untried one. [FairPermits] gives unproven destinations one half of the permits, so that they
/// cannot delay the others.
///
/// A destination is proven if its last finished attempt took at most a second, whatever the
/// outcome, and no attempt has been running for longer. A destination without a finished attempt is
/// unproven. Not thread-safe: the queue that owns the detector guards it.
public final class SlownessDetector {

    /// The longest that an attempt may take while its destination still counts as proven.
    public static final Duration PROMPT = Duration.ofSeconds(1);

    /// An attempt that runs for longer is slow: its permit moves to the share for slow attempts.
    public static final Duration SLOW_AFTER = Duration.ofSeconds(2);

    /// The attempts in progress, earliest first.
    private final SequencedSet<Run> inProgress = new LinkedHashSet<>();

    private boolean wasLastPrompt;

    /// One attempt in progress, compared by identity.
    public static final class Run {
        private final Instant beganAt;

        private Run(Instant beganAt) {
            this.beganAt = beganAt;
        }
    }

    /// Records that an attempt is beginning. The caller must pass the returned object to [#ended]
    /// or [#withdrawn].
    public Run began(Instant now) {
        var run = new Run(now);
        inProgress.add(run);
        return run;
    }

    /// Removes an attempt that was not made or whose outcome is unknown. It does not count as
    /// finished.
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
