package dev.sluice.bench.measure;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/// The CPU time that one group of a role's threads used between two moments.
///
/// @param switches the number of context switches to these threads
public record ThreadGroupUsage(ProcessRole role, String group, double seconds, long switches) {

    /// The name of the group for threads and processes that ended between the two moments.
    static final String ENDED = "ended";

    private static final long NANOS_PER_TICK = 10_000_000;

    /// The maximum rounding error. A process's user time and kernel time are each rounded down to
    /// whole ticks at both moments.
    private static final long MAX_ROUNDING_NANOS = 2 * NANOS_PER_TICK;

    /// Returns the usage of each of a role's groups, sorted by name, with [#ENDED] last. For
    /// threads and processes that have ended, only the ticks are known, not the number of context
    /// switches. If the ended threads of a process used 20 ms or less, their time cannot be
    /// distinguished from rounding errors and is left out.
    static List<ThreadGroupUsage> between(
            ProcessRole role, List<ProcessSample> before, List<ProcessSample> after) {
        var known = new HashMap<Long, ProcessSample>();
        before.forEach(process -> known.put(process.times().pid(), process));
        var groups = new TreeMap<String, ThreadGroupUsage>();
        long ended = 0;
        for (ProcessSample process : after) {
            var sample = known.remove(process.times().pid());
            var earlier = sample == null ? ProcessSample.unused(process.times()) : sample;
            long living = addThreads(role, earlier, process, groups);
            ended += endedThreads(earlier.times(), process.times(), living);
            ended += NANOS_PER_TICK * (process.times().childTicks() - earlier.times().childTicks());
        }
        // When a process ends and its parent waits for it, all its CPU time is added to the
        // parent's child time. The part used before the first moment is subtracted here.
        for (ProcessSample gone : known.values()) {
            ended -= NANOS_PER_TICK * (gone.times().ticks() + gone.times().childTicks());
        }
        var all = new ArrayList<>(groups.values());
        if (ended > 0) {
            all.add(new ThreadGroupUsage(role, ENDED, ended / 1e9, 0));
        }
        return List.copyOf(all);
    }

    /// Adds the usage of each thread to its group. Returns the total CPU time of the threads in
    /// nanoseconds.
    private static long addThreads(
            ProcessRole role,
            ProcessSample before,
            ProcessSample after,
            Map<String, ThreadGroupUsage> groups) {
        var known = new HashMap<Long, ThreadTimes>();
        before.threads().forEach(thread -> known.put(thread.thread(), thread));
        long all = 0;
        for (ThreadTimes thread : after.threads()) {
            var earlier =
                    known.getOrDefault(
                            thread.thread(),
                            new ThreadTimes(thread.thread(), thread.group(), 0, 0));
            long nanos = Math.max(0, thread.nanos() - earlier.nanos());
            long switches = Math.max(0, thread.switches() - earlier.switches());
            all += nanos;
            groups.merge(
                    thread.group(),
                    new ThreadGroupUsage(role, thread.group(), nanos / 1e9, switches),
                    ThreadGroupUsage::plus);
        }
        return all;
    }

    private static long endedThreads(ProcessTimes before, ProcessTimes after, long living) {
        long ended = NANOS_PER_TICK * (after.ticks() - before.ticks()) - living;
        return ended > MAX_ROUNDING_NANOS ? ended : 0;
    }

    private ThreadGroupUsage plus(ThreadGroupUsage other) {
        return new ThreadGroupUsage(
                role, group, seconds + other.seconds, switches + other.switches);
    }
}
