package dev.sluice.platform.loop;

import java.time.Duration;
import java.util.Optional;
import java.util.function.Consumer;

/// The description of a background task: what to run, how often, and what to do at the end.
///
/// [Shutdown#start(Chore)] runs it as a [Loop].
///
/// @param name the name of the loop and its thread
/// @param interval the wait between two rounds, unless the loop is woken earlier; longer while the
///   process is idle ([Activity]), unless the chore is steady
/// @param gap the shortest wait between two rounds, even if the loop is woken
/// @param isSteady whether the interval stays the same while the process is idle
/// @param wakeBy receives the callback that wakes the loop, once the loop has started
/// @param atEnd runs after the last round, when the server stops
public record Chore(
        String name,
        Duration interval,
        Duration gap,
        boolean isSteady,
        Loop.Step step,
        Consumer<Runnable> wakeBy,
        Optional<AutoCloseable> atEnd) {

    public Chore(String name, Duration interval, Loop.Step step) {
        this(name, interval, Duration.ZERO, false, step, _ -> {}, Optional.empty());
    }

    /// Returns a chore that waits after each round, for its interval or until it is woken.
    public static Chore of(String name, Duration interval, Runnable step) {
        return new Chore(
                name,
                interval,
                () -> {
                    step.run();
                    return false;
                });
    }

    public Chore wokenBy(Consumer<Runnable> wakeBy) {
        return new Chore(name, interval, gap, isSteady, step, wakeBy, atEnd);
    }

    public Chore endingWith(AutoCloseable atEnd) {
        return new Chore(name, interval, gap, isSteady, step, wakeBy, Optional.of(atEnd));
    }

    /// Returns a chore that waits at least `gap` after each round, even if it is woken.
    public Chore withGap(Duration gap) {
        return new Chore(name, interval, gap, isSteady, step, wakeBy, atEnd);
    }

    /// Returns a chore whose interval stays the same while the process is idle.
    public Chore steady() {
        return new Chore(name, interval, gap, true, step, wakeBy, atEnd);
    }
}
