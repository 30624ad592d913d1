package dev.sluice.platform.loop;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.time.Duration;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/// A thread that does rounds of a step until it is closed.
///
/// A round that says it found a full plate is followed by the next at once; otherwise the loop
/// rests for its pause, or until somebody calls `wake`. A round that throws is logged and followed
/// by a rest: the step must be safe to repeat.
public final class Loop implements AutoCloseable {

    /// One round of work; true when there may be more at once.
    @FunctionalInterface
    public interface Step {
        boolean run() throws InterruptedException;
    }

    private static final Logger log = LoggerFactory.getLogger(Loop.class);
    private static final Duration GRACE = Duration.ofSeconds(2);
    private static final Duration LAST_WORDS = Duration.ofMillis(500);

    private final String name;
    private final Duration pause;
    private final Step step;
    private final Thread thread;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();

    /// Guarded by `lock`.
    private boolean closed;

    /// Guarded by `lock`: somebody called `wake` since the last round began.
    private boolean awake;

    private Loop(String name, Duration pause, Step step) {
        this.name = name;
        this.pause = pause;
        this.step = step;
        this.thread = Thread.ofPlatform().name(name).daemon().unstarted(this::rounds);
    }

    public static Loop start(String name, Duration pause, Step step) {
        var loop = new Loop(name, pause, step);
        loop.thread.start();
        return loop;
    }

    /// Ends the rest, or the next one if a round runs.
    public void wake() {
        lock.lock();
        try {
            awake = true;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    private void rounds() {
        try {
            while (mayGoOn()) {
                if (!round()) {
                    rest();
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt(); // only close interrupts, and only to end it
        }
    }

    private boolean round() throws InterruptedException {
        try {
            return step.run();
        } catch (RuntimeException | Error e) {
            if (mayGoOn()) {
                log.atWarn().addKeyValue("loop", name).setCause(e).log("loop.failed");
            }
            return false;
        }
    }

    private boolean mayGoOn() {
        lock.lock();
        try {
            return !closed;
        } finally {
            lock.unlock();
        }
    }

    private void rest() throws InterruptedException {
        lock.lock();
        try {
            long left = pause.toNanos();
            while (!closed && !awake && left > 0) {
                left = changed.awaitNanos(left);
            }
            awake = false;
        } finally {
            lock.unlock();
        }
    }

    /// Lets the round that runs finish, within two seconds; after that it is interrupted.
    @Override
    public void close() {
        lock.lock();
        try {
            closed = true;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
        try {
            if (!thread.equals(Thread.currentThread()) && !thread.join(GRACE)) {
                thread.interrupt();
                thread.join(LAST_WORDS);
            }
        } catch (InterruptedException e) {
            thread.interrupt();
            Thread.currentThread().interrupt();
        }
    }
}
