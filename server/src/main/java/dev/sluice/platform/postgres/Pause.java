package dev.sluice.platform.postgres;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/// The wait before something is tried again, twice as long each time until it is five seconds.
record Pause(Duration length) {

    static final Pause FIRST = new Pause(Duration.ofMillis(50));

    private static final Duration LONGEST = Duration.ofSeconds(5);

    Pause next() {
        var twice = length.multipliedBy(2);
        return new Pause(twice.compareTo(LONGEST) < 0 ? twice : LONGEST);
    }

    /// Until it is over.
    void await() throws InterruptedException {
        endsBefore(new CountDownLatch(1));
    }

    /// False when `event` came first.
    boolean endsBefore(CountDownLatch event) throws InterruptedException {
        return !event.await(length.toMillis(), TimeUnit.MILLISECONDS);
    }
}
