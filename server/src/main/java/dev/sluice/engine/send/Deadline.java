package dev.sluice.engine.send;

import dev.sluice.engine.ErrorCode;
import dev.sluice.engine.SentEvidence;

import org.apache.hc.client5.http.io.ConnectionEndpoint;
import org.apache.hc.core5.io.CloseMode;
import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/// The time limit for one attempt, and the phase that the attempt is in.
///
/// Reads and writes have no timeout of their own. When the time is up, a timer closes the
/// connection, which ends any read or write that is blocked. One limit therefore covers the whole
/// attempt, even if the response arrives byte by byte.
final class Deadline implements Runnable, AutoCloseable {

    /// The phases of an attempt, in order. Each is named after the step that the attempt is waiting
    /// for.
    enum AttemptPhase {
        DNS_LOOKUP,
        CONNECT,
        TLS_HANDSHAKE,
        RESPONSE_HEAD,
        RESPONSE_BODY
    }

    private final Duration timeout;
    private final long start = System.nanoTime();
    private final Runnable cancelTimer;

    /// Used only by the sending thread.
    private AttemptPhase phase = AttemptPhase.DNS_LOOKUP;

    /// The connection to close when the time is up. Guarded by `this`.
    private @Nullable ConnectionEndpoint connection;

    private volatile boolean isExpired;

    Deadline(Duration timeout, ScheduledExecutorService timer) {
        this.timeout = timeout;
        var timeoutTask = timer.schedule(this, timeout.toNanos(), TimeUnit.NANOSECONDS);
        cancelTimer = () -> timeoutTask.cancel(false);
    }

    void enter(AttemptPhase next) {
        phase = next;
    }

    /// Sets the connection to close when the time is up. Closes it immediately if the time is
    /// already up.
    synchronized void closeOnExpiry(ConnectionEndpoint endpoint) {
        connection = endpoint;
        if (isExpired) {
            endpoint.close(CloseMode.IMMEDIATE);
        }
    }

    /// Called by the timer when the time is up.
    @Override
    public synchronized void run() {
        isExpired = true;
        if (connection != null) {
            connection.close(CloseMode.IMMEDIATE);
        }
    }

    boolean isExpired() {
        return isExpired || remaining().isNegative();
    }

    Duration remaining() {
        return timeout.minus(elapsed());
    }

    Duration elapsed() {
        return Duration.ofNanos(System.nanoTime() - start);
    }

    /// Returns the failure to report when the time runs out in the current phase.
    SendException timeoutFailure() {
        String limit = inWords(timeout);
        return switch (phase) {
            case DNS_LOOKUP ->
                    new SendException(
                            ErrorCode.DNS_FAILURE,
                            "The host name was not resolved within " + limit);
            case CONNECT ->
                    new SendException(ErrorCode.CONNECT_TIMEOUT, "No connection within " + limit);
            case TLS_HANDSHAKE ->
                    new SendException(
                            ErrorCode.TLS_FAILED,
                            "The TLS handshake did not complete within " + limit);
            case RESPONSE_HEAD ->
                    new SendException(ErrorCode.RESPONSE_TIMEOUT, "No response within " + limit);
            case RESPONSE_BODY ->
                    new SendException(
                            ErrorCode.RESPONSE_TIMEOUT, SentEvidence.UNENDED_RESPONSE + limit);
        };
    }

    boolean isIn(AttemptPhase phase) {
        return this.phase == phase;
    }

    /// Cancels the timer. After this call, other attempts may use the connection.
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
