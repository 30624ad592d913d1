package dev.sluice.platform.loop;

import java.time.Duration;
import java.time.Instant;

/// A period during which a loop skips part of its work. The pause ends at `until`. If the clock is
/// set back to before `from`, the pause ends early, because it would otherwise last too long.
/// Immutable.
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
