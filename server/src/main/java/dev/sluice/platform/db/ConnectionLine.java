package dev.sluice.platform.db;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/// Shares the connections of a pool between owners, so that no owner can keep the others from the
/// database.
///
/// One owner may hold at most half of the connections, even when it is alone. The next free one
/// goes to the waiting owner that holds the fewest, and among those to the one that was served
/// longest ago. A number of threads of each owner may wait; the next one is refused at once.
/// Thread-safe.
final class ConnectionLine {

    static final int MAX_WAITING_OF_OWNER = 100;

    private static final class OwnerLine {
        private final ArrayDeque<CountDownLatch> waiting = new ArrayDeque<>();
        private int held;

        boolean isEmpty() {
            return held == 0 && waiting.isEmpty();
        }
    }

    /// The owners that hold a connection or wait for one, in the order in which they came or were
    /// last served.
    private final LinkedHashMap<Object, OwnerLine> owners = new LinkedHashMap<>();

    private int connections;
    private int held;
    private long taken;
    private long refused;

    ConnectionLine(int connections) {
        this.connections = connections;
    }

    /// Changes the number of connections. Those that are held beyond it are not taken back.
    synchronized void resize(int newConnections) {
        connections = newConnections;
        serve();
    }

    private int maxOfOwner() {
        return (connections + 1) / 2;
    }

    /// Waits for a connection. The caller must call [#leave] afterwards.
    ///
    /// @throws DbException if too many threads of the owner are waiting, or if the connection was
    ///   not free in time ([DbException#isBusy]). The caller then has no connection
    void enter(Object owner, Duration timeout) {
        var turn = new CountDownLatch(1);
        synchronized (this) {
            requireRoom(owner);
            owners.computeIfAbsent(owner, _ -> new OwnerLine()).waiting.add(turn);
            serve();
        }
        boolean isServed = false;
        try {
            isServed = turn.await(timeout.toNanos(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            if (!isServed) {
                giveUp(owner, turn);
            }
        }
    }

    /// Returns unless the owner would be refused at once.
    ///
    /// @throws DbException if too many threads of the owner are waiting, or if there are no
    ///   connections at all
    synchronized void requireRoom(Object owner) {
        var line = owners.get(owner);
        if (connections == 0 || (line != null && line.waiting.size() >= MAX_WAITING_OF_OWNER)) {
            refused++;
            throw DbException.busy();
        }
    }

    private synchronized void giveUp(Object owner, CountDownLatch turn) {
        var line = owners.get(owner);
        if (line == null || !line.waiting.remove(turn)) {
            leave(owner); // the connection came just now
        } else if (line.isEmpty()) {
            owners.remove(owner);
        }
        refused++;
        throw DbException.busy();
    }

    synchronized void leave(Object owner) {
        var line = owners.get(owner);
        if (line == null || line.held == 0) {
            throw new IllegalStateException("holds no connection");
        }
        line.held--;
        held--;
        if (line.isEmpty()) {
            owners.remove(owner);
        }
        serve();
    }

    private void serve() {
        for (var next = next(); next != null; next = next()) {
            var line = next.getValue();
            line.held++;
            held++;
            if (!next.getKey().equals(ConnectionOwner.SERVER)) {
                taken++;
            }
            owners.putLast(next.getKey(), line);
            line.waiting.remove().countDown();
        }
    }

    /// Returns the owner that gets the next connection, or null if none is free or no owner that
    /// may have one is waiting.
    private Map.@Nullable Entry<Object, OwnerLine> next() {
        if (held >= connections) {
            return null;
        }
        Map.@Nullable Entry<Object, OwnerLine> fewest = null;
        for (var entry : owners.entrySet()) {
            var line = entry.getValue();
            if (!line.waiting.isEmpty()
                    && line.held < maxOfOwner()
                    && (fewest == null || line.held < fewest.getValue().held)) {
                fewest = entry;
            }
        }
        return fewest;
    }

    /// Returns how many connections each owner holds.
    synchronized Map<Object, Integer> held() {
        var byOwner = new LinkedHashMap<Object, Integer>();
        owners.forEach((owner, line) -> byOwner.put(owner, line.held));
        return byOwner;
    }

    /// Returns how many threads are waiting.
    synchronized int waiting() {
        return owners.values().stream().mapToInt(line -> line.waiting.size()).sum();
    }

    /// Returns how many connections requests took so far, and not the server itself.
    synchronized long taken() {
        return taken;
    }

    /// Returns how many threads were refused so far.
    synchronized long refused() {
        return refused;
    }
}
