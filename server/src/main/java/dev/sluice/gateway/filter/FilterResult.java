package dev.sluice.gateway.filter;

/// What a filter decides about an event.
public enum FilterResult {
    PASSES,
    FILTERED,
    /// The effort for the event was used up before the filter had a result.
    UNDECIDED;

    static FilterResult of(boolean passes) {
        return passes ? PASSES : FILTERED;
    }
}
