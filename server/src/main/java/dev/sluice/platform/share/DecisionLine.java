package dev.sluice.platform.share;

import org.jspecify.annotations.Nullable;

import java.util.ArrayDeque;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CountDownLatch;

/// A fair semaphore for threads that are about to use a lot of CPU time. Each thread belongs to a
/// group. A fixed number of threads may hold a slot at the same time. The other threads wait, and
/// the next free slot goes to the waiting group that has used the least CPU time so far.
///
/// CPU time is added to a group's count when one of its threads gives back its slot, but only if
/// some thread is waiting at that moment. A new group starts with the count of the group that was
/// served last, so it neither waits for long nor delays the others. A group without waiting threads
/// is forgotten once its count is no higher than that of the group served last. All groups are
/// forgotten when all slots are free.
///
/// Thread-safe.
///
/// @param <G> the type of the groups
public final class DecisionLine<G> {

    private static final class GroupLine {
        private final ArrayDeque<CountDownLatch> waiting = new ArrayDeque<>();
        private long used;

        GroupLine(long used) {
            this.used = used;
        }
    }

    private final int slots;

    /// The groups that have waiting threads or have used more than `lastUsed`. The groups are in
    /// the order in which they were added or last served.
    private final LinkedHashMap<G, GroupLine> groups = new LinkedHashMap<>();

    /// The count of the group that was served last, as of that moment. Never decreases while a
    /// thread is waiting.
    private long lastUsed;

    private int free;
    private int waitingCount;

    /// @param slots the maximum number of threads that may hold a slot at the same time
    public DecisionLine(int slots) {
        this.slots = slots;
        this.free = slots;
    }

    /// Waits for a slot. The caller must call [#leave] afterwards. If the wait is interrupted, the
    /// caller gets no slot and must not call `leave`.
    public void enter(G group) throws InterruptedException {
        var turn = new CountDownLatch(1);
        synchronized (this) {
            if (free > 0) {
                free--;
                return;
            }
            line(group).waiting.add(turn);
            waitingCount++;
        }
        try {
            turn.await();
        } catch (InterruptedException e) {
            abandon(group, turn);
            throw e;
        }
    }

    private GroupLine line(G group) {
        return groups.computeIfAbsent(group, _ -> new GroupLine(lastUsed));
    }

    private synchronized void abandon(G group, CountDownLatch turn) {
        if (turn.getCount() == 0) {
            passOn(); // the slot was given to a thread that no longer wants it
        } else if (line(group).waiting.remove(turn)) {
            waitingCount--;
        }
    }

    /// Gives the slot to the next thread in line, or frees it if no thread is waiting.
    ///
    /// @param used how much CPU time the thread used, in a unit that is the same for all groups
    public synchronized void leave(G group, long used) {
        if (waitingCount > 0) { // counted only while others are waiting
            line(group).used += used;
        }
        passOn();
    }

    private void passOn() {
        groups.values().removeIf(line -> line.waiting.isEmpty() && line.used <= lastUsed);
        var next = leastUsed();
        if (next == null) {
            free++;
            if (free == slots) {
                groups.clear();
                lastUsed = 0;
            }
            return;
        }
        var line = next.getValue();
        lastUsed = Math.max(lastUsed, line.used);
        groups.putLast(next.getKey(), line);
        waitingCount--;
        line.waiting.remove().countDown();
    }

    /// Returns the waiting group that has used the least CPU time, or null if no group is waiting.
    /// If several groups have used the same CPU time, returns the one that was added or served
    /// longest ago.
    private Map.@Nullable Entry<G, GroupLine> leastUsed() {
        Map.@Nullable Entry<G, GroupLine> least = null;
        for (var entry : groups.entrySet()) {
            var line = entry.getValue();
            if (!line.waiting.isEmpty() && (least == null || line.used < least.getValue().used)) {
                least = entry;
            }
        }
        return least;
    }

    /// Returns the number of threads that are waiting for a slot.
    synchronized int waiting() {
        return waitingCount;
    }
}
