package dev.sluice.platform.http;

import dev.sluice.platform.json.Form;
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
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;

/// One request as it came. Owned by the thread that answers it.
public final class Request {

    /// What a management request's body may hold at most.
    private static final int MOST_FORM_BYTES = 256 * 1024;

    /// What is taken before the first byte of a body arrives.
    private static final int FIRST_BUFFER = 8 * 1024;

    /// What the headers of a request cost in memory that waits for its body, for each byte.
    private static final int HEAD_COST = 3;

    private final org.eclipse.jetty.server.Request jetty;
    private Map<String, String> parts = Map.of();
    private final BodyMemory memory;
    private final Patience patience;
    private final Incoming incoming;
    private @Nullable Fields query;
    private List<Header> answered = List.of();
    private int taken;

    Request(org.eclipse.jetty.server.Request jetty, BodyMemory memory, Patience patience) {
        this.jetty = jetty;
        this.memory = memory;
        this.patience = patience;
        this.incoming = new Incoming(jetty);
    }

    /// Told by the router what the path's parts are.
    void name(Map<String, String> named) {
        parts = named;
    }

    public String method() {
        return jetty.getMethod();
    }

    /// Still percent-encoded.
    public String path() {
        return Optional.ofNullable(jetty.getHttpURI().getPath()).orElse("");
    }

    /// The path with the query as it was sent, still percent-encoded.
    public String pathQuery() {
        return Optional.ofNullable(jetty.getHttpURI().getPathQuery()).orElse("");
    }

    /// What the path has in the place of `{name}`.
    public String part(String name) {
        return Optional.ofNullable(parts.get(name))
                .orElseThrow(() -> new IllegalArgumentException("the route has no {" + name + "}"));
    }

    /// @throws ApiException 404 when it is not a UUID, as for an id that names nothing
    public UUID id(String kind) {
        try {
            return Form.uuidOf(part("id"));
        } catch (IllegalArgumentException e) {
            throw ApiException.notFound(kind);
        }
    }

    /// The first value of a query parameter; an empty one counts as absent.
    ///
    /// @throws ApiException 400 when it contains NUL, which no database text can
    public Optional<String> parameter(String name) {
        var value = parameterAsSent(name);
        if (value.filter(text -> text.indexOf('\0') >= 0).isPresent()) {
            throw new ApiException(
                    ErrorStatus.MALFORMED_REQUEST, name + " must not contain the NUL character.");
        }
        return value;
    }

    /// It may contain NUL.
    Optional<String> parameterAsSent(String name) {
        if (query == null) {
            query = new Fields(true);
            String text = jetty.getHttpURI().getQuery();
            if (text != null) {
                try {
                    UrlEncoded.decodeUtf8To(text, query);
                } catch (RuntimeException e) {
                    throw new ApiException(
                            ErrorStatus.MALFORMED_REQUEST,
                            "The query string is not valid UTF-8 percent-encoding.");
                }
            }
        }
        return Optional.ofNullable(query.getValue(name)).filter(StringUtil::isNotBlank);
    }

    /// The first header of that name.
    public Optional<String> header(String name) {
        return Optional.ofNullable(jetty.getHeaders().get(name));
    }

    /// Has these headers added to whatever is answered, a refusal included.
    public void answerWith(List<Header> headers) {
        answered = List.copyOf(headers);
    }

    List<Header> answered() {
        return answered;
    }

    /// All headers in order, names and values as they were on the wire.
    public List<Header> headers() {
        var headers = new ArrayList<Header>(jetty.getHeaders().size());
        for (HttpField field : jetty.getHeaders()) {
            @Nullable String value = field.getValue();
            headers.add(new Header(field.getName(), value == null ? "" : value));
        }
        return headers;
    }

    /// Reads the whole body, decoded from the transfer coding only.
    ///
    /// @throws ApiException 413 when it is longer than `most` bytes; nothing more is read then
    public byte[] body(int most) throws IOException {
        long declared = jetty.getHeaders().getLongField(HttpHeader.CONTENT_LENGTH);
        if (declared > most) {
            throw tooLarge(most);
        }
        int whole = declared >= 0 ? (int) declared : most + 1;
        byte[] body = grown(new byte[0], Math.min(whole, FIRST_BUFFER));
        boolean isHeadTaken = false;
        long start = System.nanoTime();
        int length = 0;
        while (length <= most) {
            if (!isHeadTaken && !incoming.isHere()) {
                takeForHead();
                isHeadTaken = true;
            }
            Content.@Nullable Chunk chunk = incoming.next(start + patience.nanosFor(length));
            if (chunk == null) {
                break;
            }
            try {
                while (chunk.hasRemaining() && length < whole) {
                    if (length == body.length) {
                        body = grown(body, Math.min(whole, 4 * length));
                    }
                    int part = Math.min(chunk.remaining(), body.length - length);
                    chunk.get(body, length, part);
                    length += part;
                }
            } finally {
                chunk.release();
            }
        }
        if (length > most) {
            throw tooLarge(most);
        }
        if (length < declared) {
            throw new EOFException("the body ended early");
        }
        return length == body.length ? body : Arrays.copyOf(body, length);
    }

    /// Large headers count as long as their request is under way, once its body has to be waited
    /// for.
    private void takeForHead() {
        long bytes = 0;
        for (HttpField field : jetty.getHeaders()) {
            @Nullable String value = field.getValue();
            bytes += field.getName().length() + (value == null ? 0 : value.length());
        }
        take((int) (HEAD_COST * bytes));
    }

    /// Memory is taken as bytes arrive: a length that is only declared costs nothing.
    private byte[] grown(byte[] body, int length) {
        take(length - body.length);
        return Arrays.copyOf(body, length);
    }

    private void take(int bytes) {
        if (!memory.take(bytes)) {
            throw new ApiException(
                            ErrorStatus.INTERNAL_ERROR,
                            "Too many bodies are being received. Nothing was stored; send again.")
                    .with(new Header("Retry-After", "1"));
        }
        taken += bytes;
    }

    /// Gives back what its body took. After that its body is not read any more.
    void end() {
        memory.giveBack(taken);
        taken = 0;
    }

    Incoming incoming() {
        return incoming;
    }

    private static ApiException tooLarge(int most) {
        return new ApiException(
                ErrorStatus.PAYLOAD_TOO_LARGE, "The body is larger than " + most + " bytes.");
    }

    /// The body as a JSON object.
    ///
    /// @throws ApiException 413 when it is longer than 256 KiB
    public Form form() throws IOException {
        return form(MOST_FORM_BYTES);
    }

    /// The body as a JSON object.
    ///
    /// @throws ApiException 413 when it is longer than `most` bytes
    public Form form(int most) throws IOException {
        requireJson();
        return Json.form(body(most));
    }

    /// As `form`, where the body may be left out: an empty one is an object without fields.
    public Form formIfAny() throws IOException {
        byte[] body = body(MOST_FORM_BYTES);
        if (body.length == 0) {
            return Json.form("{}".getBytes(StandardCharsets.UTF_8));
        }
        requireJson();
        return Json.form(body);
    }

    private void requireJson() {
        if (!isJson(header("Content-Type").orElse(""))) {
            throw new ApiException(
                    ErrorStatus.UNSUPPORTED_MEDIA_TYPE,
                    "Send the body as JSON with Content-Type: application/json.");
        }
    }

    private static boolean isJson(String type) {
        String bare = type.split(";", 2)[0].strip();
        return bare.equalsIgnoreCase("application/json")
                || bare.toLowerCase(Locale.ROOT).endsWith("+json");
    }
}
