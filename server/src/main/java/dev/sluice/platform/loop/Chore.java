package dev.sluice.platform.loop;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/// The description of a background task: what to run, how often, and what to do when the server
/// stops.
///
/// [Shutdown#start(Chore)] runs a chore as a [Loop].
///
/// @param name the name of the loop and its thread
/// @param interval the wait between two rounds, unless the step has more to do or the loop is woken
///   earlier
/// @param idleInterval the wait between two rounds while the process is idle (see [Activity]). If
///   this differs from `interval`, the first activity after an idle period wakes the loop
/// @param gap the minimum wait between two rounds, even if the loop is woken, unless the step has
///   more to do; at most `interval`
/// @param rest returns the minimum wait between two rounds while there is nothing to do, unless the
///   loop is woken; zero or negative while there is something to do. Called before each wait, on
///   the loop's thread, which then holds no lock of the loop. Empty if the chore never rests
/// @param wakes the loop starts a round early when one of these is called
/// @param atEnd runs after the last round, when the server stops
public record Chore(
        String name,
        Duration interval,
        Duration idleInterval,
        Duration gap,
        Optional<Supplier<Duration>> rest,
        Loop.Step step,
        List<Wake> wakes,
        Optional<AutoCloseable> atEnd) {

    public Chore(String name, Duration interval, Loop.Step step) {
        this(
                name,
                interval,
                Activity.stretch(interval),
                Duration.ZERO,
                Optional.empty(),
                step,
                List.of(),
                Optional.empty());
    }

    /// Returns a chore that always waits after a round, for its interval or until it is woken.
    public static Chore of(String name, Duration interval, Runnable step) {
        return new Chore(
                name,
                interval,
                () -> {
                    step.run();
                    return false;
                });
    }

    public Chore wokenBy(Wake... wakes) {
        return new Chore(name, interval, idleInterval, gap, rest, step, List.of(wakes), atEnd);
    }

    public Chore endingWith(AutoCloseable atEnd) {
        return new Chore(name, interval, idleInterval, gap, rest, step, wakes, Optional.of(atEnd));
    }

    /// Returns a chore that waits at least `gap` after each round that leaves nothing to do, even
    /// if it is woken.
    public Chore withGap(Duration gap) {
        return new Chore(name, interval, idleInterval, gap, rest, step, wakes, atEnd);
    }

    /// Returns a chore that may wait longer than its interval while it has nothing to do. Whoever
    /// gives it something to do must wake it.
    ///
    /// @param rest returns how long it may wait; zero while there is something to do
    public Chore restingFor(Supplier<Duration> rest) {
        return new Chore(name, interval, idleInterval, gap, Optional.of(rest), step, wakes, atEnd);
    }

    /// Returns a chore that does nothing until `delay` has passed from now. Use this for work that
    /// would slow down the server's start.
    public Chore startingAfter(Duration delay) {
        long begun = System.nanoTime();
        return new Chore(
                name,
                interval,
                idleInterval,
                gap,
                rest,
                () -> System.nanoTime() - begun >= delay.toNanos() && step.run(),
                wakes,
                atEnd);
    }

    /// Returns a chore whose interval stays the same while the process is idle.
    public Chore steady() {
        return idlingAt(interval);
    }

    /// Returns a chore that runs at this interval while the process is idle.
    public Chore idlingAt(Duration idleInterval) {
        return new Chore(name, interval, idleInterval, gap, rest, step, wakes, atEnd);
    }

    /// Returns how long the loop waits after a round if nothing wakes it.
    Duration pause(boolean isIdle) {
        var usual = isIdle ? idleInterval : interval;
        var longer = rest.map(Supplier::get).orElse(Duration.ZERO);
        return longer.compareTo(usual) > 0 ? longer : usual;
    }

    boolean isSteady() {
        return idleInterval.equals(interval);
    }
}
