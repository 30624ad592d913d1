package dev.sluice.history.events;

import dev.sluice.engine.Payload;
import dev.sluice.platform.http.Header;
import dev.sluice.platform.json.JsonObject;
import dev.sluice.platform.secret.Secret;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/// Converts a stored payload to the JSON that the API shows.
public final class PayloadJson {

    /// The memory of a payload while it is shown, for each byte of its body: the stored body, the
    /// decoded body, its text in two bytes a character, and Base64.
    private static final int MEMORY_FACTOR = 5;

    private static final int HEADERS_MEMORY_BYTES = 64 << 10;

    private PayloadJson() {}

    /// Returns how much memory it takes to read and show a payload.
    public static long memoryBytes(int bodySize) {
        return HEADERS_MEMORY_BYTES + (long) MEMORY_FACTOR * bodySize;
    }

    /// Returns an object with `headers`, `header_list`, `body`, and, if the body is not valid
    /// UTF-8, `body_base64`.
    ///
    /// @param credential the name of the header whose values to mask. Ingest masks them as well,
    ///   but events that were stored under another verification still contain them
    public static JsonObject of(Payload payload, Optional<String> credential) {
        var stored =
                payload.headers().stream()
                        .map(header ->
                                credential.filter(header::isNamed).isPresent()
                                        ? new Header(header.name(), Secret.MASK)
                                        : header)
                        .toList();
        var json =
                new JsonObject()
                        .put("headers", joined(stored.stream().map(PayloadJson::readable).toList()))
                        .put("header_list", stored.stream().map(PayloadJson::pair).toList());
        var text = utf8(payload.body());
        json.put("body", text.orElseGet(() -> new String(payload.body(), StandardCharsets.UTF_8)));
        if (text.isEmpty()) {
            json.put("body_base64", Base64.getEncoder().encodeToString(payload.body()));
        }
        return json;
    }

    /// Returns the JSON that is shown instead of a damaged payload.
    public static JsonObject unreadable() {
        return new JsonObject().put("payload_unreadable", true);
    }

    /// Returns `name`, `value`, and, if the value is not valid UTF-8, `value_base64`.
    private static JsonObject pair(Header header) {
        byte[] bytes = bytes(header);
        var text = utf8(bytes);
        var pair =
                new JsonObject()
                        .put("name", header.name())
                        .put("value", text.orElseGet(header::value));
        if (text.isEmpty()) {
            pair.put("value_base64", Base64.getEncoder().encodeToString(bytes));
        }
        return pair;
    }

    /// Decodes a header's value as UTF-8 if its bytes are valid UTF-8, otherwise as Latin-1.
    private static Header readable(Header header) {
        return new Header(header.name(), utf8(bytes(header)).orElse(header.value()));
    }

    private static byte[] bytes(Header header) {
        return header.value().getBytes(StandardCharsets.ISO_8859_1);
    }

    /// Maps each header name to its values, joined with ", ". Each name is spelled as in its first
    /// occurrence.
    private static Map<String, String> joined(List<Header> headers) {
        Map<String, String> names = new LinkedHashMap<>();
        Map<String, List<String>> values = new LinkedHashMap<>();
        for (var header : headers) {
            String key = header.name().toLowerCase(Locale.ROOT);
            names.putIfAbsent(key, header.name());
            values.computeIfAbsent(key, _ -> new ArrayList<>()).add(header.value());
        }
        Map<String, String> joined = new LinkedHashMap<>();
        values.forEach(
                (key, list) -> joined.put(names.getOrDefault(key, key), String.join(", ", list)));
        return joined;
    }

    private static Optional<String> utf8(byte[] bytes) {
        try {
            return Optional.of(
                    StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString());
        } catch (CharacterCodingException e) {
            return Optional.empty();
        }
    }
}
