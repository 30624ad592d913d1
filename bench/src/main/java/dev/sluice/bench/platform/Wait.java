package dev.sluice.bench.platform;

import java.time.Duration;
import java.util.function.BooleanSupplier;

/// Waiting for another process, in small steps and never for ever.
public final class Wait {

    private static final Duration STEP = Duration.ofMillis(20);

    private Wait() {}

    /// False when `limit` passed first.
    public static boolean until(Duration limit, BooleanSupplier condition) {
        long end = System.nanoTime() + limit.toNanos();
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() >= end) {
                return false;
            }
            pause(STEP);
        }
        return true;
    }

    public static void pause(Duration duration) {
        try {
            Thread.sleep(duration);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while waiting", e);
        }
    }
}
