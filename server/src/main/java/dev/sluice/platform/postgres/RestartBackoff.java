package dev.sluice.platform.postgres;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/// The delay before the next retry of a failed start. It doubles with each retry, up to five
/// seconds. Immutable.
record RestartBackoff(Duration delay) {

    static final RestartBackoff INITIAL_BACKOFF = new RestartBackoff(Duration.ofMillis(50));

    private static final Duration MAX_DELAY = Duration.ofSeconds(5);

    RestartBackoff next() {
        var twice = delay.multipliedBy(2);
        return new RestartBackoff(twice.compareTo(MAX_DELAY) < 0 ? twice : MAX_DELAY);
    }

    /// Waits for the whole delay.
    void await() throws InterruptedException {
        endsBefore(new CountDownLatch(1));
    }

    /// Waits for the delay or for `event`, whichever comes first. Returns false if `event` came
    /// first.
    boolean endsBefore(CountDownLatch event) throws InterruptedException {
        return !event.await(delay.toMillis(), TimeUnit.MILLISECONDS);
    }
}
