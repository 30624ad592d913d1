package dev.sluice.bench.measure;

import java.util.List;

/// How much a latency may rise while something disturbs the relay. The limit is a ratio or a number
/// of milliseconds, whichever allows more.
public record LatencyTolerance(double ratio, double increaseMs) {

    /// Returns the highest latency that is allowed during the disturbance.
    ///
    /// @param standard the latency without the disturbance
    public double limit(double standard) {
        return Math.max(standard * ratio, standard + increaseMs);
    }

    public static double median(List<Double> numbers) {
        return numbers.stream().sorted().toList().get(numbers.size() / 2);
    }
}
