package dev.sluice.bench.measure;

import static dev.sluice.bench.platform.UncheckedCalls.unchecked;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/// The CPU time used until one moment, by role and by the whole machine, in hundredths of a second.
///
/// A role is a process and everything below it, except what belongs to another role.
public record CpuSnapshot(Map<ProcessRole, Long> ticks, long machineTicks, long nanos) {

    private static final Path PROC_DIRECTORY = Path.of("/proc");

    public CpuSnapshot {
        ticks = Map.copyOf(ticks);
    }

    public static CpuSnapshot now(Map<ProcessRole, Long> processes) {
        return unchecked(() -> {
            String machine = Files.readAllLines(PROC_DIRECTORY.resolve("stat")).getFirst();
            List<ProcessTimes> all = ProcessTimes.all(PROC_DIRECTORY);
            return new CpuSnapshot(
                    ticksByRole(processes, all), busyTicks(machine), System.nanoTime());
        });
    }

    static Map<ProcessRole, Long> ticksByRole(
            Map<ProcessRole, Long> roots, Collection<ProcessTimes> all) {
        var ticks = new EnumMap<ProcessRole, Long>(ProcessRole.class);
        roots.forEach((role, root) -> ticks.put(role, treeTicks(root, roots.values(), all)));
        return ticks;
    }

    /// The first line of `/proc/stat`: all that is not idle and not waiting for the disk. Time
    /// stolen by the host counts as busy, since nobody here could use it.
    static long busyTicks(String line) {
        String[] fields = line.split(" +", -1);
        long busy = 0;
        for (int field : new int[] {1, 2, 3, 6, 7, 8}) {
            busy += Long.parseLong(fields[field]);
        }
        return busy;
    }

    private static long treeTicks(long root, Collection<Long> roots, Collection<ProcessTimes> all) {
        long ticks = 0;
        for (ProcessTimes process : all) {
            if (process.pid() == root) {
                ticks += process.ticks();
            } else if (process.parent() == root && !roots.contains(process.pid())) {
                ticks += treeTicks(process.pid(), roots, all);
            }
        }
        return ticks;
    }
}
