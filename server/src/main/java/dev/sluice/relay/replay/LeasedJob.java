package dev.sluice.relay.replay;

import java.time.Instant;
import java.util.List;

/// A replay job that this process has leased.
///
/// @param overlappingJobTimes the creation times returned by [ReplayStore#overlappingJobTimes]
/// @param leaseEndNanos the time, as a `System.nanoTime` value, before which no other process can
///   lease the job
record LeasedJob(Replay replay, List<Instant> overlappingJobTimes, long leaseEndNanos) {

    LeasedJob {
        overlappingJobTimes = List.copyOf(overlappingJobTimes);
    }
}
