package dev.sluice.relay;

import dev.sluice.platform.meter.LockFreeHistogram;

/// The counters and timers of the relay, for the metrics of this process.
///
/// @param ingestDurations times from the start of an ingest request to its reply, for requests
///   whose events were stored
/// @param eventBatches the number of events in each commit
/// @param eventCommits durations of the commits of events
/// @param resultBatches the number of results in each commit
/// @param resultCommits durations of the commits of results
/// @param payloads the bytes of the payloads of events
public record RelayMeters(
        LockFreeHistogram ingestDurations,
        LockFreeHistogram eventBatches,
        LockFreeHistogram eventCommits,
        LockFreeHistogram resultBatches,
        LockFreeHistogram resultCommits,
        AttemptMeter attempts,
        PayloadMeter payloads) {

    public static RelayMeters create() {
        return new RelayMeters(
                LockFreeHistogram.ofDurations(),
                LockFreeHistogram.ofSizes(),
                LockFreeHistogram.ofDurations(),
                LockFreeHistogram.ofSizes(),
                LockFreeHistogram.ofDurations(),
                new AttemptMeter(),
                new PayloadMeter());
    }
}
