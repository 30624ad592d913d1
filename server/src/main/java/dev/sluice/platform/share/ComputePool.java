package dev.sluice.platform.share;

import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;

/// Runs work that takes much CPU time on a few platform threads, so that it never occupies the
/// threads on which everything else runs: a virtual thread is not interrupted while it computes.
///
/// Owners share the threads by the time that they use them ([DecisionLine]), and the places for
/// requests that are under way by the rule of [FairShare]. Thread-safe.
public final class ComputePool implements AutoCloseable {

    /// How many requests may be under way, computing or waiting. Each may hold an event of 1 MiB.
    public static final int MAX_REQUESTS = 64;

    /// The place of one request. Closing a place gives it back.
    @FunctionalInterface
    public interface ComputePlace extends AutoCloseable {

        @Override
        void close();
    }

    private final DecisionLine<Object> line;
    private final ExecutorService threads;
    private final AtomicLong refused = new AtomicLong();

    /// Guarded by `this`, like the field below.
    private FairShare places = new FairShare(MAX_REQUESTS);

    private Map<Object, Portion> portions = new HashMap<>();

    /// @param threads how many threads compute at the same time
    public ComputePool(int threads) {
        this.line = new DecisionLine<>(threads);
        this.threads =
                Executors.newFixedThreadPool(
                        threads, Thread.ofPlatform().daemon().name("compute-", 0).factory());
    }

    /// Returns a pool that uses at most half of the CPU cores, or one core if there is only one.
    public static ComputePool forThisMachine() {
        return new ComputePool(Math.max(1, Runtime.getRuntime().availableProcessors() / 2));
    }

    /// Changes the number of places. Those that are taken stay taken, and no longer count.
    public synchronized void resize(int newPlaces) {
        places = new FairShare(newPlaces);
        portions = new HashMap<>();
    }

    /// Takes a place for a request, or returns empty if the owner may have no more. Take it before
    /// the request reads what it computes on.
    public synchronized Optional<ComputePlace> take(Object owner) {
        var share = places;
        var byOwner = portions;
        var portion = byOwner.getOrDefault(owner, new Portion());
        if (!share.mayTake(portion)) {
            refused.incrementAndGet();
            return Optional.empty();
        }
        share.take(portion);
        byOwner.put(owner, portion);
        return Optional.of(() -> {
            synchronized (this) {
                share.giveBack(portion);
                if (portion.held() == 0) {
                    byOwner.remove(owner);
                }
            }
        });
    }

    /// Waits for the owner's turn and runs the work on one of the threads. The work must not wait
    /// for anything. Returns what it returns, or throws what it throws.
    ///
    /// The caller should have a place, or be one of few for another reason.
    public <T> T call(Object owner, Supplier<T> work) {
        try {
            line.enter(owner);
        } catch (InterruptedException e) {
            throw interrupted(e);
        }
        long begin = System.nanoTime();
        try {
            return threads.submit(work::get).get();
        } catch (InterruptedException e) {
            throw interrupted(e);
        } catch (ExecutionException e) {
            throw thrownBy(e);
        } finally {
            line.leave(owner, System.nanoTime() - begin);
        }
    }

    private static IllegalStateException interrupted(InterruptedException e) {
        Thread.currentThread().interrupt();
        return new IllegalStateException("interrupted before the work was done", e);
    }

    private static RuntimeException thrownBy(ExecutionException e) {
        return switch (e.getCause()) {
            case RuntimeException failure -> failure;
            case Error failure -> throw failure;
            case null, default -> new IllegalStateException(e);
        };
    }

    /// Returns how many threads are waiting for their turn.
    int waiting() {
        return line.waiting();
    }

    /// Returns how many requests were refused so far because their owner had its share.
    public long refused() {
        return refused.get();
    }

    /// Returns how many places each owner has.
    public synchronized Map<Object, Integer> heldByOwner() {
        var held = new HashMap<Object, Integer>();
        portions.forEach((owner, portion) -> held.put(owner, portion.held()));
        return held;
    }

    @Override
    public void close() {
        threads.shutdownNow();
    }
}
