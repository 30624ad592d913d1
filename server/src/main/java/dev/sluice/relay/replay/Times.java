package dev.sluice.relay.replay;

import dev.sluice.account.plan.Retention;
import dev.sluice.platform.id.Uuid7;

import java.time.DateTimeException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.temporal.ChronoUnit;
import java.util.UUID;
import java.util.regex.Pattern;

/// Bounds of time as bounds of ids. Times count by the millisecond, as ids do.
final class Times {

    private static final Pattern RFC_3339 =
            Pattern.compile(
                    "\\d{4}-\\d\\d-\\d\\d[Tt]\\d\\d:\\d\\d:\\d\\d(\\.\\d{1,9})?([Zz]|[-+]\\d\\d:\\d\\d)");

    private static final Instant LATEST = Instant.parse("9999-12-31T00:00:00Z");

    private Times() {}

    /// @throws IllegalArgumentException with a message that continues the field's name
    static Instant parse(String text) {
        try {
            if (RFC_3339.matcher(text).matches()) {
                return OffsetDateTime.parse(text).toInstant();
            }
        } catch (DateTimeException e) {
            // said below
        }
        throw new IllegalArgumentException(
                "must be a time as in RFC 3339, such as 2026-03-01T12:00:00Z.");
    }

    /// Lies between all ids made before `at` and all made then or later: what came in within a
    /// millisecond stands at its beginning.
    static UUID before(Instant at) {
        var later = at.plusNanos(999_999).truncatedTo(ChronoUnit.MILLIS);
        if (later.isBefore(Instant.EPOCH)) {
            return Uuid7.floor(Instant.EPOCH);
        }
        return Uuid7.floor(later.isAfter(LATEST) ? LATEST : later);
    }

    /// Lies between the ids of events that are past their retention and those that are kept.
    static UUID keptAfter(Instant now, Retention retention) {
        return Uuid7.floor(retention.expiredAt(now).plusMillis(1));
    }

    /// As PostgreSQL compares them, byte by byte.
    static UUID later(UUID one, UUID other) {
        return compare(one, other) >= 0 ? one : other;
    }

    static UUID earlier(UUID one, UUID other) {
        return compare(one, other) <= 0 ? one : other;
    }

    private static int compare(UUID one, UUID other) {
        int high =
                Long.compareUnsigned(one.getMostSignificantBits(), other.getMostSignificantBits());
        return high != 0
                ? high
                : Long.compareUnsigned(
                        one.getLeastSignificantBits(), other.getLeastSignificantBits());
    }

    /// When a job is said to be made: now, with microseconds of its own, so that its deliveries,
    /// which have the same, are told from other resends.
    static Instant ofJob(UUID id, Instant now) {
        long micros = Math.floorMod(id.getLeastSignificantBits(), 1_000L);
        return now.truncatedTo(ChronoUnit.MILLIS).plus(micros, ChronoUnit.MICROS);
    }
}
