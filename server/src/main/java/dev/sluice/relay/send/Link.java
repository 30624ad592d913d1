package dev.sluice.relay.send;

import org.apache.hc.client5.http.io.ConnectionEndpoint;
import org.apache.hc.client5.http.io.HttpClientConnectionManager;
import org.apache.hc.client5.http.protocol.HttpClientContext;
import org.apache.hc.core5.http.HttpException;
import org.apache.hc.core5.io.CloseMode;
import org.apache.hc.core5.util.TimeValue;
import org.apache.hc.core5.util.Timeout;

import java.io.IOException;
import java.time.Duration;

/// A connection that an attempt has for itself, until it closes it: then it serves others, if it
/// can. Owned by the sending thread.
final class Link implements AutoCloseable {

    /// The context's attribute with the attempt that is connecting.
    static final String ATTEMPT = "sluice.attempt";

    private static final TimeValue IDLE = TimeValue.ofSeconds(30);

    private final HttpClientConnectionManager pool;
    private final ConnectionEndpoint endpoint;
    private final HttpClientContext context = HttpClientContext.create();
    private final boolean isSecure;
    private boolean isReused;
    private boolean isKept;
    private boolean isWhole;

    Link(HttpClientConnectionManager pool, ConnectionEndpoint endpoint, boolean isSecure) {
        this.pool = pool;
        this.endpoint = endpoint;
        this.isSecure = isSecure;
    }

    /// Connects, unless it is open from an earlier attempt.
    void open(Deadline attempt, Duration limit) throws Failure {
        isReused = endpoint.isConnected();
        attempt.holds(endpoint);
        if (!isReused) {
            connect(attempt, limit);
        }
    }

    private void connect(Deadline attempt, Duration limit) throws Failure {
        attempt.enter(Deadline.Phase.CONNECT);
        context.setAttribute(ATTEMPT, attempt);
        try {
            // Rounded up, because no time at all means no limit.
            pool.connect(endpoint, Timeout.ofMilliseconds(limit.toMillis() + 1), context);
        } catch (IOException e) {
            throw Failure.of(e, attempt);
        } catch (RuntimeException e) {
            throw closedUnderway(e, attempt);
        }
    }

    Answer exchange(Post post, Deadline attempt) throws Failure {
        var exchange = new Exchange(attempt, isReused);
        try {
            endpoint.execute("", post, exchange, context);
        } catch (IOException | HttpException e) {
            if (isReused && exchange.isUnheard() && !attempt.isOver()) {
                return again(post, attempt);
            }
            throw Failure.of(e, attempt);
        } catch (RuntimeException e) {
            throw closedUnderway(e, attempt);
        }
        isKept = exchange.isKept();
        var answer = exchange.answer();
        if (answer == null) {
            throw new IllegalStateException("an exchange ends with an answer or an exception");
        }
        isWhole = answer.isWhole();
        if (attempt.isOver()) {
            throw attempt.timedOut();
        }
        return answer;
    }

    /// The receiver closed the connection while it lay idle: not its answer to this request, so the
    /// request goes out once more, on a new connection.
    private Answer again(Post post, Deadline attempt) throws Failure {
        endpoint.close(CloseMode.IMMEDIATE);
        isReused = false;
        connect(attempt, attempt.remaining());
        return exchange(post, attempt);
    }

    /// The library does not expect the end of the attempt at any moment.
    private static Failure closedUnderway(RuntimeException e, Deadline attempt) {
        if (attempt.isOver()) {
            return attempt.timedOut();
        }
        throw e;
    }

    @Override
    public void close() {
        // Asking politely can wait for the other side, and only makes sense after a whole answer.
        if (!isKept && (isSecure || !isWhole)) {
            endpoint.close(CloseMode.IMMEDIATE);
        }
        pool.release(endpoint, null, isKept ? IDLE : null);
    }
}
