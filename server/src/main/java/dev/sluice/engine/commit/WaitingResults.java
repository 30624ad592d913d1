package dev.sluice.engine.commit;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/// The queue of results that are waiting for the [ResultJournal]'s writer.
///
/// After the first result, the writer waits a little for more. At a few hundred events a second, a
/// commit then writes several results instead of one. A result wakes the writer only if it is the
/// first one or must end that wait. Only one thread may remove results; any thread may add them.
final class WaitingResults implements GroupCommit.BatchQueue<DeliveryResult> {

    private static final int MAX_BATCH_RESULTS = 512;

    /// Once this many results are queued, further ones keep only the beginning of their responses,
    /// so that the queue's memory stays bounded while the database does not keep up.
    private static final int MAX_FULL_BODIES = 5_000;

    /// Once this many results are queued, the writer does not wait for more.
    private static final int MIN_BATCH_WITHOUT_LINGER = 64;

    /// The shortest time that the writer waits for more results, and the length of its first wait.
    /// If more results arrive during a wait, the next wait is twice as long, up to [#MAX_LINGER];
    /// otherwise, it is half as long. Waiting pays off if any results arrive, because a commit
    /// costs as much as writing several results.
    private static final Duration MIN_LINGER = Duration.ofMillis(25);

    private static final Duration MAX_LINGER = Duration.ofMillis(100);

    /// How long the writer waits for more results while something is waiting for a result that is
    /// already queued or that the writer already has.
    private static final Duration AWAITED_LINGER_TIMEOUT = Duration.ofMillis(4);

    private final int capacity;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition hasRoom = lock.newCondition();
    private final Condition mayGoOn = lock.newCondition();

    /// Guarded by `lock`, like all fields below.
    private final ArrayDeque<DeliveryResult> results = new ArrayDeque<>();

    /// Whether something might be waiting for a result that is not in a batch yet.
    private boolean isAwaited;

    /// Whether the writer already has a result and is waiting for more.
    private boolean isLingering;

    private long lingerNanos = MIN_LINGER.toNanos();

    private boolean isClosed;

    WaitingResults(int capacity) {
        this.capacity = capacity;
    }

    /// Returns how long the writer's next wait for more results will be.
    Duration linger() {
        lock.lock();
        try {
            return Duration.ofNanos(lingerNanos);
        } finally {
            lock.unlock();
        }
    }

    int size() {
        lock.lock();
        try {
            return results.size();
        } finally {
            lock.unlock();
        }
    }

    /// Adds a result. Blocks while the queue is full.
    ///
    /// @param isResultAwaited whether something is waiting for the result to be written
    void put(DeliveryResult result, boolean isResultAwaited) throws InterruptedException {
        lock.lockInterruptibly();
        try {
            while (results.size() >= capacity) {
                hasRoom.await();
            }
            results.add(results.size() < MAX_FULL_BODIES ? result : result.withShortBody());
            boolean isFirstAwaited = isResultAwaited && !isAwaited;
            isAwaited |= isResultAwaited;
            int size = results.size();
            boolean isFirst = size == 1 && !isLingering;
            if (isFirst || isFirstAwaited || size == MIN_BATCH_WITHOUT_LINGER) {
                mayGoOn.signal(); // only the writer waits for this
            }
        } finally {
            lock.unlock();
        }
    }

    private boolean isLarge() {
        return results.size() >= MIN_BATCH_WITHOUT_LINGER;
    }

    @Override
    public List<DeliveryResult> take(Duration time) throws InterruptedException {
        var first = poll(time);
        return first == null ? List.of() : batchFrom(first, MAX_BATCH_RESULTS);
    }

    /// Removes and returns the first result. Waits while there is none, unless the queue is closed.
    /// Returns null if there is still none after the wait.
    @Nullable DeliveryResult poll(Duration time) throws InterruptedException {
        lock.lock();
        try {
            long left = time.toNanos();
            while (results.isEmpty() && !isClosed && left > 0) {
                left = mayGoOn.awaitNanos(left);
            }
            return remove();
        } finally {
            lock.unlock();
        }
    }

    /// Waits for more results after `first`, unless there are already enough or the queue is
    /// closed. Then returns up to `maximum` results: `first`, followed by results that this method
    /// removes from the queue.
    List<DeliveryResult> batchFrom(DeliveryResult first, int maximum) throws InterruptedException {
        lock.lock();
        try {
            isLingering = true;
            long left = lingerNanos;
            while (!isAwaited && !isLarge() && !isClosed && left > 0) {
                left = mayGoOn.awaitNanos(left);
            }
            if (left <= 0) {
                adaptLinger();
            }
            left = isAwaited ? AWAITED_LINGER_TIMEOUT.toNanos() : 0;
            while (!isLarge() && !isClosed && left > 0) {
                left = mayGoOn.awaitNanos(left);
            }
            var batch = new ArrayList<DeliveryResult>();
            batch.add(first);
            for (var next = more(batch, maximum); next != null; next = more(batch, maximum)) {
                batch.add(next);
            }
            isAwaited &= !results.isEmpty();
            return batch;
        } finally {
            isLingering = false;
            lock.unlock();
        }
    }

    /// Adapts the length of the next wait. Called after a wait that lasted its full time.
    private void adaptLinger() {
        long next = results.isEmpty() ? lingerNanos / 2 : lingerNanos * 2;
        lingerNanos = Math.clamp(next, MIN_LINGER.toNanos(), MAX_LINGER.toNanos());
    }

    private @Nullable DeliveryResult more(List<DeliveryResult> batch, int maximum) {
        return batch.size() < maximum ? remove() : null;
    }

    private @Nullable DeliveryResult remove() {
        var next = results.poll();
        if (next != null) {
            hasRoom.signal();
        }
        return next;
    }

    @Override
    public void close() {
        lock.lock();
        try {
            isClosed = true;
            mayGoOn.signal();
        } finally {
            lock.unlock();
        }
    }
}
