package dev.sluice.engine.share;

import dev.sluice.gateway.destination.RateLimit;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;

/// Limits the number of attempts per second at one destination to the destination's [RateLimit]. It
/// uses the generic cell rate algorithm (specified in ITU-T I.371): a token bucket whose state is a
/// single instant. (`IngestRateLimiter` and `ApiRateLimiter` limit the requests to ingest and to
/// the API.)
///
/// Slots, one for each allowed attempt, are spread evenly over time. Unused slots are lost, except
/// those from the last 50 ms. Any one second therefore has at most 5 % more attempts than the
/// limit, plus one. If the clock is set back, the next attempt waits for at most the time between
/// two slots.
///
/// All methods are short and synchronize on this object. The clock is read while the monitor is
/// held. Each thread therefore sees a time no earlier than the previous thread did, unless the
/// clock is set back.
public final class RateLimiter {

    private static final Duration BURST_ALLOWANCE = Duration.ofMillis(50);

    private final InstantSource clock;

    /// When the next slot begins if slots are spread exactly evenly.
    private Instant nextSlot = Instant.EPOCH;

    public RateLimiter(InstantSource clock) {
        this.clock = clock;
    }

    /// Whether a slot is free now.
    public synchronized boolean isAllowed(RateLimit limit) {
        return isAllowed(limit, clock.instant());
    }

    private boolean isAllowed(RateLimit limit, Instant now) {
        return !nextSlot.isAfter(now.plus(BURST_ALLOWANCE)) || isTooFarAhead(limit, now);
    }

    /// Takes a slot; returns false if none is free yet.
    public synchronized boolean tryAcquire(RateLimit limit) {
        var now = clock.instant();
        if (!isAllowed(limit, now)) {
            return false;
        }
        var from = nextSlot.isBefore(now) || isTooFarAhead(limit, now) ? now : nextSlot;
        nextSlot = from.plus(interval(limit));
        return true;
    }

    /// Gives back a slot that was taken but not used because there was nothing to send.
    public synchronized void refund(RateLimit limit) {
        nextSlot = nextSlot.minus(interval(limit));
    }

    /// Whether `nextSlot` is further in the future than any earlier call could have moved it. If
    /// so, the clock was set back or the limit was raised.
    private boolean isTooFarAhead(RateLimit limit, Instant now) {
        return nextSlot.isAfter(now.plus(BURST_ALLOWANCE).plus(interval(limit)));
    }

    private static Duration interval(RateLimit limit) {
        return Duration.ofSeconds(1).dividedBy(limit.perSecond());
    }
}
