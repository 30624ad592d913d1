package dev.sluice.bench.platform;

import static dev.sluice.bench.platform.UncheckedCalls.uncheckedRun;

import java.time.Duration;
import java.util.function.BooleanSupplier;

/// Waits for another process by polling, up to a time limit.
public final class Wait {

    private static final Duration POLL_INTERVAL = Duration.ofMillis(20);

    private Wait() {}

    /// Waits until the condition is true. Returns false if `limit` passes first.
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

    /// Waits until the condition is true or `limit` has passed, and returns how many seconds that
    /// took.
    public static double secondsUntil(Duration limit, BooleanSupplier condition) {
        long from = System.nanoTime();
        until(limit, condition);
        return (System.nanoTime() - from) / 1e9;
    }

    public static void pause(Duration duration) {
        uncheckedRun(() -> Thread.sleep(duration));
    }
}
