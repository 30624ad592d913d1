package dev.sluice.bench.measure;

import static dev.sluice.bench.platform.UncheckedCalls.unchecked;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/// The CPU time that each measured thread, and the machine as a whole, had used by a given moment.
///
/// The threads are grouped by the role of their process. A role consists of a process and its
/// descendants, except for the descendants that belong to another role.
///
/// @param machineTicks the busy time of all processors, in hundredths of a second
public record CpuSnapshot(
        Map<ProcessRole, List<ProcessSample>> processes, long machineTicks, long nanos) {

    private static final Path PROC_DIRECTORY = Path.of("/proc");

    public CpuSnapshot {
        processes = Map.copyOf(processes);
    }

    public static CpuSnapshot now(Map<ProcessRole, Long> processes) {
        return unchecked(() -> {
            String machine = Files.readAllLines(PROC_DIRECTORY.resolve("stat")).getFirst();
            var samples = new EnumMap<ProcessRole, List<ProcessSample>>(ProcessRole.class);
            byRole(processes, ProcessTimes.all(PROC_DIRECTORY))
                    .forEach((role, all) ->
                            samples.put(role, all.stream().map(CpuSnapshot::withThreads).toList()));
            return new CpuSnapshot(samples, busyTicks(machine), System.nanoTime());
        });
    }

    private static ProcessSample withThreads(ProcessTimes process) {
        var directory = PROC_DIRECTORY.resolve(Long.toString(process.pid()));
        return new ProcessSample(process, ThreadTimes.all(directory));
    }

    static Map<ProcessRole, List<ProcessTimes>> byRole(
            Map<ProcessRole, Long> roots, Collection<ProcessTimes> all) {
        var processes = new EnumMap<ProcessRole, List<ProcessTimes>>(ProcessRole.class);
        roots.forEach((role, root) -> {
            var tree = new ArrayList<ProcessTimes>();
            addTree(root, roots.values(), all, tree);
            processes.put(role, tree);
        });
        return processes;
    }

    /// Returns the busy time from the first line of `/proc/stat`: all time except idle time and
    /// time spent waiting for the disk. Time stolen by the host counts as busy because no program
    /// on this machine could use it.
    static long busyTicks(String line) {
        String[] fields = line.split(" +", -1);
        long busy = 0;
        for (int field : new int[] {1, 2, 3, 6, 7, 8}) {
            busy += Long.parseLong(fields[field]);
        }
        return busy;
    }

    private static void addTree(
            long root,
            Collection<Long> roots,
            Collection<ProcessTimes> all,
            List<ProcessTimes> tree) {
        for (ProcessTimes process : all) {
            if (process.pid() == root) {
                tree.add(process);
            } else if (process.parent() == root && !roots.contains(process.pid())) {
                addTree(process.pid(), roots, all, tree);
            }
        }
    }
}
