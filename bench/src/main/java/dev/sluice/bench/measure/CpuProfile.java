package dev.sluice.bench.measure;

import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;

/// A CPU profile, which counts the samples that each method appears in. Not thread-safe.
public final class CpuProfile {

    private final Map<String, MethodSamples> byMethod = new HashMap<>();
    private long samples;

    /// @param self the number of samples in which the method itself ran
    /// @param total the number of samples in which the method, or a method that it called, ran
    public record MethodSamples(String method, long self, long total) {}

    /// @param stack the methods of one sample, outermost first
    void add(List<String> stack) {
        samples++;
        for (String method : new HashSet<>(stack)) {
            long self = method.equals(stack.getLast()) ? 1 : 0;
            byMethod.merge(
                    method,
                    new MethodSamples(method, self, 1),
                    (one, other) ->
                            new MethodSamples(
                                    method,
                                    one.self() + other.self(),
                                    one.total() + other.total()));
        }
    }

    /// Returns the `count` methods with the most `self` samples, in descending order.
    public List<MethodSamples> hottest(int count) {
        return byMethod.values().stream()
                .sorted(
                        Comparator.comparingLong(MethodSamples::self)
                                .reversed()
                                .thenComparing(MethodSamples::method))
                .limit(count)
                .toList();
    }

    /// Returns `part` as a percentage of all samples.
    public double percent(long part) {
        return 100.0 * part / Math.max(1, samples);
    }
}
