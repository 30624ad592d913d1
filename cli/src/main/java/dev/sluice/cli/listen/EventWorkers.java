package dev.sluice.cli.listen;

import org.jspecify.annotations.Nullable;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;

/// Handles the events from a stream, several at a time if the limit is above one. The position in
/// the stream advances past an event only when that event and all earlier ones have been handled.
final class EventWorkers implements AutoCloseable {

    /// An event that is being handled or has been handled.
    private static final class HandledEvent {

        private boolean isDone;

        /// The stream position after the event, or empty if it is not known yet.
        private String position = "";
    }

    private final int limit;
    private final Semaphore permits;
    private final Consumer<String> onPosition;
    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
    private final Deque<HandledEvent> steps = new ArrayDeque<>();
    private final AtomicReference<@Nullable RuntimeException> failure = new AtomicReference<>();

    /// @param limit the maximum number of events that are handled at the same time
    /// @param onPosition called when the position advances
    EventWorkers(int limit, Consumer<String> onPosition) {
        this.limit = limit;
        this.permits = new Semaphore(limit);
        this.onPosition = onPosition;
    }

    /// Runs `work`, which handles one event. If the limit is one, runs it on the calling thread.
    /// Otherwise waits until fewer than `limit` events are being handled, then starts it on another
    /// thread. If `work` fails, [#close()] throws its exception.
    void handle(Runnable work) {
        if (limit == 1) {
            try {
                work.run();
            } catch (RuntimeException e) {
                failure.compareAndSet(null, e);
            }
            return;
        }
        permits.acquireUninterruptibly();
        var step = new HandledEvent();
        synchronized (this) {
            steps.add(step);
        }
        threads.execute(() -> run(work, step));
    }

    private void run(Runnable work, HandledEvent step) {
        try {
            work.run();
            finish(step);
        } catch (RuntimeException e) {
            failure.compareAndSet(null, e);
        } finally {
            permits.release();
        }
    }

    /// Records the stream position that is reached once all events passed to `handle` so far have
    /// been handled.
    synchronized void advance(String position) {
        if (hasFailed()) {
            return; // `--catch-up` must not skip the event that could not be handled
        }
        if (steps.isEmpty()) {
            onPosition.accept(position);
        } else {
            steps.getLast().position = position;
        }
    }

    private synchronized void finish(HandledEvent step) {
        step.isDone = true;
        String reached = "";
        while (!steps.isEmpty() && steps.getFirst().isDone) {
            var first = steps.removeFirst();
            reached = first.position.isEmpty() ? reached : first.position;
        }
        if (!reached.isEmpty()) {
            onPosition.accept(reached);
        }
    }

    /// Returns whether handling an event failed. If so, the caller should pass no further events to
    /// `handle`.
    boolean hasFailed() {
        return failure.get() != null;
    }

    /// Waits until all events have been handled. If any of them failed, throws the first failure.
    @Override
    public void close() {
        threads.close();
        var thrown = failure.get();
        if (thrown != null) {
            throw thrown;
        }
    }
}
