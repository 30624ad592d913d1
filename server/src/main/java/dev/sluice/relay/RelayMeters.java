package dev.sluice.relay;

import dev.sluice.platform.meter.Histogram;

/// What the relay counts while it works, for the metrics of this process.
///
/// @param ingestDurations from the beginning of the request to its answer, for accepted requests
/// @param eventBatches events in one commit
/// @param eventCommits durations of commits of events
/// @param resultBatches results in one commit
/// @param resultCommits durations of commits of results
public record RelayMeters(
        Histogram ingestDurations,
        Histogram eventBatches,
        Histogram eventCommits,
        Histogram resultBatches,
        Histogram resultCommits,
        AttemptMeter attempts) {

    public static RelayMeters create() {
        return new RelayMeters(
                Histogram.ofDurations(),
                Histogram.ofSizes(),
                Histogram.ofDurations(),
                Histogram.ofSizes(),
                Histogram.ofDurations(),
                new AttemptMeter());
    }
}
