package dev.sluice.relay.replay;

import java.time.Instant;
import java.util.List;

/// A replay job that this process has leased.
///
/// @param overlappingJobTimes the creation times of earlier jobs whose resends this job must not
///   repeat; see [ReplayStore#overlappingJobTimes]
/// @param leaseEndNanos the time, as a `System.nanoTime` value, from which this process considers
///   its lease on the job expired
record LeasedJob(Replay replay, List<Instant> overlappingJobTimes, long leaseEndNanos) {

    LeasedJob {
        overlappingJobTimes = List.copyOf(overlappingJobTimes);
    }
}
