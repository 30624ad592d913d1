package dev.sluice.features.stats;

import dev.sluice.account.plan.UsageKind;
import dev.sluice.engine.DeliveryStatus;
import dev.sluice.engine.RefusalReason;
import dev.sluice.gateway.source.VerificationStatus;
import dev.sluice.platform.json.JsonObject;

import java.util.EnumMap;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/// The counts of events, deliveries and refused requests for one source, one destination or one
/// histogram bucket. Not thread-safe.
///
/// A delivery is counted at its event's arrival time, even if the delivery ended later.
final class StatsCounts {

    private static final double RATE_DIGITS = 10_000;

    private final Map<VerificationStatus, Long> events = new EnumMap<>(VerificationStatus.class);
    private final Map<DeliveryStatus, Long> ends = new EnumMap<>(DeliveryStatus.class);
    private final Map<RefusalReason, Long> refusals = new EnumMap<>(RefusalReason.class);
    private final LatencyPercentiles latencies = new LatencyPercentiles();
    private long bytes;
    private long made;

    /// @param dim the number that identifies the status, trigger, latency bucket or reason,
    ///   depending on `kind`
    /// @param size the total size of the events' bodies in bytes, if `kind` is `EVENTS`
    void add(UsageKind kind, int dim, long n, long size) {
        switch (kind) {
            case EVENTS -> {
                events.merge(VerificationStatus.fromNumber(dim), n, Long::sum);
                bytes += size;
            }
            case OUTCOMES -> ends.merge(DeliveryStatus.fromNumber(dim), n, Long::sum);
            case DELIVERIES -> made += n;
            case LATENCIES -> latencies.add(dim, n);
            case REFUSALS -> refusals.merge(RefusalReason.fromNumber(dim), n, Long::sum);
        }
    }

    void addAll(StatsCounts other) {
        other.events.forEach((status, n) -> events.merge(status, n, Long::sum));
        other.ends.forEach((status, n) -> ends.merge(status, n, Long::sum));
        other.refusals.forEach((reason, n) -> refusals.merge(reason, n, Long::sum));
        latencies.addAll(other.latencies);
        bytes += other.bytes;
        made += other.made;
    }

    long events() {
        return events.values().stream().mapToLong(Long::longValue).sum();
    }

    /// Returns the total number of deliveries, including filtered ones.
    long deliveries() {
        return made + ended(DeliveryStatus.FILTERED);
    }

    private long events(VerificationStatus status) {
        return events.getOrDefault(status, 0L);
    }

    private long ended(DeliveryStatus status) {
        return ends.getOrDefault(status, 0L);
    }

    private long finished() {
        return ended(DeliveryStatus.SUCCEEDED)
                + ended(DeliveryStatus.FAILED)
                + ended(DeliveryStatus.EXHAUSTED);
    }

    JsonObject volumeJson() {
        return new JsonObject().put("events", events()).put("bytes", bytes);
    }

    private JsonObject eventJson() {
        return new JsonObject()
                .put("events", events())
                .put("verified", events(VerificationStatus.VERIFIED))
                .put("unverified", events(VerificationStatus.FAILED))
                .put("skipped", events(VerificationStatus.SKIPPED));
    }

    JsonObject deliveryJson() {
        return new JsonObject()
                .put("deliveries", deliveries())
                .put("succeeded", ended(DeliveryStatus.SUCCEEDED))
                .put("failed", ended(DeliveryStatus.FAILED))
                .put("exhausted", ended(DeliveryStatus.EXHAUSTED))
                .put("pending", made - finished())
                .put("filtered", ended(DeliveryStatus.FILTERED))
                .put("success_rate", successRate())
                .put("latency_ms", latencies.json());
    }

    JsonObject json() {
        return eventJson().putAll(deliveryJson()).put("refused", refusedJson());
    }

    /// Returns how many requests were refused, by response status. Requests that failed
    /// verification are also counted as events.
    private JsonObject refusedJson() {
        var byStatus = new TreeMap<String, Long>();
        for (var reason : RefusalReason.values()) {
            byStatus.merge(statusText(reason), refused(reason), Long::sum);
        }
        var json = new JsonObject();
        byStatus.forEach(json::put);
        return json;
    }

    private long refused(RefusalReason reason) {
        return reason == RefusalReason.VERIFICATION_FAILED
                ? events(VerificationStatus.FAILED)
                : refusals.getOrDefault(reason, 0L);
    }

    private static String statusText(RefusalReason reason) {
        return reason.status() >= 500 ? "5xx" : Integer.toString(reason.status());
    }

    /// Returns the share of finished deliveries that succeeded, from 0 to 1, or empty if no
    /// delivery is finished. Filtered deliveries are not counted.
    private Optional<Double> successRate() {
        return finished() == 0
                ? Optional.empty()
                : Optional.of(
                        Math.round(RATE_DIGITS * ended(DeliveryStatus.SUCCEEDED) / finished())
                                / RATE_DIGITS);
    }
}
