package dev.sluice.testkit;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.concurrent.atomic.AtomicReference;

/// A clock that moves only when a test calls `advance`. Thread-safe.
public final class ManualClock implements InstantSource {

    private final AtomicReference<Instant> now;

    /// Creates a clock that starts at the current time.
    public static ManualClock ofNow() {
        return new ManualClock(Instant.now());
    }

    public ManualClock(Instant start) {
        this.now = new AtomicReference<>(start);
    }

    @Override
    public Instant instant() {
        return now.get();
    }

    public void advance(Duration by) {
        now.updateAndGet(instant -> instant.plus(by));
    }
}
