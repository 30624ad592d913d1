package dev.sluice.platform.db;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/// The time by which decisions are made that cannot be undone, such as erasing events.
///
/// It follows the database's clock back at once. It follows a leap forward only after the leap has
/// lasted for an hour: until then it goes on as if there had been none. An immutable value that
/// does no I/O and reads no clock.
///
/// @param time the time at `nanos`
/// @param nanos a value of the monotonic clock
/// @param leap the leap that is waited out now; empty if there is none
record SettledTime(Instant time, long nanos, Optional<Leap> leap) {

    /// A clock that is ahead of the settled time.
    ///
    /// @param ahead by how much
    /// @param sinceNanos when this was first seen, by the monotonic clock
    record Leap(Duration ahead, long sinceNanos) {}

    /// The least difference that counts as a leap.
    static final Duration MIN_LEAP = Duration.ofMinutes(10);

    /// How long a leap must last until it is believed.
    static final Duration SETTLE_TIME = Duration.ofHours(1);

    static SettledTime at(Instant time, long nanos) {
        return new SettledTime(time, nanos, Optional.empty());
    }

    /// Returns the settled time at a later value of the monotonic clock.
    Instant at(long now) {
        return time.plusNanos(now - nanos);
    }

    /// Returns the settled time after the database's clock was read.
    SettledTime afterReading(Instant databaseTime, long now) {
        var ahead = Duration.between(at(now), databaseTime);
        if (ahead.compareTo(MIN_LEAP) <= 0) {
            return at(databaseTime, now);
        }
        var current =
                leap.filter(known -> known.ahead().minus(ahead).abs().compareTo(MIN_LEAP) <= 0)
                        .orElse(new Leap(ahead, now));
        return now - current.sinceNanos() >= SETTLE_TIME.toNanos()
                ? at(databaseTime, now)
                : new SettledTime(time, nanos, Optional.of(current));
    }
}
