package dev.sluice.platform.http;

import dev.sluice.platform.db.DbException;
import dev.sluice.platform.id.Uuid7;
import dev.sluice.platform.json.InvalidFieldsException;
import dev.sluice.platform.json.MalformedJsonException;

import org.eclipse.jetty.http.HttpException;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.HttpStatus;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.BufferUtil;
import org.eclipse.jetty.util.Callback;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.EOFException;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeoutException;

/// Connects Jetty to the [Router]: turns each Jetty request into exactly one [Reply].
///
/// Every failure before the reply begins is answered with the error envelope, including errors that
/// Jetty itself detects.
final class JettyHandler extends Handler.Abstract {

    private static final Logger log = LoggerFactory.getLogger(JettyHandler.class);
    private static final String REQUEST_ID_HEADER = "X-Request-Id";

    private static final List<Header> SANDBOX_HEADERS =
            List.of(new Header("Content-Security-Policy", "default-src 'none'; sandbox"));

    /// The maximum number of bytes that are read and discarded from a refused body.
    /// `DISCARD_TIMEOUT` limits how long this takes.
    private static final int MAX_DISCARDED_BYTES = 16 << 20;

    private static final Duration DISCARD_TIMEOUT = Duration.ofSeconds(5);

    /// The maximum memory, in bytes, for the request bodies of all endpoints together, except
    /// endpoints that use their own [InboundMemory]. On a heap smaller than 1 GiB, the maximum is
    /// 1/32 of the heap.
    private static final long MAX_BODY_MEMORY_BYTES = 32L << 20;

    private static final Set<String> READ_METHODS = Set.of("GET", "HEAD");

    /// The maximum length of a body that is handed to Jetty as a whole. A client that reads a
    /// longer one very slowly is cut off by the timeout for each piece.
    private static final int MAX_WHOLE_BODY_BYTES = 16 << 10;

    /// The statuses after which Jetty closes the connection without sending `Connection: close`.
    /// This class adds the header to those replies (RFC 9112, 9.6).
    private static final Set<Integer> CLOSING_STATUSES =
            Set.of(
                    HttpStatus.REQUEST_TIMEOUT_408,
                    HttpStatus.UPGRADE_REQUIRED_426,
                    HttpStatus.HTTP_VERSION_NOT_SUPPORTED_505);

    private final Router router;
    private final Uuid7 ids;
    private final InboundMemory memory = InboundMemory.forBodies(MAX_BODY_MEMORY_BYTES, 32);
    private final AnswerMemory answers;
    private final HttpTimeouts timeouts;

    JettyHandler(Router router, Uuid7 ids, AnswerMemory answers, HttpTimeouts timeouts) {
        super(InvocationType.BLOCKING);
        this.router = router;
        this.ids = ids;
        this.answers = answers;
        this.timeouts = timeouts;
    }

    @Override
    public boolean handle(
            org.eclipse.jetty.server.Request jetty, Response response, Callback callback) {
        if (jetty.getAttribute(org.eclipse.jetty.server.handler.ErrorHandler.ERROR_STATUS)
                != null) {
            return answerJettyError(response, callback);
        }
        String id = ids.next().toString();
        var request = new Request(jetty, memory, answers, timeouts);
        var answered = answer(request, id).with(request.extraHeaders());
        var reply = GzipEncoder.encode(request, answered);
        if (reply.status() == HttpStatus.NOT_MODIFIED_304) {
            jetty.addHttpStreamWrapper(NoContentLengthStream::new);
        }
        if (reply.stream().isPresent()) {
            request.releaseAnswerMemory(); // a stream may be silent for long
            stream(reply, id, jetty, request, response, callback);
            return true;
        }
        var written = Callback.from(callback, request::releaseAnswerMemory);
        var endPoint = jetty.getConnectionMetaData().getConnection().getEndPoint();
        request.answerMemory().ifPresent(memory -> memory.beginWriting(endPoint::close));
        boolean isArrived = request.bodyReader().skipArrived();
        if (isLarge(reply) && !jetty.getMethod().equals("HEAD")) {
            var closing = isArrived ? reply : reply.with("Connection", "close");
            stream(closing, id, jetty, request, response, written);
        } else if (isArrived) {
            write(reply, id, response, written);
        } else {
            replyBeforeBodyEnds(request.bodyReader(), reply, id, response, written);
        }
        return true;
    }

    private static boolean isLarge(Reply reply) {
        return reply.largeJson().isPresent() || reply.length() > MAX_WHOLE_BODY_BYTES;
    }

    private Reply answer(Request request, String id) {
        try {
            refuseUnknownCoding(request);
            var reply = router.answer(request);
            count(request, reply);
            return reply;
        } catch (Exception | Error e) {
            // A browser must not run scripts in an error page, because ingest URLs share an origin
            // with the API.
            return errorReply(e, id).with(SANDBOX_HEADERS);
        } finally {
            request.releaseBodyMemory();
        }
    }

    /// Counts the reply's memory, where it is more than the endpoint reserved. A reply to a request
    /// that changed something is sent in any case.
    ///
    /// @throws ApiException 503 if there is no room for the reply
    private static void count(Request request, Reply reply) {
        var answer = request.answerMemory();
        if (answer.isPresent()) {
            if (READ_METHODS.contains(request.method())) {
                answer.get().growTo(reply.memoryBytes());
            } else {
                answer.get().countTo(reply.memoryBytes());
            }
        }
    }

    /// Refuses transfer codings other than `chunked` (RFC 9112, 6.1). The server cannot decode
    /// them, so the stored body would differ from the body that the sender encoded.
    private static void refuseUnknownCoding(Request request) {
        var coding = request.firstHeader("Transfer-Encoding");
        if (coding.isPresent() && !coding.get().strip().equalsIgnoreCase("chunked")) {
            throw new ApiException(
                    ApiErrorCode.MALFORMED_REQUEST,
                    "The only supported transfer coding is chunked.");
        }
    }

    private static Reply errorReply(Throwable failure, String id) {
        return switch (failure) {
            case ApiException e -> e.reply();
            case InvalidFieldsException e ->
                    Reply.error(
                            ApiErrorCode.VALIDATION_FAILED,
                            String.valueOf(e.getMessage()),
                            e.errors());
            case MalformedJsonException e ->
                    Reply.error(
                            ApiErrorCode.MALFORMED_REQUEST,
                            String.valueOf(e.getMessage()),
                            List.of());
            case DbException e when e.isBusy() -> busy();
            case DbException e when e.isConnectionLost() -> unavailable(e, id);
            case DbException e when e.failure().isPassing() -> refusedForNow(e, id);
            default -> unexpected(failure, id);
        };
    }

    private static Reply unavailable(DbException e, String id) {
        log.atWarn().addKeyValue("request_id", id).setCause(e).log("database.connection_lost");
        return tryAgain("The database did not answer. Try again.");
    }

    /// Not logged: whoever sends too many requests would otherwise fill the log, too.
    private static Reply busy() {
        return tryAgain(
                "Too many of your requests are using the database at once. This one was not"
                        + " carried out to its end. Try again.");
    }

    private static Reply tryAgain(String message) {
        return Reply.error(ApiErrorCode.UNAVAILABLE, message, List.of()).with("Retry-After", "1");
    }

    private static Reply refusedForNow(DbException e, String id) {
        log.atWarn().addKeyValue("request_id", id).setCause(e).log("database.request_refused");
        return tryAgain("The database refused the request for now. Try again.");
    }

    /// Returns the reply to an unexpected failure. A failure to read the body is answered with the
    /// status for its cause, such as 408 for a timeout. Any other failure is logged as an error and
    /// answered with 500.
    private static Reply unexpected(Throwable e, String id) {
        for (Throwable cause = e; cause != null; cause = cause.getCause()) {
            if (cause instanceof TimeoutException) {
                return Reply.error(
                                ApiErrorCode.REQUEST_TIMEOUT,
                                "The body did not arrive in time.",
                                List.of())
                        .with("Connection", "close");
            }
            if (cause instanceof HttpException http) {
                return replyForStatus(http.getCode()).with("Connection", "close");
            }
            if (cause instanceof EOFException) {
                return replyForStatus(HttpStatus.BAD_REQUEST_400).with("Connection", "close");
            }
        }
        log.atError().addKeyValue("request_id", id).setCause(e).log("request.failed");
        return Reply.error(
                ApiErrorCode.INTERNAL_ERROR, "Something went wrong on our side.", List.of());
    }

    /// Replies to a sender that is still sending its body, and then reads and discards the rest of
    /// the body for a limited time.
    ///
    /// If the rest were left unread, closing the connection could cause a TCP reset before the
    /// sender has read the reply.
    private static void replyBeforeBodyEnds(
            RequestBodyReader bodyReader,
            Reply reply,
            String id,
            Response response,
            Callback callback) {
        writeHead(reply.with("Connection", "close"), id, response);
        try {
            Content.Sink.write(response, true, reply.body());
            long end = System.nanoTime() + DISCARD_TIMEOUT.toNanos();
            for (int left = MAX_DISCARDED_BYTES; left > 0; ) {
                Content.@Nullable Chunk chunk = bodyReader.next(end);
                if (chunk == null) {
                    break;
                }
                left -= chunk.remaining();
                chunk.release();
            }
        } catch (IOException e) {
            // The sender closed the connection, or DISCARD_TIMEOUT has passed.
        }
        callback.succeeded();
    }

    private static void write(Reply reply, String id, Response response, Callback callback) {
        writeHead(reply, id, response);
        response.write(true, reply.body(), callback);
    }

    /// Writes a stream or a large body in pieces, on this thread, the request's own virtual thread.
    /// If this fails, for example because the client disconnects or reads too slowly, the
    /// connection is aborted.
    private void stream(
            Reply reply,
            String id,
            org.eclipse.jetty.server.Request jetty,
            Request request,
            Response response,
            Callback callback) {
        var head = reply.stream().isPresent() ? reply.with("Connection", "close") : reply;
        writeHead(head, id, response);
        if (jetty.getMethod().equals("HEAD")) {
            response.write(true, BufferUtil.EMPTY_BUFFER, callback);
            return;
        }
        var output = new StreamOutput(jetty, response, timeouts.idle(), request.answerMemory());
        try {
            reply.stream().orElseGet(() -> inPieces(reply)).writeTo(output);
            response.write(true, BufferUtil.EMPTY_BUFFER, callback);
        } catch (IOException e) {
            output.abort();
            callback.failed(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            output.abort();
            callback.failed(e);
        } catch (RuntimeException | Error e) {
            log.atError().addKeyValue("request_id", id).setCause(e).log("stream.failed");
            output.abort();
            callback.failed(e);
        }
    }

    private static StreamBody inPieces(Reply reply) {
        return output -> {
            var out = output.buffered();
            var json = reply.largeJson();
            if (json.isPresent()) {
                GzipEncoder.write(reply, json.get(), out);
            } else {
                out.write(reply.bytes());
            }
            out.flush();
        };
    }

    private static void writeHead(Reply reply, String id, Response response) {
        response.setStatus(reply.status());
        var headers = response.getHeaders();
        headers.put(REQUEST_ID_HEADER, id);
        headers.put("X-Content-Type-Options", "nosniff");
        for (var header : reply.headers()) {
            headers.add(header.name(), header.value());
        }
        if (allowsContentLength(reply.status())
                && reply.stream().isEmpty()
                && reply.largeJson().isEmpty()) {
            headers.put(HttpHeader.CONTENT_LENGTH, reply.length());
        }
    }

    /// Whether a reply with this status may have a `Content-Length`. A 204 has no body. In a 304,
    /// the header would have to give the length of the omitted body, not 0 (RFC 9110, 8.6).
    private static boolean allowsContentLength(int status) {
        return status != HttpStatus.NO_CONTENT_204 && status != HttpStatus.NOT_MODIFIED_304;
    }

    /// Answers a request that Jetty refused before any route handled it.
    private boolean answerJettyError(Response response, Callback callback) {
        write(
                replyForStatus(response.getStatus()).with(SANDBOX_HEADERS),
                ids.next().toString(),
                response,
                callback);
        return true;
    }

    private static Reply replyForStatus(int status) {
        ApiErrorCode error =
                switch (status) {
                    case HttpStatus.REQUEST_TIMEOUT_408 -> ApiErrorCode.REQUEST_TIMEOUT;
                    case HttpStatus.PAYLOAD_TOO_LARGE_413 -> ApiErrorCode.PAYLOAD_TOO_LARGE;
                    case HttpStatus.URI_TOO_LONG_414,
                            HttpStatus.REQUEST_HEADER_FIELDS_TOO_LARGE_431 ->
                            ApiErrorCode.HEADERS_TOO_LARGE;
                    case HttpStatus.SERVICE_UNAVAILABLE_503 -> ApiErrorCode.UNAVAILABLE;
                    case HttpStatus.UPGRADE_REQUIRED_426,
                            HttpStatus.HTTP_VERSION_NOT_SUPPORTED_505 ->
                            ApiErrorCode.MALFORMED_REQUEST;
                    default ->
                            status >= 500
                                    ? ApiErrorCode.INTERNAL_ERROR
                                    : ApiErrorCode.MALFORMED_REQUEST;
                };
        String message =
                switch (error) {
                    case HEADERS_TOO_LARGE ->
                            "The request line and headers are larger than "
                                    + HttpServer.MAX_HEADER_BYTES / 1024
                                    + " KiB.";
                    case REQUEST_TIMEOUT -> "The request did not arrive in time.";
                    case UNAVAILABLE -> "The server is stopping or overloaded. Try again.";
                    case INTERNAL_ERROR -> "Something went wrong on our side.";
                    default -> "The request is not valid HTTP/1.1.";
                };
        var reply = Reply.error(answered(status, error), error.code(), message, List.of());
        if (CLOSING_STATUSES.contains(status)) {
            return reply.with("Connection", "close");
        }
        return error == ApiErrorCode.UNAVAILABLE ? reply.with("Retry-After", "1") : reply;
    }

    /// Returns the status to send for an error. It is `status`, with two exceptions. A 414, or a
    /// status below 400, becomes the status of `error`. A 426, which Jetty reports for an HTTP/2
    /// request, becomes 505. A 426 would have to name a version to upgrade to (RFC 9110, 15.5.22),
    /// and there is none.
    private static int answered(int status, ApiErrorCode error) {
        if (status == HttpStatus.UPGRADE_REQUIRED_426) {
            return HttpStatus.HTTP_VERSION_NOT_SUPPORTED_505;
        }
        return status >= 400 && error != ApiErrorCode.HEADERS_TOO_LARGE ? status : error.status();
    }
}
