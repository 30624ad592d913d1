package dev.sluice.history;

import dev.sluice.platform.http.QueryParameters;
import dev.sluice.platform.id.IdRange;
import dev.sluice.platform.id.Uuid7;

import java.time.Instant;
import java.util.Optional;

/// A filter on the time when an event was received.
///
/// @param after the beginning of the range, inclusive; empty if the range has no beginning
/// @param before the end of the range, exclusive; empty if the range has no end
public record ReceivedTimeRange(Optional<Instant> after, Optional<Instant> before) {

    public static final ReceivedTimeRange ALL =
            new ReceivedTimeRange(Optional.empty(), Optional.empty());

    /// Reads `received_after` and `received_before`. Invalid values are recorded in `query`, whose
    /// `check` method reports them.
    public static ReceivedTimeRange of(QueryParameters query) {
        return new ReceivedTimeRange(query.time("received_after"), query.time("received_before"));
    }

    /// Returns the range of ids of the unexpired events received in this time range.
    ///
    /// @param since events received before this time are expired
    public IdRange ids(Instant since) {
        return IdRange.between(since, Uuid7.MAX_TIME)
                .intersect(IdRange.between(after.orElse(since), before.orElse(Uuid7.MAX_TIME)));
    }
}
