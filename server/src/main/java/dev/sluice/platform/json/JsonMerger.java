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

/// Sets top-level members of JSON objects, without merging nested objects. The rest of the text
/// stays as it is: numbers are not rounded, escapes are not rewritten, and whitespace is not
/// removed. Immutable.
public final class JsonMerger {

    private final Map<String, byte[]> values;

    private JsonMerger(Map<String, byte[]> values) {
        this.values = values;
    }

    /// @param object contains the members to set; the text of their values is copied unchanged
    public static JsonMerger of(JsonValue object) {
        var values = new LinkedHashMap<String, byte[]>();
        object.members()
                .forEach((name, value) -> values.put(name, value.raw().text().getBytes(UTF_8)));
        return new JsonMerger(values);
    }

    public boolean isEmpty() {
        return values.isEmpty();
    }

    /// Returns the text with the members set.
    ///
    /// Each member to set replaces the first member with that name in the text, and any further
    /// members with that name are removed. If the text has no member with that name, the member is
    /// appended. A byte order mark before the object stays. A text that is not a single JSON object
    /// in UTF-8, or that exceeds the limits of [JsonScanner], is returned unchanged.
    public byte[] into(byte[] text) {
        if (values.isEmpty() || !JsonScanner.isUtf8(text)) {
            return text;
        }
        try (var parser = JsonScanner.parser(text)) {
            return parser.nextToken() == JsonToken.START_OBJECT
                    ? new JsonSplicer(text).splice(parser).orElse(text)
                    : text;
        } catch (JacksonException e) {
            return text;
        }
    }

    /// Copies one text in a single pass, replacing members along the way.
    private final class JsonSplicer {

        private final byte[] text;
        private final ByteArrayOutputStream out;
        private final Set<String> missing = new LinkedHashSet<>(values.keySet());

        /// The offset up to which the input has been copied or skipped.
        private int copied;

        JsonSplicer(byte[] text) {
            this.text = text;
            this.out = new ByteArrayOutputStream(text.length + 1024);
        }

        /// Returns the text with the members set, or empty when anything follows the object in the
        /// text.
        Optional<byte[]> splice(JsonParser parser) {
            int end = offset(parser) + 1;
            boolean isEmpty = true;
            while (parser.nextToken() == JsonToken.PROPERTY_NAME) {
                String name = parser.currentName();
                parser.nextToken();
                int from = offset(parser);
                parser.skipChildren();
                parser.finishToken(); // from here on the value is known to be valid
                int before = end;
                end = JsonScanner.end(text, from);
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

        /// Replaces the value from `from` to `end`, or removes the member if its name occurred
        /// earlier in the text.
        ///
        /// @param before the offset at which the previous member ended
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

        /// Appends the members that the object did not have.
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
