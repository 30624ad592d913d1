package dev.sluice.bench.measure;

import java.util.List;

/// A process and its threads, with the total CPU time that each of them had used by a given moment.
public record ProcessSample(ProcessTimes times, List<ThreadTimes> threads) {

    public ProcessSample {
        threads = List.copyOf(threads);
    }

    /// Returns a sample that represents the process before it had used any CPU time.
    static ProcessSample unused(ProcessTimes process) {
        return new ProcessSample(
                new ProcessTimes(process.pid(), process.parent(), 0, 0), List.of());
    }
}
