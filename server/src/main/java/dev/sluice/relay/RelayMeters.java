package dev.sluice.relay;

import dev.sluice.platform.meter.LockFreeHistogram;

/// What the relay counts while it works, for the metrics of this process.
///
/// @param ingestDurations from the beginning of the request to its answer, for accepted requests
/// @param eventBatches events in one commit
/// @param eventCommits durations of commits of events
/// @param resultBatches results in one commit
/// @param resultCommits durations of commits of results
public record RelayMeters(
        LockFreeHistogram ingestDurations,
        LockFreeHistogram eventBatches,
        LockFreeHistogram eventCommits,
        LockFreeHistogram resultBatches,
        LockFreeHistogram resultCommits,
        AttemptMeter attempts) {

    public static RelayMeters create() {
        return new RelayMeters(
                LockFreeHistogram.ofDurations(),
                LockFreeHistogram.ofSizes(),
                LockFreeHistogram.ofDurations(),
                LockFreeHistogram.ofSizes(),
                LockFreeHistogram.ofDurations(),
                new AttemptMeter());
    }
}
