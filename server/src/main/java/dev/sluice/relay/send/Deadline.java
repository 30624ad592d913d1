package dev.sluice.relay.send;

import dev.sluice.relay.ErrorCode;

import org.apache.hc.client5.http.io.ConnectionEndpoint;
import org.apache.hc.core5.io.CloseMode;
import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/// One attempt under way: how far it has come, and the end of its time.
///
/// Reads and writes wait without a limit of their own; when the time is up, the connection they
/// wait on is closed under them. So one limit holds for everything, a dripping answer included.
final class Deadline implements Runnable, AutoCloseable {

    /// What the attempt waits for, in order.
    enum Phase {
        LOOKUP,
        CONNECT,
        HANDSHAKE,
        ANSWER,
        BODY
    }

    private final Duration timeout;
    private final long start = System.nanoTime();
    private final Runnable cancelTimer;

    /// Written and read by the sending thread only.
    private Phase phase = Phase.LOOKUP;

    /// Guarded by this attempt.
    private @Nullable ConnectionEndpoint connection;

    private volatile boolean isOver;

    Deadline(Duration timeout, ScheduledExecutorService timer) {
        this.timeout = timeout;
        var end = timer.schedule(this, timeout.toNanos(), TimeUnit.NANOSECONDS);
        cancelTimer = () -> end.cancel(false);
    }

    void enter(Phase next) {
        phase = next;
    }

    /// The connection to close when the time is up.
    synchronized void holds(ConnectionEndpoint held) {
        connection = held;
        if (isOver) {
            held.close(CloseMode.IMMEDIATE);
        }
    }

    /// Called by the timer when the time is up.
    @Override
    public synchronized void run() {
        isOver = true;
        if (connection != null) {
            connection.close(CloseMode.IMMEDIATE);
        }
    }

    boolean isOver() {
        return isOver || remaining().isNegative();
    }

    Duration remaining() {
        return timeout.minus(elapsed());
    }

    Duration elapsed() {
        return Duration.ofNanos(System.nanoTime() - start);
    }

    /// What running out of time means where the attempt stands.
    Failure timedOut() {
        String limit = inWords(timeout);
        return switch (phase) {
            case LOOKUP ->
                    new Failure(
                            ErrorCode.DNS_FAILURE,
                            "The host name was not resolved within " + limit);
            case CONNECT -> new Failure(ErrorCode.CONNECT_TIMEOUT, "No connection within " + limit);
            case HANDSHAKE ->
                    new Failure(
                            ErrorCode.TLS_FAILED, "The TLS handshake did not end within " + limit);
            case ANSWER -> new Failure(ErrorCode.RESPONSE_TIMEOUT, "No answer within " + limit);
            case BODY ->
                    new Failure(
                            ErrorCode.RESPONSE_TIMEOUT, "The answer did not end within " + limit);
        };
    }

    boolean isIn(Phase phase) {
        return this.phase == phase;
    }

    /// Gives the timer back. The connection may be used by others from here on.
    @Override
    public synchronized void close() {
        connection = null;
        cancelTimer.run();
    }

    static String inWords(Duration duration) {
        long millis = duration.toMillis();
        if (millis < 1000) {
            return millis + " ms";
        }
        return millis % 1000 == 0 ? millis / 1000 + " s" : millis / 1000.0 + " s";
    }
}
