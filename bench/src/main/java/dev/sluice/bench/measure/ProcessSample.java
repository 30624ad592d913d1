package dev.sluice.bench.measure;

import java.util.List;

/// A process and the threads that it has, with their CPU time until one moment.
public record ProcessSample(ProcessTimes times, List<ThreadTimes> threads) {

    public ProcessSample {
        threads = List.copyOf(threads);
    }

    /// The process before it used any CPU time.
    static ProcessSample unused(ProcessTimes process) {
        return new ProcessSample(
                new ProcessTimes(process.pid(), process.parent(), 0, 0), List.of());
    }
}
