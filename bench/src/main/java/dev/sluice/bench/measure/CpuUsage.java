package dev.sluice.bench.measure;

import java.util.Arrays;
import java.util.EnumMap;
import java.util.Map;
import java.util.OptionalDouble;

/// The CPU time used between two moments.
///
/// A role is absent where its process is not ours to watch.
public record CpuUsage(
        Map<ProcessRole, Double> seconds, double foreignSeconds, double wallSeconds) {

    private static final double TICKS_PER_SECOND = 100;

    public CpuUsage {
        seconds = Map.copyOf(seconds);
    }

    public static CpuUsage between(CpuSnapshot before, CpuSnapshot after) {
        var seconds = new EnumMap<ProcessRole, Double>(ProcessRole.class);
        double ours = 0;
        for (ProcessRole role : after.ticks().keySet()) {
            long ticks = after.ticks().get(role) - before.ticks().getOrDefault(role, 0L);
            seconds.put(role, Math.max(ticks, 0) / TICKS_PER_SECOND);
            ours += Math.max(ticks, 0) / TICKS_PER_SECOND;
        }
        double machine = (after.machineTicks() - before.machineTicks()) / TICKS_PER_SECOND;
        double wall = (after.nanos() - before.nanos()) / 1e9;
        return new CpuUsage(seconds, Math.max(machine - ours, 0), wall);
    }

    /// CPU microseconds of these roles together for each of `count` events; empty when one of the
    /// roles was not watched or nothing happened.
    public OptionalDouble microsPerEvent(long count, ProcessRole... roles) {
        if (count == 0 || !seconds.keySet().containsAll(Arrays.asList(roles))) {
            return OptionalDouble.empty();
        }
        double sum = 0;
        for (ProcessRole role : roles) {
            sum += seconds.getOrDefault(role, 0.0);
        }
        return OptionalDouble.of(sum * 1e6 / count);
    }

    /// How many processors others kept busy meanwhile; when this is not near 0, trust rates little.
    public double foreignCores() {
        return foreignSeconds / wallSeconds;
    }
}
