package dev.sluice.gateway.source;

import dev.sluice.platform.json.FieldReader;
import dev.sluice.platform.json.JsonObject;

import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Map;

/// The response that a source returns for accepted webhooks instead of the default response.
/// Immutable.
///
/// @param status the status code, from 100 to 599
/// @param body may contain `{{request_id}}`, which is replaced with the event's id
public record ResponseConfig(int status, ResponseContentType type, String body) {

    private static final int MAX_BODY_BYTES = 64 * 1024;

    public enum ResponseContentType {
        JSON,
        TEXT;

        static final Map<String, ResponseContentType> BY_TEXT = Map.of("json", JSON, "text", TEXT);

        String text() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /// Reads `response_config`. Invalid fields are recorded as errors in `input`. The defaults are
    /// status 200, JSON and an empty body.
    static ResponseConfig read(FieldReader input) {
        var config =
                new ResponseConfig(
                        input.integer("status", 100, 599).orElse(200),
                        input.oneOf("content_type", ResponseContentType.BY_TEXT)
                                .orElse(ResponseContentType.JSON),
                        input.text("body", 0, MAX_BODY_BYTES).orElse(""));
        if (config.body.getBytes(StandardCharsets.UTF_8).length > MAX_BODY_BYTES) {
            input.addError("body", "must have at most " + MAX_BODY_BYTES + " bytes in UTF-8.");
        }
        input.rejectUnknownFields();
        return config;
    }

    JsonObject json() {
        return new JsonObject()
                .put("status", status)
                .put("content_type", type.text())
                .put("body", body);
    }
}
