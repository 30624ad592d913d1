package dev.sluice.platform.http;

import org.eclipse.jetty.io.AbstractEndPoint;
import org.eclipse.jetty.io.EndPoint;
import org.eclipse.jetty.server.NetworkConnectionLimit;
import org.eclipse.jetty.server.ServerConnector;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;

/// Limits the number of open connections. At the limit, the server accepts no more connections, and
/// closes connections that have had no request for [#MAX_IDLE_TIME].
///
/// Jetty's own implementation would instead shorten the idle timeout of all connections. That would
/// replace the timeouts that [PartialHeadLimiter] sets. It would also end requests that are waiting
/// for something, such as live streams without events.
final class ConnectionLimit extends NetworkConnectionLimit {

    /// How long a connection may be idle while the server is at the limit.
    static final Duration MAX_IDLE_TIME = Duration.ofSeconds(5);

    private static final Duration CHECK_INTERVAL = Duration.ofMillis(500);

    private final ServerConnector connector;
    private final AtomicBoolean isCheckScheduled = new AtomicBoolean();
    private volatile boolean isReached;

    ConnectionLimit(int maxConnections, ServerConnector connector) {
        super(maxConnections, connector);
        this.connector = connector;
    }

    @Override
    protected void limit() {
        super.limit();
        isReached = true;
        scheduleCheck();
    }

    @Override
    protected void unlimit() {
        isReached = false;
        super.unlimit();
    }

    private void scheduleCheck() {
        if (isCheckScheduled.compareAndSet(false, true)) {
            connector
                    .getScheduler()
                    .schedule(
                            () -> connector.getExecutor().execute(this::check),
                            CHECK_INTERVAL.toMillis(),
                            TimeUnit.MILLISECONDS);
        }
    }

    private void check() {
        isCheckScheduled.set(false);
        if (isReached) {
            try {
                connector.getConnectedEndPoints().forEach(ConnectionLimit::closeIfIdle);
            } finally {
                scheduleCheck();
            }
        }
    }

    /// Closes an idle connection by ending its wait for the next request, as the connection's own
    /// idle timeout would. Does nothing if a thread has started to read from the connection.
    private static void closeIfIdle(EndPoint endPoint) {
        // The idle time is read last: each byte that is sent or received resets it, so a request
        // that arrives during the other checks keeps the connection open.
        if (endPoint instanceof AbstractEndPoint known
                && RawHeaderConnections.isWithoutRequest(endPoint.getConnection())
                && known.getIdleFor() >= MAX_IDLE_TIME.toMillis()) {
            try {
                known.getFillInterest().onFail(new TimeoutException("all connections are in use"));
            } catch (RuntimeException e) {
                // This connection stays open until its own idle timeout expires. The check still
                // closes the other idle connections.
            }
        }
    }
}
