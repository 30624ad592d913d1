package dev.sluice.platform.http;

import dev.sluice.platform.json.FieldError;
import dev.sluice.platform.json.Json;
import dev.sluice.platform.json.JsonObject;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.UnaryOperator;

/// An HTTP response: a status, headers, and a body. Immutable.
///
/// The body is held in memory, or is a JSON object that is encoded while it is written, or is
/// written as a stream.
public final class Reply {

    private static final Header JSON_CONTENT_TYPE =
            new Header("Content-Type", "application/json; charset=utf-8");

    /// The maximum memory of a JSON object whose text is built as a whole.
    private static final int MAX_WHOLE_JSON_BYTES = 64 << 10;

    private final int status;
    private final List<Header> headers;
    private final byte[] body;
    private final Optional<JsonObject> json;
    private final Optional<StreamBody> stream;
    private final boolean isCompressible;

    private Reply(int status, List<Header> headers, byte[] body) {
        this(status, headers, body, Optional.empty(), Optional.empty(), true);
    }

    private Reply(
            int status,
            List<Header> headers,
            byte[] body,
            Optional<JsonObject> json,
            Optional<StreamBody> stream,
            boolean isCompressible) {
        this.status = status;
        this.headers = List.copyOf(headers);
        this.body = body;
        this.json = json;
        this.stream = stream;
        this.isCompressible = isCompressible;
    }

    /// Returns a reply with status 200 whose body is written piece by piece. The connection is
    /// closed after the body.
    ///
    /// @param headers the headers, which must include `Content-Type`
    public static Reply stream(List<Header> headers, StreamBody body) {
        return new Reply(200, headers, new byte[0], Optional.empty(), Optional.of(body), false);
    }

    public static Reply ok(JsonObject object) {
        return json(200, object);
    }

    /// Returns a reply with status 201 and a `Location` header.
    ///
    /// @param location the path of the resource that was created
    public static Reply created(String location, JsonObject object) {
        return json(201, object).with("Location", location);
    }

    /// Returns a reply with status 202 and a `Location` header.
    ///
    /// @param location the path of the resource that the request started or added to
    public static Reply accepted(String location, JsonObject object) {
        return json(202, object).with("Location", location);
    }

    /// Returns a reply with a JSON object, which must not be changed afterwards. A large object is
    /// encoded piece by piece while the client reads it.
    public static Reply json(int status, JsonObject object) {
        var headers = List.of(JSON_CONTENT_TYPE);
        return object.memoryBytes() <= MAX_WHOLE_JSON_BYTES
                ? new Reply(status, headers, Json.bytes(object))
                : new Reply(
                        status, headers, new byte[0], Optional.of(object), Optional.empty(), true);
    }

    /// @param json the text of a JSON object
    public static Reply json(int status, String json) {
        return text(status, List.of(JSON_CONTENT_TYPE), json);
    }

    /// @param type the value of the `Content-Type` header, including the charset
    public static Reply text(int status, String type, String body) {
        return text(status, List.of(new Header("Content-Type", type)), body);
    }

    /// @param headers the headers, which must include `Content-Type`
    public static Reply text(int status, List<Header> headers, String body) {
        return new Reply(status, headers, body.getBytes(StandardCharsets.UTF_8));
    }

    /// @param headers the headers, which must include `Content-Type`
    public static Reply bytes(int status, List<Header> headers, byte[] body) {
        return new Reply(status, headers, body);
    }

    public static Reply noContent() {
        return empty(204);
    }

    public static Reply empty(int status) {
        return new Reply(status, List.of(), new byte[0]);
    }

    /// Returns a reply with the error envelope: `{"error": {"code", "message", "details"}}`.
    /// `details` is left out when it is empty.
    public static Reply error(ApiErrorCode error, String message, List<FieldError> details) {
        return error(error.status(), error.code(), message, details);
    }

    static Reply error(int status, String code, String message, List<FieldError> details) {
        var envelope = new JsonObject().put("code", code).put("message", message);
        if (!details.isEmpty()) {
            envelope.put("details", details.stream().map(Reply::detail).toList());
        }
        return json(status, new JsonObject().put("error", envelope));
    }

    private static JsonObject detail(FieldError error) {
        return new JsonObject().put("field", error.field()).put("message", error.message());
    }

    /// Returns a copy of this reply that has the tag in an `ETag` header.
    public Reply with(EntityTag tag) {
        return with("ETag", tag.text());
    }

    public Reply with(String name, String value) {
        return with(List.of(new Header(name, value)));
    }

    public Reply with(List<Header> more) {
        if (more.isEmpty()) {
            return this;
        }
        var all = new ArrayList<>(headers);
        all.addAll(more);
        return new Reply(status, all, body, json, stream, isCompressible);
    }

    /// Returns a copy of this reply that is never compressed. Use this for a reply that contains
    /// both a secret and text that an attacker can choose. If the reply were compressed, the
    /// attacker could guess the secret from the reply's length (the BREACH attack).
    public Reply uncompressed() {
        return new Reply(status, headers, body, json, stream, false);
    }

    /// Returns a copy of this reply whose stream was changed, if it has one.
    public Reply mapStream(UnaryOperator<StreamBody> change) {
        return stream.isEmpty()
                ? this
                : new Reply(status, headers, body, json, stream.map(change), isCompressible);
    }

    Reply withBody(byte[] other) {
        return new Reply(status, headers, other);
    }

    public int status() {
        return status;
    }

    /// Returns the value of the first header with that name.
    public Optional<String> header(String name) {
        return headers.stream()
                .filter(header -> header.isNamed(name))
                .map(Header::value)
                .findFirst();
    }

    /// Returns the body, decoded as UTF-8, or an empty string if the body is a stream.
    public String text() {
        return json.map(Json::text).orElseGet(() -> new String(body, StandardCharsets.UTF_8));
    }

    /// Returns the memory that the body takes up until it is written. The body of a stream counts
    /// nothing.
    long memoryBytes() {
        return json.map(JsonObject::memoryBytes).orElse((long) body.length);
    }

    /// Returns the body if it is a JSON object that is encoded while it is written.
    Optional<JsonObject> largeJson() {
        return json;
    }

    List<Header> headers() {
        return headers;
    }

    Optional<StreamBody> stream() {
        return stream;
    }

    boolean isCompressible() {
        return isCompressible;
    }

    byte[] bytes() {
        return body;
    }

    ByteBuffer body() {
        return ByteBuffer.wrap(body).asReadOnlyBuffer();
    }

    int length() {
        return body.length;
    }
}
