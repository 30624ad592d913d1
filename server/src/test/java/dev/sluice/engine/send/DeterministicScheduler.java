package dev.sluice.engine.send;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;
import java.util.random.RandomGenerator;

/// Runs threads one at a time, in an order and at times that follow only from a seed.
///
/// Each thread runs until it yields or sleeps; then the scheduler picks the next. Simulated time
/// advances when no thread can run, and sometimes a little between two steps.
///
/// One thread creates the scheduler and calls `step`. Every other method is called by the thread
/// that runs.
final class DeterministicScheduler {

    /// Thrown in the threads of a killed process, to end them.
    static final class ProcessKilled extends Error {
        ProcessKilled() {
            super("killed", null, false, false);
        }
    }

    /// A group of threads that is frozen or killed together.
    static final class SimulatedProcess {

        private final String name;
        private Instant frozenUntil = Instant.MIN;
        private boolean isDead;

        SimulatedProcess(String name) {
            this.name = name;
        }

        boolean isDead() {
            return isDead;
        }

        void freeze(Instant until) {
            frozenUntil = until;
        }

        @Override
        public String toString() {
            return name;
        }
    }

    /// The code that a thread runs.
    @FunctionalInterface
    interface TaskBody {
        void run() throws InterruptedException;
    }

    /// One thread of a process.
    final class SimulatedTask {

        private final SimulatedProcess process;
        private final String name;
        private final Thread thread;
        private Instant due;
        private boolean isStarted;
        private boolean isDone;

        private SimulatedTask(SimulatedProcess process, String name, TaskBody work) {
            this.process = process;
            this.name = name;
            this.due = now;
            this.thread = Thread.ofVirtual().unstarted(() -> run(work));
        }

        private void run(TaskBody work) {
            try {
                stopIfKilled();
                work.run();
            } catch (ProcessKilled e) {
                // the task ends
            } catch (Throwable e) {
                if (!process.isDead && failure == null) {
                    failure = e;
                }
            } finally {
                isDone = true;
                running = null;
                LockSupport.unpark(schedulerThread);
            }
        }

        private void stopIfKilled() {
            if (process.isDead) {
                throw new ProcessKilled();
            }
        }

        /// Ends the task's sleep.
        void wake() {
            if (due.isAfter(now)) {
                due = now;
            }
        }

        boolean isDone() {
            return isDone;
        }

        private Instant dueAt() {
            return due.isAfter(process.frozenUntil) ? due : process.frozenUntil;
        }
    }

    private final RandomGenerator random;
    private final boolean isTraced;
    private final Thread schedulerThread = Thread.currentThread();
    private final List<SimulatedTask> tasks = new ArrayList<>();
    private final List<SimulatedTask> runnable = new ArrayList<>();
    private final List<String> log = new ArrayList<>();

    /// Out of a hundred calls of `yieldPoint`, how many switch to another thread.
    private final int switchPercent;

    private Instant now;
    private long steps;
    private long fingerprint;

    /// Null while the scheduler chooses.
    private volatile @Nullable SimulatedTask running;

    private @Nullable Throwable failure;

    DeterministicScheduler(RandomGenerator random, Instant start, boolean isTraced) {
        this.random = random;
        this.isTraced = isTraced;
        this.now = start;
        this.switchPercent = 10 + random.nextInt(91);
    }

    /// The true time. The database's clock and every monotonic clock show it.
    Instant now() {
        return now;
    }

    long steps() {
        return steps;
    }

    /// A hash of the steps taken: equal for the same tasks in the same order at the same times.
    long fingerprint() {
        return fingerprint;
    }

    /// The first failure.
    Optional<Throwable> failure() {
        return Optional.ofNullable(failure);
    }

    void reportViolation(String rule, Object... arguments) {
        trace("VIOLATED " + rule, arguments);
        if (failure == null) {
            failure = new AssertionError(format(rule, arguments));
        }
    }

    /// Writes a line to the step log.
    void trace(String line, Object... arguments) {
        if (isTraced) {
            var task = running;
            String caller = task == null ? "" : task.process.name + " " + task.name;
            log.add("%s %-14s %s".formatted(now, caller, format(line, arguments)));
        }
    }

    /// Replaces each `%s` by an argument.
    private static String format(String line, Object... arguments) {
        var filled = new StringBuilder();
        int from = 0;
        for (var argument : arguments) {
            int to = line.indexOf("%s", from);
            filled.append(line, from, to).append(argument);
            from = to + 2;
        }
        return filled.append(line, from, line.length()).toString();
    }

    List<String> log() {
        return log;
    }

    SimulatedTask start(SimulatedProcess process, String name, TaskBody work) {
        var task = new SimulatedTask(process, name, work);
        tasks.add(task);
        return task;
    }

    /// Lets another thread run here, at random.
    void yieldPoint() {
        current().stopIfKilled();
        if (random.nextInt(100) < switchPercent) {
            yieldToScheduler(current());
        }
    }

    void sleep(Duration time) {
        sleepUntil(now.plus(time));
    }

    void sleepUntil(Instant time) {
        var task = current();
        task.stopIfKilled();
        task.due = time;
        yieldToScheduler(task);
    }

    private SimulatedTask current() {
        var task = running;
        if (task == null) {
            throw new IllegalStateException("not called by the running thread");
        }
        return task;
    }

    private void yieldToScheduler(SimulatedTask task) {
        running = null;
        LockSupport.unpark(schedulerThread);
        while (running != task) {
            LockSupport.park(this);
        }
        task.stopIfKilled();
    }

    /// Kills a process: its threads end at their next call into the scheduler, and nothing they do
    /// afterwards has an effect.
    void kill(SimulatedProcess process) {
        process.isDead = true;
        process.frozenUntil = Instant.MIN;
        for (var task : tasks) {
            if (task.process == process) {
                task.due = Instant.MIN;
            }
        }
    }

    /// Runs one thread until it yields, or advances the time. Returns false when no thread can ever
    /// run again.
    boolean step() {
        runnable.clear();
        var next = Instant.MAX;
        for (var task : tasks) {
            var due = task.dueAt();
            if (!due.isAfter(now)) {
                runnable.add(task);
            } else if (due.isBefore(next)) {
                next = due;
            }
        }
        if (runnable.isEmpty()) {
            if (next.equals(Instant.MAX)) {
                return false;
            }
            now = next;
            return true;
        }
        if (random.nextInt(16) == 0) {
            now = now.plusMillis(1 + random.nextInt(20));
        }
        run(runnable.get(random.nextInt(runnable.size())));
        return true;
    }

    private void run(SimulatedTask task) {
        steps++;
        fingerprint = 31 * fingerprint + task.name.hashCode() + now.toEpochMilli();
        running = task;
        if (task.isStarted) {
            LockSupport.unpark(task.thread);
        } else {
            task.isStarted = true;
            task.thread.start();
        }
        while (running != null) {
            LockSupport.park(this);
        }
        if (task.isDone) {
            tasks.remove(task);
        }
    }

    /// Ends all threads of all processes.
    void endAll() {
        while (!tasks.isEmpty()) {
            var task = tasks.getFirst();
            task.process.isDead = true;
            run(task);
        }
    }
}
