package dev.sluice.engine;

import dev.sluice.platform.meter.LockFreeHistogram;

/// The relay's counters and timers, for this process's metrics.
///
/// @param ingestDurations the time from the start of an ingest request to its reply, for each
///   request whose event was stored
/// @param eventBatches the number of events in each commit
/// @param eventCommits how long each commit of events took
/// @param resultBatches the number of results in each commit
/// @param resultCommits how long each commit of results took
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
