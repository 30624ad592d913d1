package dev.sluice.bench.platform;

import static dev.sluice.bench.platform.UncheckedCalls.uncheckedRun;

import java.time.Duration;
import java.util.function.BooleanSupplier;

/// Waits for another process in small steps, up to a limit.
public final class Wait {

    private static final Duration POLL_INTERVAL = Duration.ofMillis(20);

    private Wait() {}

    /// Waits until the condition holds. Returns false if `limit` passes first.
    public static boolean until(Duration limit, BooleanSupplier condition) {
        long end = System.nanoTime() + limit.toNanos();
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() >= end) {
                return false;
            }
            pause(POLL_INTERVAL);
        }
        return true;
    }

    /// Waits until the condition holds, and returns the seconds that this took. Returns the seconds
    /// of `limit` if the condition does not hold by then.
    public static double secondsUntil(Duration limit, BooleanSupplier condition) {
        long from = System.nanoTime();
        until(limit, condition);
        return (System.nanoTime() - from) / 1e9;
    }

    public static void pause(Duration duration) {
        uncheckedRun(() -> Thread.sleep(duration));
    }
}
