package dev.sluice.platform.loop;

import java.time.Duration;
import java.time.Instant;

/// A time during which a loop does not repeat some work. A pause is also over if the clock was set
/// back to a time before its beginning. Otherwise it would last too long. Immutable.
///
/// @param from when the pause began
/// @param until when the pause ends
public record Pause(Instant from, Instant until) {

    /// A pause that is already over.
    public static final Pause NONE = new Pause(Instant.MIN, Instant.MIN);

    public static Pause of(Instant from, Duration length) {
        return new Pause(from, from.plus(length));
    }

    public boolean isOver(Instant now) {
        return now.isBefore(from) || !now.isBefore(until);
    }
}
