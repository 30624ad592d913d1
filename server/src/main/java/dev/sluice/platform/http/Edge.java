package dev.sluice.platform.http;

import dev.sluice.platform.db.DbException;
import dev.sluice.platform.id.Uuid7;
import dev.sluice.platform.json.InvalidFields;
import dev.sluice.platform.json.MalformedJson;

import org.eclipse.jetty.http.HttpException;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.HttpStatus;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.EOFException;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeoutException;

/// Where HTTP becomes ours: every request ends in exactly one reply, every failure in the envelope,
/// the server's own errors included.
final class Edge extends Handler.Abstract {

    private static final Logger log = LoggerFactory.getLogger(Edge.class);
    private static final String REQUEST_ID = "X-Request-Id";

    private static final List<Header> SANDBOX =
            List.of(new Header("Content-Security-Policy", "default-src 'none'; sandbox"));

    /// Of a body that was refused, how much is still read, and for how long.
    private static final int MOST_DROPPED_BYTES = 16 << 20;

    private static final Duration MOST_DROPPED_TIME = Duration.ofSeconds(5);

    /// Of all bodies being read.
    private static final long MOST_BODY_BYTES =
            Math.min(128L << 20, Runtime.getRuntime().maxMemory() / 8);

    private final Router router;
    private final Uuid7 ids;
    private final BodyMemory memory = new BodyMemory(MOST_BODY_BYTES);
    private final Patience patience;

    Edge(Router router, Uuid7 ids, Patience patience) {
        super(InvocationType.BLOCKING);
        this.router = router;
        this.ids = ids;
        this.patience = patience;
    }

    @Override
    public boolean handle(
            org.eclipse.jetty.server.Request jetty, Response response, Callback callback) {
        if (jetty.getAttribute(org.eclipse.jetty.server.handler.ErrorHandler.ERROR_STATUS)
                != null) {
            return serversOwnError(response, callback);
        }
        String id = ids.next().toString();
        var request = new Request(jetty, memory, patience);
        var reply = answer(request, id).with(request.answered());
        if (request.incoming().isSkipped()) {
            write(reply, id, response, callback);
        } else {
            refuseBody(request.incoming(), reply, id, response, callback);
        }
        return true;
    }

    private Reply answer(Request request, String id) {
        try {
            refuseUnknownCoding(request);
            return router.answer(request);
        } catch (Exception | Error e) {
            // Ingest URLs share an origin with the API: nothing that is said there may run.
            return failed(e, id).with(SANDBOX);
        } finally {
            request.end();
        }
    }

    /// Of the transfer codings only `chunked` is undone (RFC 9112, 6.1). A body in another one
    /// would be stored as it never was.
    private static void refuseUnknownCoding(Request request) {
        var coding = request.header("Transfer-Encoding");
        if (coding.isPresent() && !coding.get().strip().equalsIgnoreCase("chunked")) {
            throw new ApiException(
                    ErrorStatus.MALFORMED_REQUEST,
                    "Of the transfer codings only chunked is understood.");
        }
    }

    private static Reply failed(Throwable failure, String id) {
        return switch (failure) {
            case ApiException e -> e.reply();
            case InvalidFields e ->
                    Reply.error(
                            ErrorStatus.VALIDATION_FAILED,
                            String.valueOf(e.getMessage()),
                            e.errors());
            case MalformedJson e ->
                    Reply.error(
                            ErrorStatus.MALFORMED_REQUEST,
                            String.valueOf(e.getMessage()),
                            List.of());
            case DbException e when e.isConnectionLost() -> unavailable(e, id);
            default -> unexpected(failure, id);
        };
    }

    private static Reply unavailable(DbException e, String id) {
        log.atWarn().addKeyValue("request_id", id).setCause(e).log("request.unavailable");
        return Reply.error(
                        ErrorStatus.UNAVAILABLE,
                        "The database did not answer. Try again.",
                        List.of())
                .with("Retry-After", "1");
    }

    /// What reading the body can throw, and bugs.
    private static Reply unexpected(Throwable e, String id) {
        for (Throwable cause = e; cause != null; cause = cause.getCause()) {
            if (cause instanceof TimeoutException) {
                return Reply.error(
                                ErrorStatus.REQUEST_TIMEOUT,
                                "The body did not arrive in time.",
                                List.of())
                        .with("Connection", "close");
            }
            if (cause instanceof HttpException http) {
                return ofServer(http.getCode()).with("Connection", "close");
            }
            if (cause instanceof EOFException) {
                return ofServer(HttpStatus.BAD_REQUEST_400).with("Connection", "close");
            }
        }
        log.atError().addKeyValue("request_id", id).setCause(e).log("request.failed");
        return Reply.error(
                ErrorStatus.INTERNAL_ERROR, "Something went wrong on our side.", List.of());
    }

    /// Who is still sending would meet a reset before the answer: so it goes out first, and what
    /// comes after it is read and dropped for a while.
    private static void refuseBody(
            Incoming incoming, Reply reply, String id, Response response, Callback callback) {
        writeHead(reply.with("Connection", "close"), id, response);
        try {
            Content.Sink.write(response, true, reply.body());
            long end = System.nanoTime() + MOST_DROPPED_TIME.toNanos();
            for (int left = MOST_DROPPED_BYTES; left > 0; ) {
                Content.@Nullable Chunk chunk = incoming.next(end);
                if (chunk == null) {
                    break;
                }
                left -= chunk.remaining();
                chunk.release();
            }
        } catch (IOException e) {
            // The sender went away, with or without its answer, or had its time.
        }
        callback.succeeded();
    }

    private static void write(Reply reply, String id, Response response, Callback callback) {
        writeHead(reply, id, response);
        response.write(true, reply.body(), callback);
    }

    private static void writeHead(Reply reply, String id, Response response) {
        response.setStatus(reply.status());
        var headers = response.getHeaders();
        headers.put(REQUEST_ID, id);
        headers.put("X-Content-Type-Options", "nosniff");
        for (var header : reply.headers()) {
            headers.add(header.name(), header.value());
        }
        if (mayStateLength(reply.status())) {
            headers.put(HttpHeader.CONTENT_LENGTH, reply.length());
        }
    }

    /// 204 has no body, and in a 304 the length would be the body's that is not sent (RFC 9110,
    /// 8.6).
    private static boolean mayStateLength(int status) {
        return status != HttpStatus.NO_CONTENT_204 && status != HttpStatus.NOT_MODIFIED_304;
    }

    /// A request that the server refused before it reached a route.
    private boolean serversOwnError(Response response, Callback callback) {
        write(
                ofServer(response.getStatus()).with(SANDBOX),
                ids.next().toString(),
                response,
                callback);
        return true;
    }

    private static Reply ofServer(int status) {
        ErrorStatus error =
                switch (status) {
                    case HttpStatus.REQUEST_TIMEOUT_408 -> ErrorStatus.REQUEST_TIMEOUT;
                    case HttpStatus.PAYLOAD_TOO_LARGE_413 -> ErrorStatus.PAYLOAD_TOO_LARGE;
                    case HttpStatus.URI_TOO_LONG_414,
                            HttpStatus.REQUEST_HEADER_FIELDS_TOO_LARGE_431 ->
                            ErrorStatus.HEADERS_TOO_LARGE;
                    case HttpStatus.SERVICE_UNAVAILABLE_503 -> ErrorStatus.UNAVAILABLE;
                    case HttpStatus.HTTP_VERSION_NOT_SUPPORTED_505 -> ErrorStatus.MALFORMED_REQUEST;
                    default ->
                            status >= 500
                                    ? ErrorStatus.INTERNAL_ERROR
                                    : ErrorStatus.MALFORMED_REQUEST;
                };
        String message =
                switch (error) {
                    case HEADERS_TOO_LARGE ->
                            "The request line and headers are larger than 32 KiB.";
                    case REQUEST_TIMEOUT -> "The request did not arrive in time.";
                    case UNAVAILABLE -> "The server is stopping, or has too much to do. Try again.";
                    case INTERNAL_ERROR -> "Something went wrong on our side.";
                    default -> "The request is not valid HTTP/1.1.";
                };
        int answered =
                status >= 400 && error != ErrorStatus.HEADERS_TOO_LARGE ? status : error.status();
        return Reply.error(answered, error.code(), message, List.of());
    }
}
