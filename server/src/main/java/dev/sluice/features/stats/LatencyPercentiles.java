package dev.sluice.features.stats;

import dev.sluice.engine.LatencyBuckets;
import dev.sluice.platform.json.JsonObject;

import java.util.Optional;

/// Counts attempts by latency bucket, and computes percentiles from the counts. Not thread-safe.
final class LatencyPercentiles {

    private final long[] counts = new long[LatencyBuckets.COUNT];

    void add(int bucket, long n) {
        counts[bucket] += n;
    }

    void addAll(LatencyPercentiles other) {
        for (int bucket = 0; bucket < counts.length; bucket++) {
            counts[bucket] += other.counts[bucket];
        }
    }

    /// Returns the latency in milliseconds that the given share of the attempts did not exceed, or
    /// empty if there were no attempts. Assumes that attempts are spread evenly within their
    /// bucket.
    ///
    /// @param share greater than 0, at most 1
    Optional<Long> percentile(double share) {
        long total = 0;
        for (long count : counts) {
            total += count;
        }
        double rank = Math.ceil(share * total);
        for (int bucket = 0; bucket < counts.length; bucket++) {
            if (counts[bucket] > 0 && rank <= counts[bucket]) {
                long lowest = LatencyBuckets.lowest(bucket);
                long width = LatencyBuckets.highest(bucket) - lowest;
                return Optional.of(lowest + Math.round(width * (rank - 0.5) / counts[bucket]));
            }
            rank -= counts[bucket];
        }
        return Optional.empty();
    }

    Optional<JsonObject> json() {
        return percentile(0.5)
                .map(median ->
                        new JsonObject()
                                .put("p50", median)
                                .put("p95", percentile(0.95))
                                .put("p99", percentile(0.99)));
    }
}
