package dev.sluice.bench.measure;

import java.util.List;

/// How much higher a latency may be beside some trouble than without it: by a ratio, or by some
/// milliseconds where that is more.
public record LatencyTolerance(double ratio, double increaseMs) {

    /// The highest latency allowed where it is `standard` without the trouble.
    public double limit(double standard) {
        return Math.max(standard * ratio, standard + increaseMs);
    }

    public static double median(List<Double> numbers) {
        return numbers.stream().sorted().toList().get(numbers.size() / 2);
    }
}
