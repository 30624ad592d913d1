package dev.sluice.engine.send;

import dev.sluice.engine.ResponseClass;

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

/// Sends one request on an open connection and reads its response. Each instance is used once, by
/// the sending thread.
final class Exchange implements ConnectionEndpoint.RequestExecutor {

    /// The maximum number of interim responses (`100`, `102` and `103`). If the receiver sends
    /// more, its response is treated as invalid.
    private static final int MAX_INTERIM_RESPONSES = 100;

    private final Deadline deadline;
    private final boolean isReused;
    private @Nullable ReceivedResponse receivedResponse;
    private boolean isReusable;
    private boolean hasReceivedNothing = true;

    Exchange(Deadline deadline, boolean isReused) {
        this.deadline = deadline;
        this.isReused = isReused;
    }

    @Override
    public ClassicHttpResponse execute(
            ClassicHttpRequest request, HttpClientConnection connection, HttpContext context)
            throws IOException, HttpException {
        long bytesBefore = connection.getEndpointDetails().getReceivedBytesCount();
        try {
            deadline.enter(Deadline.AttemptPhase.RESPONSE_HEAD);
            rejectUnsolicitedBytes(connection);
            var response = sendAndReceive(request, connection);
            deadline.enter(Deadline.AttemptPhase.RESPONSE_BODY);
            var read = received(response, connection);
            receivedResponse = read;
            isReusable = read.isFullyRead() && isReusable(response, context);
            return response;
        } finally {
            hasReceivedNothing =
                    connection.getEndpointDetails().getReceivedBytesCount() == bytesBefore;
        }
    }

    /// Reads the body. If the status is 2xx, a body or a head that is not valid HTTP only ends the
    /// reading, and is noted in the returned response.
    private static ReceivedResponse received(
            ClassicHttpResponse response, HttpClientConnection connection)
            throws IOException, HttpException {
        if (response instanceof ResponseHeadParser.InvalidHead head) {
            return ReceivedResponse.invalid(response, head.cause());
        }
        try {
            if (hasBody(response.getCode())) {
                connection.receiveResponseEntity(response);
            }
        } catch (HttpException e) {
            if (ResponseClass.of(response.getCode()) == ResponseClass.SUCCESS) {
                return ReceivedResponse.invalid(response, e);
            }
            throw e;
        }
        return ReceivedResponse.of(response);
    }

    /// Fails if a reused connection has unread bytes before the request is sent, because such bytes
    /// cannot be the response to this request.
    private void rejectUnsolicitedBytes(HttpClientConnection connection) throws IOException {
        if (isReused && connection instanceof ManagedHttpClientConnection managed) {
            if (managed.getSocket().getInputStream().available() > 0) {
                throw new ConnectionClosedException("unsolicited bytes before the request");
            }
        }
    }

    private static ClassicHttpResponse sendAndReceive(
            ClassicHttpRequest request, HttpClientConnection connection)
            throws IOException, HttpException {
        try {
            connection.sendRequestHeader(request);
            connection.flush();
        } catch (SocketException writeFailure) {
            return earlyResponse(connection, writeFailure);
        }
        return receivedResponse(connection);
    }

    /// Reads the response from a receiver that closed the connection before it read the whole
    /// request. The response is more informative than the write failure, which is thrown only if
    /// there is no response.
    private static ClassicHttpResponse earlyResponse(
            HttpClientConnection connection, SocketException writeFailure) throws IOException {
        try {
            var response = receivedResponse(connection);
            response.setHeader("Connection", "close");
            return response;
        } catch (IOException | HttpException e) {
            writeFailure.addSuppressed(e);
            throw writeFailure;
        }
    }

    private static ClassicHttpResponse receivedResponse(HttpClientConnection connection)
            throws IOException, HttpException {
        for (int interim = 0; interim <= MAX_INTERIM_RESPONSES; interim++) {
            var response = connection.receiveResponseHeader();
            int status = response.getCode();
            if (status != 100 && status != 102 && status != 103) {
                return response;
            }
        }
        throw new ProtocolException("more than " + MAX_INTERIM_RESPONSES + " interim responses");
    }

    private static boolean hasBody(int status) {
        return status >= 200 && status != 204 && status != 304;
    }

    /// Whether the connection can be reused after this response. A connection is never reused after
    /// a 1xx or 304 response. Such a response must not have a body, but a faulty receiver may send
    /// one, and its bytes would be read as the next response.
    private static boolean isReusable(ClassicHttpResponse response, HttpContext context) {
        return response.getCode() >= 200
                && response.getCode() != 304
                && DefaultConnectionReuseStrategy.INSTANCE.keepAlive(null, response, context);
    }

    @Nullable ReceivedResponse receivedResponse() {
        return receivedResponse;
    }

    /// Whether the connection can carry another request.
    boolean isReusable() {
        return isReusable;
    }

    /// Whether the receiver sent no bytes during this exchange.
    boolean hasReceivedNothing() {
        return hasReceivedNothing;
    }
}
