package dev.sluice.relay.dispatch;

import dev.sluice.gateway.destination.RateLimit;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;

/// When the next attempt at a destination with a rate limit may start: the generic cell rate
/// algorithm (ITU-T I.371), which is a token bucket kept as one instant.
///
/// Turns are spread evenly. What was not used is not saved up, but for 50 ms: in no second there
/// are more than the limit, 5 % of it and one. A clock that is set back costs at most one turn. All
/// methods are short and hold the monitor of this object; the clock is read in it, so that no
/// thread comes with a time older than that of the thread before.
final class Pace {

    private static final Duration SAVED = Duration.ofMillis(50);

    private final InstantSource clock;

    /// When the next turn would be if they were spread with full evenness.
    private Instant next = Instant.EPOCH;

    Pace(InstantSource clock) {
        this.clock = clock;
    }

    /// Whether a turn can be taken now.
    synchronized boolean isOpen(RateLimit limit) {
        return isOpen(limit, clock.instant());
    }

    private boolean isOpen(RateLimit limit, Instant now) {
        return !next.isAfter(now.plus(SAVED)) || isFromTheFuture(limit, now);
    }

    /// Takes a turn; false when it is too early.
    synchronized boolean take(RateLimit limit) {
        var now = clock.instant();
        if (!isOpen(limit, now)) {
            return false;
        }
        var from = next.isBefore(now) || isFromTheFuture(limit, now) ? now : next;
        next = from.plus(interval(limit));
        return true;
    }

    /// A turn that was taken and found nothing to send.
    synchronized void giveBack(RateLimit limit) {
        next = next.minus(interval(limit));
    }

    /// No turn taken until now can have moved it so far ahead: the clock was set back, or the limit
    /// raised.
    private boolean isFromTheFuture(RateLimit limit, Instant now) {
        return next.isAfter(now.plus(SAVED).plus(interval(limit)));
    }

    private static Duration interval(RateLimit limit) {
        return Duration.ofSeconds(1).dividedBy(limit.perSecond());
    }
}
