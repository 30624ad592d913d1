package dev.sluice.cli.events;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import dev.sluice.cli.shell.CommandException;
import dev.sluice.cli.shell.ExitCode;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

import java.util.Base64;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/// A webhook as the server stored it: its method, its headers in order, and its payload.
public final class StoredEvent {

    /// A header, as it was sent.
    ///
    /// @param value the value as text
    /// @param rawValue the bytes of the value as a string, with one character per byte
    public record StoredHeader(String name, String value, String rawValue) {

        /// Returns a header whose value is sent as UTF-8.
        public static StoredHeader ofText(String name, String value) {
            return new StoredHeader(name, value, new String(value.getBytes(UTF_8), ISO_8859_1));
        }

        private static StoredHeader read(JsonNode json) {
            String name = json.path("name").asString("");
            String value = json.path("value").asString("");
            var base64 = json.path("value_base64");
            return base64.isString()
                    ? new StoredHeader(
                            name,
                            value,
                            new String(Base64.getDecoder().decode(base64.asString()), ISO_8859_1))
                    : ofText(name, value);
        }
    }

    private static final Pattern TOKEN = Pattern.compile("[!#$%&'*+.^_`|~0-9A-Za-z-]+");
    private static final Pattern ID = Pattern.compile("[0-9A-Za-z-]{1,64}");
    private static final Pattern BREAKS_LINE = Pattern.compile("[\\r\\n\\x00]");

    private final JsonNode json;

    private StoredEvent(JsonNode json) {
        this.json = json;
    }

    /// @param json an event as the API or a stream returns it, with or without headers and body
    public static StoredEvent read(JsonNode json) {
        return new StoredEvent(json);
    }

    /// @param json an event with its headers and body, as the API returns it
    /// @throws CommandException if the server cannot read the stored payload
    public static StoredEvent readWhole(JsonNode json) {
        var event = read(json);
        if (event.isPayloadUnreadable()) {
            throw new CommandException(
                    ExitCode.FAILED,
                    "payload_unreadable",
                    "The server cannot read the headers and body of event " + event.id() + ".",
                    "They are damaged; only the sender still has them, or a backup.");
        }
        return event;
    }

    public String id() {
        return json.path("id").asString("");
    }

    public String sourceId() {
        return json.path("source_id").asString("");
    }

    public String method() {
        return json.path("method").asString("");
    }

    public String receivedAt() {
        return json.path("received_at").asString("");
    }

    public String contentType() {
        return json.path("content_type").asString("");
    }

    /// Returns the size of the payload in bytes.
    public long bodySize() {
        return json.path("body_size").asLong();
    }

    /// Returns whether the event failed verification. The server does not deliver such events.
    public boolean isRefused() {
        return json.path("verification_status").asString("").equals("failed");
    }

    /// Returns whether the server cannot read the event's payload. If so, the event has no headers
    /// or body.
    public boolean isPayloadUnreadable() {
        return json.path("payload_unreadable").asBoolean(false);
    }

    /// Returns the payload as text, or an empty string if the event has no `body` field.
    public String text() {
        return json.path("body").asString("");
    }

    /// Copies the headers and the body into another object. If the server cannot read them, copies
    /// the `payload_unreadable` field instead.
    public void copyPayload(ObjectNode other) {
        for (String field :
                List.of("headers", "header_list", "body", "body_base64", "payload_unreadable")) {
            if (json.has(field)) {
                other.set(field, json.get(field));
            }
        }
    }

    /// Returns all headers in order. If the server sent no `header_list`, a repeated header appears
    /// once, with its values joined.
    public List<StoredHeader> headers() {
        var list = json.path("header_list");
        if (list.isArray()) {
            return list.valueStream().map(StoredHeader::read).toList();
        }
        return json.path("headers").properties().stream()
                .map(header -> StoredHeader.ofText(header.getKey(), header.getValue().asString("")))
                .toList();
    }

    /// Returns why the event cannot be one request, or empty if it can. Only a server that cannot
    /// be trusted sends such an event: its method or a header would add another request.
    public Optional<String> fault() {
        if (!ID.matcher(id()).matches()) {
            return Optional.of("its id is not valid");
        }
        if (!isToken(method())) {
            return Optional.of("its method is not valid");
        }
        try {
            var _ = body();
            for (var header : headers()) {
                if (!isToken(header.name())) {
                    return Optional.of("the name of a header is not valid");
                }
                if (BREAKS_LINE.matcher(header.rawValue()).find()) {
                    return Optional.of("its header " + header.name() + " has a line break or NUL");
                }
            }
            return Optional.empty();
        } catch (IllegalArgumentException e) {
            return Optional.of("its headers or body are not valid Base64");
        }
    }

    /// Returns whether a text can be a method or the name of a header.
    public static boolean isToken(String text) {
        return TOKEN.matcher(text).matches();
    }

    /// Returns the payload's exact bytes. The server sends a payload that is not UTF-8 as
    /// `body_base64`.
    public byte[] body() {
        var base64 = json.path("body_base64");
        return base64.isString()
                ? Base64.getDecoder().decode(base64.asString())
                : json.path("body").asString("").getBytes(UTF_8);
    }
}
