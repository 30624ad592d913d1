package dev.sluice.platform.loop;

import java.time.Duration;
import java.util.Optional;
import java.util.function.Consumer;

/// The description of a background task: what to run, how often, and what to do at the end.
///
/// [Shutdown#start(Chore)] runs it as a [Loop].
///
/// @param name the name of the loop and its thread
/// @param interval the wait between two rounds, unless the loop is woken earlier
/// @param wakeBy receives the callback that wakes the loop, once the loop has started
/// @param atEnd runs after the last round, when the server stops
public record Chore(
        String name,
        Duration interval,
        Loop.Step step,
        Consumer<Runnable> wakeBy,
        Optional<AutoCloseable> atEnd) {

    public Chore(String name, Duration interval, Loop.Step step) {
        this(name, interval, step, _ -> {}, Optional.empty());
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
        return new Chore(name, interval, step, wakeBy, atEnd);
    }

    public Chore endingWith(AutoCloseable atEnd) {
        return new Chore(name, interval, step, wakeBy, Optional.of(atEnd));
    }
}
