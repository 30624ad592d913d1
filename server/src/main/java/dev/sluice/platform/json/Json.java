package dev.sluice.platform.json;

import tools.jackson.core.JacksonException;
import tools.jackson.core.StreamReadFeature;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

import java.util.LinkedHashMap;
import java.util.Map;

/// The two directions of JSON.
public final class Json {

    /// For what users send us: nothing is guessed and nothing is dropped silently.
    private static final JsonMapper API =
            JsonMapper.builder()
                    .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
                    .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
                    .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
                    .build();

    /// A body up to this length is read whatever it has: its tree stays small enough.
    private static final int SHORT = 256 * 1024;

    /// Values, names and ends of a longer one. In memory each can take a hundred bytes.
    private static final int MOST_TOKENS = 100_000;

    private Json() {}

    public static byte[] bytes(JsonObject object) {
        return API.writeValueAsBytes(object.fields());
    }

    public static String text(JsonObject object) {
        return API.writeValueAsString(object.fields());
    }

    /// A string as it stands in JSON, with its quotes.
    static String quoted(String text) {
        return API.writeValueAsString(text);
    }

    /// Reads a JSON object into a form.
    ///
    /// @throws MalformedJson when it is not one
    public static Form form(byte[] json) {
        return new Form(object(json), JsonDocument.read(json));
    }

    /// Reads a flat object of strings that we wrote ourselves.
    public static Map<String, String> texts(byte[] json) {
        var texts = new LinkedHashMap<String, String>();
        object(json)
                .properties()
                .forEach(field -> texts.put(field.getKey(), field.getValue().stringValue()));
        return texts;
    }

    private static ObjectNode object(byte[] json) {
        JsonNode node;
        try {
            if (json.length > SHORT) {
                refuseTooMany(json);
            }
            node = API.readTree(json);
        } catch (JacksonException e) {
            throw new MalformedJson("The body is not valid JSON: " + plain(e.getOriginalMessage()));
        }
        if (node instanceof ObjectNode object) {
            return object;
        }
        throw new MalformedJson("The body must be a JSON object.");
    }

    private static void refuseTooMany(byte[] json) {
        int tokens = 0;
        try (var parser = API.createParser(json)) {
            while (parser.nextToken() != null) {
                if (++tokens > MOST_TOKENS) {
                    throw new MalformedJson("The body has more JSON values than can be read.");
                }
            }
        }
    }

    /// What the library says, without where it stands in the library: its own settings, and a
    /// source that it does not show.
    private static String plain(String message) {
        return message.replaceAll(", from `[^`]*`", "")
                .replaceAll("\\s?\\([^()\\[]*\\[Source:.*?\\]\\)", "");
    }
}
