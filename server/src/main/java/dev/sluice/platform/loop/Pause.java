package dev.sluice.platform.loop;

import java.time.Duration;
import java.time.Instant;

/// A time during which a loop leaves something alone. It is over when it has passed, and also when
/// the clock was set back to before its beginning: otherwise it would last as much longer.
/// Immutable.
///
/// @param from when the pause began
/// @param until when it ends
public record Pause(Instant from, Instant until) {

    /// A pause that is over.
    public static final Pause NONE = new Pause(Instant.MIN, Instant.MIN);

    public static Pause of(Instant from, Duration length) {
        return new Pause(from, from.plus(length));
    }

    public boolean isOver(Instant now) {
        return now.isBefore(from) || !now.isBefore(until);
    }
}
