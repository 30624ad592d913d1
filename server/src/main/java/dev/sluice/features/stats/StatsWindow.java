package dev.sluice.features.stats;

import dev.sluice.account.plan.UsageKind;
import dev.sluice.history.ReceivedTimeRange;
import dev.sluice.platform.http.QueryParameters;
import dev.sluice.platform.json.JsonObject;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/// The time range of a statistics request, widened to whole buckets.
///
/// @param askedAfter the requested start, inclusive
/// @param askedBefore the requested end, exclusive
record StatsWindow(Instant askedAfter, Instant askedBefore, StatsUnit unit) {

    private static final Duration DEFAULT_LENGTH = Duration.ofDays(1);
    private static final Duration MAX_HOURLY_LENGTH = Duration.ofDays(2);
    private static final Duration MAX_DAILY_LENGTH = Duration.ofDays(90);
    private static final Duration MAX_LENGTH = Duration.ofDays(3_653);

    /// Reads `received_after` and `received_before`. By default, the window ends now and begins 24
    /// hours before its end. Invalid values are recorded in `query`, whose `check` method reports
    /// them.
    static StatsWindow of(QueryParameters query, Instant now) {
        var range = ReceivedTimeRange.of(query);
        var before = range.before().orElse(now);
        var after = range.after().orElseGet(() -> before.minus(DEFAULT_LENGTH));
        if (!after.isBefore(before)) {
            query.addError(
                    "received_after",
                    "must be before "
                            + range.before().map(_ -> "received_before").orElse("the present time")
                            + ".");
        } else if (Duration.between(after, before).compareTo(MAX_LENGTH) > 0) {
            query.addError("received_after", "must be at most ten years before the end.");
        }
        return between(after, before, now);
    }

    /// Returns the window, with a unit that suits its length: hours for up to two days, days for up
    /// to 90 days, and months otherwise. If the hourly counts for the start of the window are no
    /// longer kept, the unit is days instead of hours.
    static StatsWindow between(Instant after, Instant before, Instant now) {
        return new StatsWindow(after, before, unit(after, before, now));
    }

    private static StatsUnit unit(Instant after, Instant before, Instant now) {
        var length = Duration.between(after, before);
        if (length.compareTo(MAX_HOURLY_LENGTH) <= 0
                && !after.isBefore(now.minus(UsageKind.HOURLY_RETENTION))) {
            return StatsUnit.HOUR;
        }
        return length.compareTo(MAX_DAILY_LENGTH) <= 0 ? StatsUnit.DAY : StatsUnit.MONTH;
    }

    /// Returns the start of the first bucket.
    Instant after() {
        return unit.floor(askedAfter);
    }

    /// Returns the end of the last bucket.
    Instant before() {
        return unit.ceil(askedBefore);
    }

    /// Returns the start of each bucket, oldest first.
    List<Instant> starts() {
        var starts = new ArrayList<Instant>();
        for (var start = after(); start.isBefore(before()); start = unit.next(start)) {
            starts.add(start);
        }
        return starts;
    }

    /// Returns the fields that come first in every reply about the window.
    JsonObject json() {
        return new JsonObject()
                .put("window", range(after(), before()))
                .put("asked", range(askedAfter, askedBefore))
                .put("bucket", unit.text());
    }

    static JsonObject range(Instant after, Instant before) {
        return new JsonObject().put("after", after).put("before", before);
    }
}
