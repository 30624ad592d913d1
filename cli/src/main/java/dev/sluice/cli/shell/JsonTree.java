package dev.sluice.cli.shell;

import tools.jackson.core.JacksonException;
import tools.jackson.core.StreamReadFeature;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.cfg.JsonNodeFeature;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

import java.util.Optional;

/// Reads and writes JSON. Numbers keep every digit. An object that repeats a field is treated as
/// invalid JSON.
public final class JsonTree {

    private static final JsonMapper MAPPER =
            JsonMapper.builder()
                    .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
                    .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
                    .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
                    .disable(JsonNodeFeature.STRIP_TRAILING_BIGDECIMAL_ZEROES)
                    .build();

    private JsonTree() {}

    public static ObjectNode object() {
        return MAPPER.createObjectNode();
    }

    /// @throws JacksonException if the text is not JSON
    public static JsonNode read(byte[] text) {
        return MAPPER.readTree(text);
    }

    /// @throws JacksonException if the text is not JSON
    public static JsonNode read(String text) {
        return MAPPER.readTree(text);
    }

    /// Returns the document, or empty if the text is not JSON.
    public static Optional<JsonNode> tryRead(byte[] text) {
        try {
            return Optional.of(read(text)).filter(node -> !node.isMissingNode());
        } catch (JacksonException e) {
            return Optional.empty();
        }
    }

    /// Returns the JSON on one line.
    public static String write(JsonNode node) {
        return SafeText.json(MAPPER.writeValueAsString(node));
    }

    public static byte[] bytes(JsonNode node) {
        return MAPPER.writeValueAsBytes(node);
    }

    /// Returns the JSON, indented for readability.
    public static String writePretty(JsonNode node) {
        return MAPPER.writerWithDefaultPrettyPrinter().writeValueAsString(node);
    }
}
