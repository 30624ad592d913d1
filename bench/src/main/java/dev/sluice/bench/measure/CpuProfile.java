package dev.sluice.bench.measure;

import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;

/// Counts in how many samples of the CPU each method was. Used by one thread.
public final class CpuProfile {

    private final Map<String, MethodSamples> byMethod = new HashMap<>();
    private long samples;

    /// @param self samples in which the method itself ran
    /// @param total samples in which it ran or waited for what it called
    public record MethodSamples(String method, long self, long total) {}

    /// @param stack outermost method first
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

    /// The methods with the most samples of their own.
    public List<MethodSamples> hottest(int count) {
        return byMethod.values().stream()
                .sorted(
                        Comparator.comparingLong(MethodSamples::self)
                                .reversed()
                                .thenComparing(MethodSamples::method))
                .limit(count)
                .toList();
    }

    /// How many in a hundred of all samples.
    public double percent(long part) {
        return 100.0 * part / Math.max(1, samples);
    }
}
