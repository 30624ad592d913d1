package dev.sluice.bench.platform;

import static dev.sluice.bench.platform.UncheckedCalls.uncheckedRun;

import java.time.Duration;
import java.util.function.BooleanSupplier;

/// Waits for another process in small steps, with a limit.
public final class Wait {

    private static final Duration POLL_INTERVAL = Duration.ofMillis(20);

    private Wait() {}

    /// False when `limit` passed first.
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

    /// Seconds until the condition holds; those of `limit` when it does not hold by then.
    public static double secondsUntil(Duration limit, BooleanSupplier condition) {
        long from = System.nanoTime();
        until(limit, condition);
        return (System.nanoTime() - from) / 1e9;
    }

    public static void pause(Duration duration) {
        uncheckedRun(() -> Thread.sleep(duration));
    }
}
