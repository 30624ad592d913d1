package dev.sluice.features.recovery;

import java.time.Instant;
import java.util.List;

/// A replay job that this process has leased.
///
/// @param overlappingJobTimes the creation times of earlier jobs whose resends this job must not
///   repeat; see [ReplayStore#overlappingJobTimes]
/// @param leaseEndNanos the time, as a `System.nanoTime` value, from which this process considers
///   its lease on the job expired
/// @param isContinued whether this process has held the lease since a round after which all resends
///   that the job created were counted
record LeasedJob(
        Replay replay, List<Instant> overlappingJobTimes, long leaseEndNanos, boolean isContinued) {

    LeasedJob {
        overlappingJobTimes = List.copyOf(overlappingJobTimes);
    }
}
