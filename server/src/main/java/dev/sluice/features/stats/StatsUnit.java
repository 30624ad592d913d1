package dev.sluice.features.stats;

import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.Locale;

/// The length of a histogram's buckets: an hour, a day or a month, in UTC.
enum StatsUnit {
    HOUR(ChronoUnit.HOURS),
    DAY(ChronoUnit.DAYS),
    MONTH(ChronoUnit.MONTHS);

    private final ChronoUnit length;

    StatsUnit(ChronoUnit length) {
        this.length = length;
    }

    /// Returns the start of the bucket that contains this time.
    Instant floor(Instant time) {
        var utc = time.atOffset(ZoneOffset.UTC);
        var floor =
                switch (this) {
                    case HOUR, DAY -> utc.truncatedTo(length);
                    case MONTH -> utc.truncatedTo(ChronoUnit.DAYS).withDayOfMonth(1);
                };
        return floor.toInstant();
    }

    /// Returns `time` if a bucket starts then, otherwise the start of the next bucket.
    Instant ceil(Instant time) {
        var floor = floor(time);
        return floor.equals(time) ? time : next(floor);
    }

    /// Returns the start of the bucket after the one that starts at `start`.
    Instant next(Instant start) {
        return OffsetDateTime.ofInstant(start, ZoneOffset.UTC).plus(1, length).toInstant();
    }

    String text() {
        return name().toLowerCase(Locale.ROOT);
    }
}
