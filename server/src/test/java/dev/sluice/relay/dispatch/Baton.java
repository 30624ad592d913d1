package dev.sluice.relay.dispatch;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;
import java.util.random.RandomGenerator;

/// Who runs next, and what time it is: threads that pass a baton, so that one of them runs at a
/// time, in an order that follows from a seed alone. Time passes when nobody has anything to do, a
/// little between turns, and never by itself.
///
/// Made, and `step` called, by one thread; everything else is called by the one who holds the
/// baton.
final class Baton {

    /// Ends the turns of a process that was killed.
    static final class Killed extends Error {
        Killed() {
            super("killed", null, false, false);
        }
    }

    /// What can be frozen and killed as a whole.
    static final class Host {

        private final String name;
        private Instant frozenUntil = Instant.MIN;
        private boolean isDead;

        Host(String name) {
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

    /// What a turn does.
    @FunctionalInterface
    interface Work {
        void run() throws InterruptedException;
    }

    /// One thread of a process.
    final class Turn {

        private final Host process;
        private final String name;
        private final Thread thread;
        private Instant due;
        private boolean isStarted;
        private boolean isDone;

        private Turn(Host process, String name, Work work) {
            this.process = process;
            this.name = name;
            this.due = now;
            this.thread = Thread.ofVirtual().unstarted(() -> run(work));
        }

        private void run(Work work) {
            try {
                stopIfKilled();
                work.run();
            } catch (Killed e) {
                // It ends.
            } catch (Throwable e) {
                if (!process.isDead && failure == null) {
                    failure = e;
                }
            } finally {
                isDone = true;
                holder = null;
                LockSupport.unpark(scheduler);
            }
        }

        private void stopIfKilled() {
            if (process.isDead) {
                throw new Killed();
            }
        }

        /// Ends its sleep.
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
    private final Thread scheduler = Thread.currentThread();
    private final List<Turn> turns = new ArrayList<>();
    private final List<Turn> ready = new ArrayList<>();
    private final List<String> log = new ArrayList<>();

    /// In a hundred pauses, how many hand the baton on.
    private final int restlessness;

    private Instant now;
    private long steps;
    private long fingerprint;

    /// Null while the scheduler chooses.
    private volatile @Nullable Turn holder;

    private @Nullable Throwable failure;

    Baton(RandomGenerator random, Instant start, boolean isTraced) {
        this.random = random;
        this.isTraced = isTraced;
        this.now = start;
        this.restlessness = 10 + random.nextInt(91);
    }

    /// True time; also that of the database, and of every monotonic clock.
    Instant now() {
        return now;
    }

    long steps() {
        return steps;
    }

    /// The same for the same turns in the same order at the same times.
    long fingerprint() {
        return fingerprint;
    }

    /// What went wrong first.
    Optional<Throwable> failure() {
        return Optional.ofNullable(failure);
    }

    void violated(String rule, Object... arguments) {
        note("VIOLATED " + rule, arguments);
        if (failure == null) {
            failure = new AssertionError(filled(rule, arguments));
        }
    }

    /// A line of the step log.
    void note(String line, Object... arguments) {
        if (isTraced) {
            var turn = holder;
            String who = turn == null ? "" : turn.process.name + " " + turn.name;
            log.add("%s %-14s %s".formatted(now, who, filled(line, arguments)));
        }
    }

    /// With an argument in the place of each `%s`.
    private static String filled(String line, Object... arguments) {
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

    Turn start(Host process, String name, Work work) {
        var turn = new Turn(process, name, work);
        turns.add(turn);
        return turn;
    }

    /// Here another may come in between.
    void pause() {
        current().stopIfKilled();
        if (random.nextInt(100) < restlessness) {
            handOn(current());
        }
    }

    void sleep(Duration time) {
        sleepUntil(now.plus(time));
    }

    void sleepUntil(Instant time) {
        var turn = current();
        turn.stopIfKilled();
        turn.due = time;
        handOn(turn);
    }

    private Turn current() {
        var turn = holder;
        if (turn == null) {
            throw new IllegalStateException("nobody's turn");
        }
        return turn;
    }

    private void handOn(Turn turn) {
        holder = null;
        LockSupport.unpark(scheduler);
        while (holder != turn) {
            LockSupport.park(this);
        }
        turn.stopIfKilled();
    }

    /// Its turns end where they stand; nothing they still do is heard of.
    void kill(Host process) {
        process.isDead = true;
        process.frozenUntil = Instant.MIN;
        for (var turn : turns) {
            if (turn.process == process) {
                turn.due = Instant.MIN;
            }
        }
    }

    /// Lets somebody have a turn; false when there is nobody any more.
    boolean step() {
        ready.clear();
        var next = Instant.MAX;
        for (var turn : turns) {
            var due = turn.dueAt();
            if (!due.isAfter(now)) {
                ready.add(turn);
            } else if (due.isBefore(next)) {
                next = due;
            }
        }
        if (ready.isEmpty()) {
            if (next.equals(Instant.MAX)) {
                return false;
            }
            now = next;
            return true;
        }
        if (random.nextInt(16) == 0) {
            now = now.plusMillis(1 + random.nextInt(20));
        }
        run(ready.get(random.nextInt(ready.size())));
        return true;
    }

    private void run(Turn turn) {
        steps++;
        fingerprint = 31 * fingerprint + turn.name.hashCode() + now.toEpochMilli();
        holder = turn;
        if (turn.isStarted) {
            LockSupport.unpark(turn.thread);
        } else {
            turn.isStarted = true;
            turn.thread.start();
        }
        while (holder != null) {
            LockSupport.park(this);
        }
        if (turn.isDone) {
            turns.remove(turn);
        }
    }

    /// Ends every turn, of whichever process.
    void end() {
        while (!turns.isEmpty()) {
            var turn = turns.getFirst();
            turn.process.isDead = true;
            run(turn);
        }
    }
}
