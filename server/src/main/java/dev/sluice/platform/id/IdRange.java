package dev.sluice.platform.id;

import java.time.Instant;
import java.util.UUID;

/// A half-open range of version 7 UUIDs. It is also a range of creation times, because a version 7
/// UUID begins with its creation time. Immutable.
///
/// @param low the first id in the range
/// @param high the first id after the range
public record IdRange(UUID low, UUID high) {

    /// All ids made from 1970 to [Uuid7#MAX_TIME].
    public static final IdRange ALL = between(Instant.EPOCH, Uuid7.MAX_TIME);

    public static final IdRange NONE = between(Instant.EPOCH, Instant.EPOCH);

    private static final long MINUTE_MILLIS = 60_000;

    /// Returns the range of ids made at or after `from` and before `to`. Each end of the range is
    /// the [Uuid7#lowerBound(Instant)] of its time.
    public static IdRange between(Instant from, Instant to) {
        return new IdRange(Uuid7.lowerBound(from), Uuid7.lowerBound(to));
    }

    /// Returns the range of ids from `first` to `last`, both inclusive.
    public static IdRange closed(UUID first, UUID last) {
        long low = last.getLeastSignificantBits() + 1;
        return new IdRange(
                first, new UUID(last.getMostSignificantBits() + (low == 0 ? 1 : 0), low));
    }

    /// Returns the range of all ids made in a range of whole minutes.
    ///
    /// @param from the first minute, as minutes since 1970
    /// @param to the first minute after the range, as minutes since 1970
    public static IdRange ofMinutes(long from, long to) {
        return ofMillis(from * MINUTE_MILLIS, to * MINUTE_MILLIS);
    }

    /// Returns the range of all ids made in a range of whole milliseconds.
    ///
    /// @param from the first millisecond, as milliseconds since 1970
    /// @param to the first millisecond after the range, as milliseconds since 1970
    public static IdRange ofMillis(long from, long to) {
        return new IdRange(
                Uuid7.floor(Instant.ofEpochMilli(from)), Uuid7.floor(Instant.ofEpochMilli(to)));
    }

    private static UUID firstIdOfMinute(long minute) {
        return Uuid7.floor(Instant.ofEpochMilli(minute * MINUTE_MILLIS));
    }

    /// Returns the minute in which the range begins, as minutes since 1970.
    public long firstMinute() {
        return minuteOf(low);
    }

    /// Returns the first minute that begins within the range, as minutes since 1970.
    public long firstWholeMinute() {
        return low.equals(firstIdOfMinute(firstMinute())) ? firstMinute() : firstMinute() + 1;
    }

    /// Returns the minute that contains `high`, as minutes since 1970. If `high` is the first id of
    /// that minute, the range contains none of the minute's ids.
    public long lastMinute() {
        return minuteOf(high);
    }

    /// Returns how many milliseconds the range covers.
    public long millis() {
        return Uuid7.millisOf(high) - Uuid7.millisOf(low);
    }

    private static long minuteOf(UUID id) {
        return Uuid7.timeOf(id).toEpochMilli() / MINUTE_MILLIS;
    }

    public boolean isEmpty() {
        return Uuid7.UNSIGNED_ORDER.compare(low, high) >= 0;
    }

    public boolean contains(UUID id) {
        return Uuid7.UNSIGNED_ORDER.compare(low, id) <= 0
                && Uuid7.UNSIGNED_ORDER.compare(id, high) < 0;
    }

    /// Returns the range of ids that are in both ranges.
    public IdRange intersect(IdRange other) {
        return new IdRange(Uuid7.max(low, other.low), Uuid7.min(high, other.high));
    }
}
