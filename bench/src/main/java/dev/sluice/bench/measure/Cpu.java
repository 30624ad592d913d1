package dev.sluice.bench.measure;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/// The CPU time used until one moment, by role and by the whole machine, in hundredths of a second.
///
/// A role is a process and everything below it, except what belongs to another role.
public record Cpu(Map<Role, Long> ticks, long machineTicks, long nanos) {

    private static final Path PROC = Path.of("/proc");

    public Cpu {
        ticks = Map.copyOf(ticks);
    }

    public static Cpu now(Map<Role, Long> processes) {
        try {
            String machine = Files.readAllLines(PROC.resolve("stat")).getFirst();
            List<ProcessTimes> all = ProcessTimes.all(PROC);
            return new Cpu(byRole(processes, all), busy(machine), System.nanoTime());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static Map<Role, Long> byRole(Map<Role, Long> roots, Collection<ProcessTimes> all) {
        var byParent = new HashMap<Long, List<ProcessTimes>>();
        var byPid = new HashMap<Long, ProcessTimes>();
        for (ProcessTimes process : all) {
            byPid.put(process.pid(), process);
            byParent.computeIfAbsent(process.parent(), _ -> new ArrayList<>()).add(process);
        }
        var ticks = new EnumMap<Role, Long>(Role.class);
        roots.forEach((role, root) ->
                ticks.put(role, below(root, Set.copyOf(roots.values()), byPid, byParent)));
        return ticks;
    }

    /// The first line of `/proc/stat`: all that is not idle and not waiting for the disk. Time
    /// stolen by the host counts as busy, since nobody here could use it.
    static long busy(String line) {
        String[] fields = line.split(" +", -1);
        long busy = 0;
        for (int field : new int[] {1, 2, 3, 6, 7, 8}) {
            busy += Long.parseLong(fields[field]);
        }
        return busy;
    }

    private static long below(
            long root,
            Set<Long> roots,
            Map<Long, ProcessTimes> byPid,
            Map<Long, List<ProcessTimes>> byParent) {
        var open = new ArrayDeque<ProcessTimes>();
        ProcessTimes first = byPid.get(root);
        if (first != null) {
            open.add(first);
        }
        long ticks = 0;
        while (!open.isEmpty()) {
            ProcessTimes process = open.remove();
            ticks += process.ticks();
            for (ProcessTimes child : byParent.getOrDefault(process.pid(), List.of())) {
                if (!roots.contains(child.pid())) {
                    open.add(child);
                }
            }
        }
        return ticks;
    }
}
