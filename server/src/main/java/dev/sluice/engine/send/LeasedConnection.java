package dev.sluice.engine.send;

import org.apache.hc.client5.http.io.ConnectionEndpoint;
import org.apache.hc.client5.http.io.HttpClientConnectionManager;
import org.apache.hc.client5.http.protocol.HttpClientContext;
import org.apache.hc.core5.http.HttpException;
import org.apache.hc.core5.io.CloseMode;
import org.apache.hc.core5.util.Timeout;

import java.io.IOException;
import java.time.Duration;

/// A pooled connection reserved for one attempt.
///
/// [#close] returns the connection to the pool. The pool keeps the connection open if the response
/// was read to its end and allows reuse. Used only by the sending thread.
final class LeasedConnection implements AutoCloseable {

    /// The name of the context attribute that passes the connecting attempt's [Deadline] to the TLS
    /// strategy.
    static final String DEADLINE_ATTRIBUTE = "sluice.attempt";

    private final HttpClientConnectionManager pool;
    private final ConnectionEndpoint endpoint;
    private final HttpClientContext context = HttpClientContext.create();
    private final boolean isSecure;
    private boolean isReused;
    private boolean isReusable;
    private boolean isResponseFullyRead;

    LeasedConnection(
            HttpClientConnectionManager pool, ConnectionEndpoint endpoint, boolean isSecure) {
        this.pool = pool;
        this.endpoint = endpoint;
        this.isSecure = isSecure;
    }

    /// Connects, unless the connection is still open from an earlier attempt.
    void open(Deadline deadline, Duration limit) throws SendException {
        isReused = endpoint.isConnected();
        deadline.closeOnExpiry(endpoint);
        if (!isReused) {
            connect(deadline, limit);
        }
    }

    private void connect(Deadline deadline, Duration limit) throws SendException {
        deadline.enter(Deadline.AttemptPhase.CONNECT);
        context.setAttribute(DEADLINE_ATTRIBUTE, deadline);
        try {
            // One millisecond is added because a timeout of zero would mean no time limit.
            pool.connect(endpoint, Timeout.ofMilliseconds(limit.toMillis() + 1), context);
        } catch (IOException e) {
            throw SendException.of(e, deadline);
        } catch (RuntimeException e) {
            throw timeoutOrRethrow(e, deadline);
        }
    }

    ReceivedResponse exchange(WireRequest wireRequest, Deadline deadline) throws SendException {
        var exchange = new Exchange(deadline, isReused);
        try {
            endpoint.execute("", wireRequest, exchange, context);
        } catch (IOException | HttpException e) {
            if (isReused && exchange.hasReceivedNothing() && !deadline.isExpired()) {
                return retryOnNewConnection(wireRequest, deadline);
            }
            throw SendException.of(e, deadline);
        } catch (RuntimeException e) {
            throw timeoutOrRethrow(e, deadline);
        }
        isReusable = exchange.isReusable();
        var receivedResponse = exchange.receivedResponse();
        if (receivedResponse == null) {
            throw new IllegalStateException("an exchange ends with a response or an exception");
        }
        isResponseFullyRead = receivedResponse.isFullyRead();
        if (deadline.isExpired()) {
            throw deadline.timeoutFailure();
        }
        return receivedResponse;
    }

    /// Sends the request again on a new connection. Called if a reused connection failed before the
    /// receiver sent any bytes. In that case, the receiver most likely closed the connection while
    /// it was idle.
    private ReceivedResponse retryOnNewConnection(WireRequest wireRequest, Deadline deadline)
            throws SendException {
        endpoint.close(CloseMode.IMMEDIATE);
        isReused = false;
        connect(deadline, deadline.remaining());
        return exchange(wireRequest, deadline);
    }

    /// Returns the timeout failure if the deadline has passed, or else rethrows the exception. The
    /// library does not expect the timer to close its connection, and may throw any exception when
    /// that happens.
    private static SendException timeoutOrRethrow(RuntimeException e, Deadline deadline) {
        if (deadline.isExpired()) {
            return deadline.timeoutFailure();
        }
        throw e;
    }

    @Override
    public void close() {
        // Skips the graceful close in two cases: over TLS, where it might wait for the peer, and
        // after a response that was not read to its end, where it is useless.
        if (!isReusable && (isSecure || !isResponseFullyRead)) {
            endpoint.close(CloseMode.IMMEDIATE);
        }
        pool.release(endpoint, null, isReusable ? HttpConnectionPool.IDLE_TIMEOUT : null);
    }
}
