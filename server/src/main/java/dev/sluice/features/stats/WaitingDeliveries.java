package dev.sluice.features.stats;

import dev.sluice.platform.json.JsonObject;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/// How many deliveries are currently unfinished, regardless of the requested time window.
///
/// @param oldestReceivedAt when the oldest waiting delivery's event arrived, or empty if no
///   delivery is waiting
record WaitingDeliveries(long count, Optional<Instant> oldestReceivedAt) {

    static final WaitingDeliveries NONE = new WaitingDeliveries(0, Optional.empty());

    JsonObject json(Instant now) {
        return new JsonObject()
                .put("count", count)
                .put("oldest_received_at", oldestReceivedAt)
                .put(
                        "oldest_age_seconds",
                        oldestReceivedAt.map(
                                oldest -> Math.max(0, Duration.between(oldest, now).toSeconds())));
    }
}
