package dev.sluice.gateway.source;

import dev.sluice.platform.json.Form;
import dev.sluice.platform.json.JsonObject;

import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Map;

/// What a source answers to what it took in, in place of the default.
///
/// @param status 100 to 599
/// @param body may hold `{{request_id}}`, which becomes the event's id
public record ResponseConfig(int status, ContentType type, String body) {

    private static final int MOST_BODY_BYTES = 64 * 1024;

    public enum ContentType {
        JSON,
        TEXT;

        static final Map<String, ContentType> BY_TEXT = Map.of("json", JSON, "text", TEXT);

        String text() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /// Reads `response_config`; what is wrong is noted in the form. What is left out is 200, JSON
    /// and an empty body.
    static ResponseConfig read(Form form) {
        var config =
                new ResponseConfig(
                        form.integer("status", 100, 599).or(200),
                        form.oneOf("content_type", ContentType.BY_TEXT).or(ContentType.JSON),
                        form.text("body", 0, MOST_BODY_BYTES).or(""));
        if (config.body.getBytes(StandardCharsets.UTF_8).length > MOST_BODY_BYTES) {
            form.complain("body", "must have at most " + MOST_BODY_BYTES + " bytes in UTF-8.");
        }
        form.nothingElse();
        return config;
    }

    JsonObject json() {
        return new JsonObject()
                .put("status", status)
                .put("content_type", type.text())
                .put("body", body);
    }
}
