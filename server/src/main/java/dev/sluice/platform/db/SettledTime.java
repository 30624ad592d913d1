package dev.sluice.platform.db;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/// The time used for decisions that cannot be undone, such as erasing events.
///
/// The settled time normally equals the database's clock. If that clock is set back, the settled
/// time follows immediately. If that clock jumps forward by more than 10 minutes, the settled time
/// first continues as if there had been no jump. The settled time follows only after the jump has
/// lasted for an hour. Immutable; performs no I/O and does not read any clock.
///
/// @param time the settled time at `nanos`
/// @param nanos a value of the monotonic clock
/// @param leap the jump that the settled time has not followed yet, or empty if there is none
record SettledTime(Instant time, long nanos, Optional<Leap> leap) {

    /// A forward jump of the database's clock.
    ///
    /// @param ahead how far that clock is ahead of the settled time
    /// @param sinceNanos when the jump was first seen, according to the monotonic clock
    record Leap(Duration ahead, long sinceNanos) {}

    /// How far the database's clock may be ahead of the settled time before the difference counts
    /// as a jump.
    static final Duration MIN_LEAP = Duration.ofMinutes(10);

    /// How long a jump must last before the settled time follows it.
    static final Duration SETTLE_TIME = Duration.ofHours(1);

    static SettledTime at(Instant time, long nanos) {
        return new SettledTime(time, nanos, Optional.empty());
    }

    /// Returns the settled time at a later value of the monotonic clock.
    Instant at(long now) {
        return time.plusNanos(now - nanos);
    }

    /// Returns the settled time after a reading of the database's clock. If the size of a jump
    /// changes by more than 10 minutes, it counts as a new jump, which must also last for an hour.
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
