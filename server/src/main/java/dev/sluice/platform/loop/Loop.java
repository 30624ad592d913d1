package dev.sluice.platform.loop;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;

/// A thread that repeats a step until it is closed.
///
/// When the step returns true, the next round starts immediately. Otherwise the loop waits until
/// the interval is over or one of its [Wake]s is called. If the loop has a gap, this wait is at
/// least as long as the gap, even if the loop is woken. If the step throws, the exception is logged
/// and the loop waits as usual, so the step must be safe to repeat. Thread-safe.
public final class Loop implements AutoCloseable {

    /// One round of work. Returns true if the next round should start immediately.
    @FunctionalInterface
    public interface Step {
        boolean run() throws InterruptedException;
    }

    private static final Logger log = LoggerFactory.getLogger(Loop.class);
    private static final Duration STOP_TIMEOUT = Duration.ofSeconds(2);
    private static final Duration INTERRUPT_TIMEOUT = Duration.ofMillis(500);

    private final String name;
    private final Supplier<Duration> interval;
    private final Duration gap;
    private final List<Wake> wakes;
    private final Step step;
    private final Thread thread;
    private final FailureStreak failures;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();

    /// Guarded by `lock`.
    private boolean closed;

    /// Whether a wake has been called since the last wait ended. Guarded by `lock`.
    private boolean wakeRequested;

    private Loop(
            String name, Supplier<Duration> interval, Duration gap, List<Wake> wakes, Step step) {
        this.name = name;
        this.interval = interval;
        this.gap = gap;
        this.wakes = List.copyOf(wakes);
        this.step = step;
        this.failures = new FailureStreak(interval.get());
        this.thread = Thread.ofPlatform().name(name).daemon().unstarted(this::runRounds);
    }

    public static Loop start(String name, Duration interval, Step step) {
        return start(name, () -> interval, Duration.ZERO, List.of(), step);
    }

    /// @param interval returns the wait after a round whose step returned false; called before each
    ///   wait
    /// @param gap the minimum length of such a wait, even if the loop is woken; at most the
    ///   interval
    /// @param wakes what ends such a wait early
    static Loop start(
            String name, Supplier<Duration> interval, Duration gap, List<Wake> wakes, Step step) {
        var loop = new Loop(name, interval, gap, wakes, step);
        wakes.forEach(wake -> wake.listen(loop::wake)); // before the first round looks for work
        loop.thread.start();
        return loop;
    }

    /// Ends the current wait, or, if called during a round, the wait after that round. A loop with
    /// a gap still waits for the gap.
    private void wake() {
        lock.lock();
        try {
            if (!wakeRequested) { // one request is enough to end the wait
                wakeRequested = true;
                changed.signalAll();
            }
        } finally {
            lock.unlock();
        }
    }

    private void runRounds() {
        try {
            while (isOpen()) {
                if (!runRound()) {
                    awaitNextRound();
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt(); // only `close` interrupts this thread, to end it
        }
    }

    private boolean runRound() throws InterruptedException {
        try {
            boolean isMore = step.run();
            failures.succeeded();
            return isMore;
        } catch (RuntimeException | Error e) {
            if (isOpen()) {
                failures.failed();
                log.atWarn().addKeyValue("loop", name).setCause(e).log("loop.failed");
            }
            return false;
        }
    }

    /// Whether the step has been failing for so long that it should be reported. [FailureStreak]
    /// defines how long that is.
    public boolean isFailing() {
        return failures.isLong();
    }

    private boolean isOpen() {
        lock.lock();
        try {
            return !closed;
        } finally {
            lock.unlock();
        }
    }

    private void awaitNextRound() throws InterruptedException {
        // Before the lock is taken: the interval may need locks of those who call `wake`.
        long left = interval.get().toNanos();
        lock.lock();
        try {
            long leftAfterGap = left - gap.toNanos();
            while (!closed && left > 0 && (!wakeRequested || left > leftAfterGap)) {
                long wait = wakeRequested ? left - leftAfterGap : left;
                left -= wait - changed.awaitNanos(wait);
            }
            wakeRequested = false;
        } finally {
            lock.unlock();
        }
        // After the reset: a call in between is not lost, because it sets `wakeRequested` again.
        wakes.forEach(Wake::take);
    }

    /// Ends the loop. Waits up to two seconds for the current round to finish. Then interrupts the
    /// round and waits half a second more. A round that ignores the interrupt continues after this
    /// method has returned. If the calling thread is interrupted, interrupts the round and returns
    /// immediately.
    ///
    /// A call on the loop's own thread returns immediately; the loop ends after the current round.
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
            if (!thread.equals(Thread.currentThread()) && !thread.join(STOP_TIMEOUT)) {
                thread.interrupt();
                thread.join(INTERRUPT_TIMEOUT);
            }
        } catch (InterruptedException e) {
            thread.interrupt();
            Thread.currentThread().interrupt();
        }
    }
}
