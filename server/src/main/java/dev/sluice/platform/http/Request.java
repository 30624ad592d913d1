package dev.sluice.platform.http;

import dev.sluice.platform.json.FieldReader;
import dev.sluice.platform.json.Json;

import org.eclipse.jetty.http.HttpField;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.util.Fields;
import org.eclipse.jetty.util.StringUtil;
import org.eclipse.jetty.util.UrlEncoded;
import org.jspecify.annotations.Nullable;

import java.io.EOFException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;

/// One HTTP request: its path, query, headers and body as they were sent.
///
/// If the body is larger than 16 KiB, or the server has to wait for it, memory for it is reserved
/// in an [InboundMemory] that many requests share. A `Request` is used only by the thread that
/// handles the request.
public final class Request {

    /// The maximum size of a JSON body, unless the endpoint sets its own limit.
    private static final int MAX_JSON_BODY_BYTES = Json.TOKEN_COUNT_THRESHOLD_BYTES;

    /// The maximum size of a body that is read without reserving memory, provided that the server
    /// does not have to wait for the body.
    private static final int UNRESERVED_BODY_BYTES = 16 * 1024;

    /// The placeholder for the workspace and the source of a request, until they are set.
    private static final Object NO_OWNER = new Object();

    /// How many bytes of memory are reserved for each byte of the headers.
    private static final int HEAD_MEMORY_FACTOR = 3;

    private final org.eclipse.jetty.server.Request jetty;
    private Map<String, String> pathParameters = Map.of();
    private final HttpTimeouts timeouts;
    private final RequestBodyReader bodyReader;
    private @Nullable Fields query;
    private List<Header> extraHeaders = List.of();
    private InboundMemory memory;
    private Object workspace = NO_OWNER;
    private Object source = NO_OWNER;
    private InboundMemory.@Nullable Reservation reservation;
    private final AnswerMemory answers;
    private AnswerMemory.@Nullable AnswerReservation answer;
    private byte[] jsonBytes = new byte[0];

    Request(
            org.eclipse.jetty.server.Request jetty,
            InboundMemory memory,
            AnswerMemory answers,
            HttpTimeouts timeouts) {
        this.jetty = jetty;
        this.memory = memory;
        this.answers = answers;
        this.timeouts = timeouts;
        this.bodyReader = new RequestBodyReader(jetty);
    }

    void setPathParameters(Map<String, String> parameters) {
        pathParameters = parameters;
    }

    public String method() {
        return jetty.getMethod();
    }

    /// Returns the path, still percent-encoded.
    public String path() {
        return Optional.ofNullable(jetty.getHttpURI().getPath()).orElse("");
    }

    /// Returns the path and the query, still percent-encoded.
    public String pathQuery() {
        return Optional.ofNullable(jetty.getHttpURI().getPathQuery()).orElse("");
    }

    /// Returns the path segment that matches `{name}` in the route's pattern.
    public String pathParameter(String name) {
        return Optional.ofNullable(pathParameters.get(name))
                .orElseThrow(() -> new IllegalArgumentException("the route has no {" + name + "}"));
    }

    /// Returns the path segment `{id}` as a UUID.
    ///
    /// @param kind the kind of resource to name in the 404 reply
    /// @throws ApiException 404 when the segment is not a UUID, with the same reply as for an
    ///   unknown id
    public UUID id(String kind) {
        try {
            return FieldReader.parseUuid(pathParameter("id"));
        } catch (IllegalArgumentException e) {
            throw ApiException.notFound(kind);
        }
    }

    /// Returns the first value of a query parameter. A blank value counts as absent.
    ///
    /// @throws ApiException 400 when the value contains NUL, which PostgreSQL cannot store in text,
    ///   or when the query string is not valid percent-encoded UTF-8
    public Optional<String> parameter(String name) {
        var value = parameterAsSent(name);
        if (value.filter(FieldReader::hasNul).isPresent()) {
            throw new ApiException(
                    ApiErrorCode.MALFORMED_REQUEST, name + " " + FieldReader.NUL_REFUSAL);
        }
        return value;
    }

    /// Returns the first value of a query parameter, as `parameter` does, but does not refuse NUL.
    ///
    /// @throws ApiException 400 if the query string is not valid percent-encoded UTF-8
    Optional<String> parameterAsSent(String name) {
        if (query == null) {
            query = new Fields(true);
            String text = jetty.getHttpURI().getQuery();
            if (text != null) {
                try {
                    UrlEncoded.decodeUtf8To(text, query);
                } catch (RuntimeException e) {
                    throw new ApiException(
                            ApiErrorCode.MALFORMED_REQUEST,
                            "The query string is not valid percent-encoded UTF-8.");
                }
            }
        }
        return Optional.ofNullable(query.getValue(name)).filter(StringUtil::isNotBlank);
    }

    /// Returns the value of a header that may occur only once in a request.
    ///
    /// @throws ApiException 400 when the header occurs more than once, because a proxy may have
    ///   used a different value than this server would
    public Optional<String> header(String name) {
        var values = jetty.getHeaders().getValuesList(name);
        if (values.size() > 1) {
            throw new ApiException(
                    ApiErrorCode.MALFORMED_REQUEST, "Send the header " + name + " only once.");
        }
        return values.stream().findFirst();
    }

    /// Returns the value of the first header with that name.
    public Optional<String> firstHeader(String name) {
        return Optional.ofNullable(jetty.getHeaders().get(name));
    }

    /// Returns the values of all headers with that name, in order.
    public List<String> headerValues(String name) {
        return jetty.getHeaders().getValuesList(name);
    }

    /// Returns the condition in the request's `If-Match` headers.
    ///
    /// @throws ApiException 400 if the headers are malformed
    public IfMatch ifMatch() {
        return IfMatch.of(headerValues("If-Match"));
    }

    /// Whether the client prefers a reply that is compressed with gzip.
    public boolean prefersGzip() {
        return AcceptedCodings.of(headerValues("Accept-Encoding")).prefersGzip();
    }

    /// Returns the IP address that the connection comes from, which may be a proxy's. Returns the
    /// loopback address if the connection has no IP address.
    public InetAddress remoteAddress() {
        return jetty.getConnectionMetaData().getRemoteSocketAddress()
                        instanceof InetSocketAddress remote
                ? remote.getAddress()
                : InetAddress.getLoopbackAddress();
    }

    /// Adds these headers to the reply, even when the request is refused.
    public void addExtraHeaders(List<Header> headers) {
        var all = new ArrayList<>(extraHeaders);
        all.addAll(headers);
        extraHeaders = all;
    }

    List<Header> extraHeaders() {
        return extraHeaders;
    }

    /// Returns all headers in order, with names and values as they were sent.
    public List<Header> headers() {
        var headers = new ArrayList<Header>(jetty.getHeaders().size());
        for (HttpField field : jetty.getHeaders()) {
            @Nullable String value = field.getValue();
            headers.add(new Header(field.getName(), value == null ? "" : value));
        }
        return headers;
    }

    /// Sets the workspace or person that the request's memory is charged to, and reserves memory
    /// for a small answer. The memory of the body counts toward the limit that all endpoints share,
    /// except those that call `setBodyMemory`.
    ///
    /// @throws ApiException 503 when other answers leave no memory for this one
    public void setOwner(UUID owner) {
        workspace = owner;
        source = owner;
        releaseAnswerMemory();
        answer = answers.open(owner);
        answer.growTo(AnswerMemory.SMALL_ANSWER_BYTES);
    }

    /// Reserves memory for the answer. An endpoint calls this before it builds an answer that may
    /// be large.
    ///
    /// @param bytes the memory of the whole answer and of what it is built from
    /// @throws ApiException 503 when other answers leave no memory for this one
    public void reserveAnswer(long bytes) {
        if (answer != null) {
            answer.growTo(bytes);
        }
    }

    /// Returns the memory of the answer, or empty if the request has no owner.
    Optional<AnswerMemory.AnswerReservation> answerMemory() {
        return Optional.ofNullable(answer);
    }

    void releaseAnswerMemory() {
        if (answer != null) {
            answer.release();
        }
    }

    /// Sets the [InboundMemory] in which memory for the body is reserved, for an endpoint that has
    /// its own limit. The memory counts against `bodyWorkspace` and `bodySource`.
    public void setBodyMemory(InboundMemory bodyMemory, Object bodyWorkspace, Object bodySource) {
        memory = bodyMemory;
        workspace = bodyWorkspace;
        source = bodySource;
    }

    /// Reads the whole body. Only the transfer coding is decoded; a compressed body stays
    /// compressed.
    ///
    /// @throws ApiException 413 when the body is longer than `maxBytes`, in which case reading
    ///   stops at that point; 503 when other bodies leave no memory for this one
    public byte[] body(int maxBytes) throws IOException {
        long declared = jetty.getHeaders().getLongField(HttpHeader.CONTENT_LENGTH);
        if (declared > maxBytes) {
            throw tooLarge(maxBytes);
        }
        int whole = declared >= 0 ? (int) declared : maxBytes + 1;
        byte[] body = new byte[Math.min(whole, UNRESERVED_BODY_BYTES)];
        long deadline = timeouts.bodyDeadline(System.nanoTime());
        int length = 0;
        while (length <= maxBytes) {
            if (reservation == null && !bodyReader.isAvailable()) {
                reserve(body.length);
            }
            Content.@Nullable Chunk chunk = nextChunk(deadline);
            if (chunk == null) {
                break;
            }
            int lengthBefore = length;
            try {
                while (chunk.hasRemaining() && length < whole) {
                    if (length == body.length) {
                        int longer = Math.min(whole, 4 * length);
                        reserve(reservation == null ? longer : longer - length);
                        body = Arrays.copyOf(body, longer);
                    }
                    int part = Math.min(chunk.remaining(), body.length - length);
                    chunk.get(body, length, part);
                    length += part;
                }
            } finally {
                chunk.release();
            }
            deadline =
                    timeouts.extendBodyDeadline(deadline, length - lengthBefore, System.nanoTime());
        }
        if (length > maxBytes) {
            throw tooLarge(maxBytes);
        }
        if (length < declared) {
            throw new EOFException("the body ended early");
        }
        if (reservation != null) {
            reservation.keep();
        }
        return length == body.length ? body : Arrays.copyOf(body, length);
    }

    private Content.@Nullable Chunk nextChunk(long deadline) throws IOException {
        try {
            return bodyReader.next(deadline);
        } catch (RequestBodyReader.CancelledBodyException e) {
            throw tooManyBodies();
        }
    }

    /// Reserves `bytes` more bytes for the body. The first call also reserves memory for the
    /// headers, which are kept as long as the body. Beyond the first 16 KiB, memory is reserved
    /// only as bytes arrive, so a large `Content-Length` alone reserves little.
    private void reserve(int bytes) {
        int more = bytes;
        if (reservation == null) {
            reservation = memory.open(workspace, source, bodyReader::cancel);
            more += HEAD_MEMORY_FACTOR * headLength();
        }
        if (!reservation.tryGrow(more)) {
            throw tooManyBodies();
        }
    }

    private int headLength() {
        int length = 0;
        for (HttpField field : jetty.getHeaders()) {
            @Nullable String value = field.getValue();
            length += field.getName().length() + (value == null ? 0 : value.length());
        }
        return length;
    }

    private static ApiException tooManyBodies() {
        return ApiException.unavailable(
                "Too many bodies are arriving at once. This request was not processed; send it"
                        + " again.");
    }

    /// Releases the memory reserved for the body. The caller must no longer use the body, or must
    /// count its memory elsewhere.
    public void releaseBodyMemory() {
        if (reservation != null) {
            reservation.release();
        }
    }

    RequestBodyReader bodyReader() {
        return bodyReader;
    }

    private static ApiException tooLarge(int maxBytes) {
        return new ApiException(
                ApiErrorCode.PAYLOAD_TOO_LARGE, "The body is larger than " + maxBytes + " bytes.");
    }

    /// Reads the body as a JSON object.
    ///
    /// @throws ApiException 413 when the body is longer than 256 KiB, 415 when it is not declared
    ///   as JSON or is compressed
    public FieldReader jsonBody() throws IOException {
        return jsonBody(MAX_JSON_BODY_BYTES);
    }

    /// Reads the body as a JSON object.
    ///
    /// @throws ApiException 413 when the body is longer than `maxBytes`, 415 when it is not
    ///   declared as JSON or is compressed
    public FieldReader jsonBody(int maxBytes) throws IOException {
        requireJson();
        jsonBytes = body(maxBytes);
        return Json.fieldReader(jsonBytes);
    }

    /// Reads the body like `jsonBody`, but treats an empty body or a JSON `null` as an object
    /// without fields.
    public FieldReader optionalJsonBody() throws IOException {
        return optionalJsonBody(MAX_JSON_BODY_BYTES);
    }

    /// Reads the body like `optionalJsonBody()`, but with the endpoint's own size limit.
    ///
    /// @throws ApiException 413 when the body is longer than `maxBytes`
    public FieldReader optionalJsonBody(int maxBytes) throws IOException {
        jsonBytes = body(maxBytes);
        if (jsonBytes.length > 0) {
            requireJson();
        }
        return Json.optionalFieldReader(jsonBytes);
    }

    /// Returns the JSON body as it was sent, or an empty array if none has been read yet.
    public byte[] readBody() {
        return jsonBytes;
    }

    private void requireJson() {
        if (!isJson(header("Content-Type").orElse(""))) {
            throw new ApiException(
                    ApiErrorCode.UNSUPPORTED_MEDIA_TYPE,
                    "Send the body as JSON with Content-Type: application/json.");
        }
        if (header("Content-Encoding").filter(coding -> !isIdentity(coding)).isPresent()) {
            throw new ApiException(
                    ApiErrorCode.UNSUPPORTED_MEDIA_TYPE,
                    "Send the body without Content-Encoding: it is not decoded.");
        }
    }

    private static boolean isIdentity(String coding) {
        return coding.isBlank() || coding.strip().equalsIgnoreCase("identity");
    }

    private static boolean isJson(String type) {
        String bare = type.split(";", 2)[0].strip();
        return bare.equalsIgnoreCase("application/json")
                || bare.toLowerCase(Locale.ROOT).endsWith("+json");
    }
}
