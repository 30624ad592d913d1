package dev.sluice.observe.events;

import dev.sluice.platform.http.Header;
import dev.sluice.platform.json.JsonObject;
import dev.sluice.platform.secret.Secret;
import dev.sluice.relay.Payload;

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

    private PayloadJson() {}

    /// Returns an object with `headers`, `header_list`, `body`, and, if the body is not valid
    /// UTF-8, `body_base64`.
    ///
    /// @param credential the name of the header whose values are masked here. Newer events are
    ///   stored with the mask, but events that older versions stored still contain the value
    public static JsonObject of(Payload payload, Optional<String> credential) {
        var headers =
                payload.headers().stream()
                        .map(header ->
                                credential.filter(header::isNamed).isPresent()
                                        ? new Header(header.name(), Secret.MASK)
                                        : readable(header))
                        .toList();
        var json =
                new JsonObject()
                        .put("headers", joined(headers))
                        .put("header_list", headers.stream().map(PayloadJson::pair).toList());
        var text = utf8(payload.body());
        json.put("body", text.orElseGet(() -> new String(payload.body(), StandardCharsets.UTF_8)));
        if (text.isEmpty()) {
            json.put("body_base64", Base64.getEncoder().encodeToString(payload.body()));
        }
        return json;
    }

    /// Returns what stands for a payload that was not asked for: null for each of its fields.
    static JsonObject none() {
        return new JsonObject()
                .put("headers", Optional.empty())
                .put("header_list", Optional.empty())
                .put("body", Optional.empty());
    }

    private static JsonObject pair(Header header) {
        return new JsonObject().put("name", header.name()).put("value", header.value());
    }

    /// Decodes a header's value as UTF-8 if its bytes are valid UTF-8, otherwise as Latin-1.
    private static Header readable(Header header) {
        byte[] bytes = header.value().getBytes(StandardCharsets.ISO_8859_1);
        return new Header(header.name(), utf8(bytes).orElse(header.value()));
    }

    /// Maps each header name to its values, joined by ", ". The name is spelled as in its first
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
