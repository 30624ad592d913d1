package dev.sluice.relay.send;

import org.apache.hc.client5.http.io.ConnectionEndpoint;
import org.apache.hc.client5.http.io.ManagedHttpClientConnection;
import org.apache.hc.core5.http.ClassicHttpRequest;
import org.apache.hc.core5.http.ClassicHttpResponse;
import org.apache.hc.core5.http.ConnectionClosedException;
import org.apache.hc.core5.http.HttpException;
import org.apache.hc.core5.http.ProtocolException;
import org.apache.hc.core5.http.impl.DefaultConnectionReuseStrategy;
import org.apache.hc.core5.http.io.HttpClientConnection;
import org.apache.hc.core5.http.protocol.HttpContext;
import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.net.SocketException;

/// One request and its answer on an open connection.
final class Exchange implements ConnectionEndpoint.RequestExecutor {

    /// `100`, `102` and `103` announce an answer; more of them than this is none.
    private static final int MOST_INTERIM = 100;

    private final Deadline attempt;
    private final boolean isReused;
    private @Nullable Answer answer;
    private boolean isKept;
    private boolean isUnheard = true;

    Exchange(Deadline attempt, boolean isReused) {
        this.attempt = attempt;
        this.isReused = isReused;
    }

    @Override
    public ClassicHttpResponse execute(
            ClassicHttpRequest post, HttpClientConnection connection, HttpContext context)
            throws IOException, HttpException {
        long heard = connection.getEndpointDetails().getReceivedBytesCount();
        try {
            attempt.enter(Deadline.Phase.ANSWER);
            checkSilent(connection);
            var response = ask(post, connection);
            attempt.enter(Deadline.Phase.BODY);
            if (hasBody(response.getCode())) {
                connection.receiveResponseEntity(response);
            }
            var read = Answer.of(response);
            answer = read;
            isKept = read.isWhole() && isKept(response, context);
            return response;
        } finally {
            isUnheard = connection.getEndpointDetails().getReceivedBytesCount() == heard;
        }
    }

    /// What a reused connection has to say before it is asked is no answer.
    private void checkSilent(HttpClientConnection connection) throws IOException {
        if (isReused && connection instanceof ManagedHttpClientConnection managed) {
            if (managed.getSocket().getInputStream().available() > 0) {
                throw new ConnectionClosedException("not asked");
            }
        }
    }

    private static ClassicHttpResponse ask(ClassicHttpRequest post, HttpClientConnection connection)
            throws IOException, HttpException {
        try {
            connection.sendRequestHeader(post);
            connection.flush();
        } catch (SocketException unsent) {
            return earlyAnswer(connection, unsent);
        }
        return answer(connection);
    }

    /// A receiver may refuse a body half way, and its answer is worth more than the broken pipe.
    private static ClassicHttpResponse earlyAnswer(
            HttpClientConnection connection, SocketException unsent) throws IOException {
        try {
            var response = answer(connection);
            response.setHeader("Connection", "close");
            return response;
        } catch (IOException | HttpException e) {
            unsent.addSuppressed(e);
            throw unsent;
        }
    }

    private static ClassicHttpResponse answer(HttpClientConnection connection)
            throws IOException, HttpException {
        for (int interim = 0; interim <= MOST_INTERIM; interim++) {
            var response = connection.receiveResponseHeader();
            int status = response.getCode();
            if (status > 599) {
                throw new ProtocolException("status " + status);
            }
            if (status != 100 && status != 102 && status != 103) {
                return response;
            }
        }
        throw new ProtocolException("more than " + MOST_INTERIM + " interim answers");
    }

    private static boolean hasBody(int status) {
        return status >= 200 && status != 204 && status != 304;
    }

    /// After a 1xx or a 304 nothing tells whether a body follows after all.
    private static boolean isKept(ClassicHttpResponse response, HttpContext context) {
        return response.getCode() >= 200
                && response.getCode() != 304
                && DefaultConnectionReuseStrategy.INSTANCE.keepAlive(null, response, context);
    }

    @Nullable Answer answer() {
        return answer;
    }

    /// Whether the connection can serve again.
    boolean isKept() {
        return isKept;
    }

    /// Whether not one byte came back.
    boolean isUnheard() {
        return isUnheard;
    }
}
