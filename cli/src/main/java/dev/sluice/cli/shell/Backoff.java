package dev.sluice.cli.shell;

import java.time.Duration;

/// Waits between attempts. Each wait is twice as long as the previous one, up to a maximum.
public final class Backoff {

    private final Duration max;
    private Duration next;

    public Backoff(Duration first, Duration max) {
        this.next = first;
        this.max = max;
    }

    /// Waits, then doubles the length of the next wait, up to the maximum.
    ///
    /// @throws CommandException if the thread is interrupted
    public void await() {
        sleep(next);
        var twice = next.multipliedBy(2);
        next = twice.compareTo(max) < 0 ? twice : max;
    }

    /// Waits for the given time.
    ///
    /// @throws CommandException if the thread is interrupted
    public static void sleep(Duration time) {
        try {
            Thread.sleep(time);
        } catch (InterruptedException e) {
            throw CommandException.interrupted(e);
        }
    }
}
