package dev.sluice.bench.measure;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;

/// The CPU time used between two moments.
///
/// A role has no entry in `seconds` if this process cannot watch the role's processes.
///
/// @param groups the same CPU time, broken down by groups of threads that do the same work
public record CpuUsage(
        Map<ProcessRole, Double> seconds,
        List<ThreadGroupUsage> groups,
        double foreignSeconds,
        double wallSeconds) {

    private static final double TICKS_PER_SECOND = 100;

    public CpuUsage {
        seconds = Map.copyOf(seconds);
        groups = List.copyOf(groups);
    }

    public static CpuUsage between(CpuSnapshot before, CpuSnapshot after) {
        var seconds = new EnumMap<ProcessRole, Double>(ProcessRole.class);
        var groups = new ArrayList<ThreadGroupUsage>();
        double ours = 0;
        for (ProcessRole role : after.processes().keySet()) {
            var ofRole =
                    ThreadGroupUsage.between(
                            role,
                            before.processes().getOrDefault(role, List.of()),
                            after.processes().getOrDefault(role, List.of()));
            double used = ofRole.stream().mapToDouble(ThreadGroupUsage::seconds).sum();
            seconds.put(role, used);
            groups.addAll(ofRole);
            ours += used;
        }
        double machine = (after.machineTicks() - before.machineTicks()) / TICKS_PER_SECOND;
        double wall = (after.nanos() - before.nanos()) / 1e9;
        return new CpuUsage(seconds, groups, Math.max(machine - ours, 0), wall);
    }

    /// Returns the combined CPU time of these roles in microseconds per event, or empty if one of
    /// the roles was not watched or `count` is 0.
    ///
    /// @param count the number of events
    public OptionalDouble microsPerEvent(long count, ProcessRole... roles) {
        return count == 0 ? OptionalDouble.empty() : scaled(1e6 / count, roles);
    }

    /// Returns the combined CPU time of these roles as a percentage of one processor, or empty if
    /// one of the roles was not watched.
    public OptionalDouble percentOfCore(ProcessRole... roles) {
        return scaled(100 / wallSeconds, roles);
    }

    private OptionalDouble scaled(double factor, ProcessRole... roles) {
        if (!seconds.keySet().containsAll(Arrays.asList(roles))) {
            return OptionalDouble.empty();
        }
        double sum = 0;
        for (ProcessRole role : roles) {
            sum += seconds.getOrDefault(role, 0.0);
        }
        return OptionalDouble.of(sum * factor);
    }

    /// Returns the number of context switches to these roles' threads.
    public long switches(ProcessRole... roles) {
        var counted = Arrays.asList(roles);
        return groups.stream()
                .filter(group -> counted.contains(group.role()))
                .mapToLong(ThreadGroupUsage::switches)
                .sum();
    }

    /// Returns how many processors other programs kept busy, on average, between the two moments.
    /// If this is not near 0, the measured rates are unreliable.
    public double foreignCores() {
        return foreignSeconds / wallSeconds;
    }
}
