package dev.sluice.platform.json;

/// Thrown when an [Effort] is used up. The work that used it up returns no result.
public final class EffortSpentException extends RuntimeException {

    private static final long serialVersionUID = 1;

    EffortSpentException() {
        super("the effort is used up", null, false, false);
    }
}
