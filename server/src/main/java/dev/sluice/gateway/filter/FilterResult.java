package dev.sluice.gateway.filter;

/// A filter's decision about an event.
public enum FilterResult {
    PASSES,
    FILTERED,
    /// The effort that may be spent on the event was used up before the filter had a result.
    UNDECIDED;

    static FilterResult of(boolean passes) {
        return passes ? PASSES : FILTERED;
    }
}
