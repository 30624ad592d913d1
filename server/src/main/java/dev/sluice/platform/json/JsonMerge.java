package dev.sluice.platform.json;

import static java.nio.charset.StandardCharsets.UTF_8;

import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;

import java.io.ByteArrayOutputStream;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/// Members that are put into JSON objects without touching another byte of them: no number is
/// rounded, no escape rewritten, no space lost. Immutable.
public final class JsonMerge {

    private final Map<String, byte[]> values;

    private JsonMerge(Map<String, byte[]> values) {
        this.values = values;
    }

    /// @param object whose members are to be put in; their text is kept as it stands
    public static JsonMerge of(JsonValue object) {
        var values = new LinkedHashMap<String, byte[]>();
        object.members()
                .forEach((name, value) -> values.put(name, value.raw().text().getBytes(UTF_8)));
        return new JsonMerge(values);
    }

    public boolean isEmpty() {
        return values.isEmpty();
    }

    /// The text with the members in it: in the place of the first one of the same name, further
    /// ones of that name dropped; at the end where there was none. What is not a JSON object, as
    /// [JsonDocument] counts, comes back as the same array.
    public byte[] into(byte[] text) {
        if (values.isEmpty() || !JsonText.isPlain(text)) {
            return text;
        }
        try (var parser = JsonText.parser(text)) {
            return parser.nextToken() == JsonToken.START_OBJECT
                    ? new Splice(text).run(parser).orElse(text)
                    : text;
        } catch (JacksonException e) {
            return text;
        }
    }

    /// One pass over one text.
    private final class Splice {

        private final byte[] text;
        private final ByteArrayOutputStream out;
        private final Set<String> missing = new LinkedHashSet<>(values.keySet());

        /// Up to where the text is copied.
        private int copied;

        Splice(byte[] text) {
            this.text = text;
            this.out = new ByteArrayOutputStream(text.length + 1024);
        }

        /// Empty when there is something after the object.
        Optional<byte[]> run(JsonParser parser) {
            int end = offset(parser) + 1;
            boolean isEmpty = true;
            while (parser.nextToken() == JsonToken.PROPERTY_NAME) {
                String name = parser.currentName();
                parser.nextToken();
                int from = offset(parser);
                parser.skipChildren();
                parser.finishToken(); // from here on the value is known to be valid
                int before = end;
                end = JsonText.end(text, from);
                isEmpty = false;
                byte[] value = values.get(name);
                if (value != null) {
                    put(name, value, before, from, end);
                }
            }
            copyTo(end);
            append(isEmpty);
            copyTo(text.length);
            return parser.nextToken() == null ? Optional.of(out.toByteArray()) : Optional.empty();
        }

        private static int offset(JsonParser parser) {
            return (int) parser.currentTokenLocation().getByteOffset();
        }

        /// @param before where the member before this one ended
        private void put(String name, byte[] value, int before, int from, int end) {
            if (missing.remove(name)) {
                copyTo(from);
                out.writeBytes(value);
            } else {
                copyTo(before);
            }
            copied = end;
        }

        private void copyTo(int end) {
            if (end > copied) {
                out.write(text, copied, end - copied);
                copied = end;
            }
        }

        private void append(boolean isEmpty) {
            String separator = isEmpty ? "" : ",";
            for (String name : missing) {
                out.writeBytes((separator + Json.quoted(name) + ":").getBytes(UTF_8));
                out.writeBytes(values.getOrDefault(name, new byte[0]));
                separator = ",";
            }
        }
    }
}
