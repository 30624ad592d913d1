package dev.sluice.relay.replay;

import dev.sluice.account.plan.Retention;
import dev.sluice.platform.id.Uuid7;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.UUID;

/// Bounds of time as bounds of ids. Times count by the millisecond, as ids do.
final class Times {

    private Times() {}

    /// Lies between the ids of events that are past their retention and those that are kept.
    static UUID keptAfter(Instant now, Retention retention) {
        return Uuid7.floor(retention.expiredAt(now).plusMillis(1));
    }

    static UUID later(UUID one, UUID other) {
        return Uuid7.ORDER.compare(one, other) >= 0 ? one : other;
    }

    static UUID earlier(UUID one, UUID other) {
        return Uuid7.ORDER.compare(one, other) <= 0 ? one : other;
    }

    /// When a job is said to be made: now, with microseconds of its own, so that its deliveries,
    /// which have the same, are told from other resends.
    static Instant ofJob(UUID id, Instant now) {
        long micros = Math.floorMod(id.getLeastSignificantBits(), 1_000L);
        return now.truncatedTo(ChronoUnit.MILLIS).plus(micros, ChronoUnit.MICROS);
    }
}
