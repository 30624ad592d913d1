package dev.sluice.platform.json;

import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonToken;

import java.util.HashMap;
import java.util.Map;
import java.util.Set;

/// Reads the beginning of a JSON object whose rest is not at hand.
public final class JsonPrefix {

    private JsonPrefix() {}

    /// Returns the members of the object itself, not of what it contains, that have one of these
    /// names and a string as value, and that end within these bytes. If a name is repeated, its
    /// last member counts. Empty if the bytes do not begin a JSON object in UTF-8.
    public static Map<String, String> strings(byte[] start, Set<String> names) {
        var found = new HashMap<String, String>();
        if (!JsonScanner.isUtf8Start(start)) {
            return found;
        }
        try (var parser = JsonScanner.parser(start)) {
            if (parser.nextToken() != JsonToken.START_OBJECT) {
                return found;
            }
            while (parser.nextToken() == JsonToken.PROPERTY_NAME) {
                String name = parser.currentName();
                if (parser.nextToken() == JsonToken.VALUE_STRING && names.contains(name)) {
                    found.put(name, parser.getString());
                } else {
                    parser.skipChildren();
                }
            }
        } catch (JacksonException e) {
            // The bytes end here, or are no JSON from here on. What came before them stands.
        }
        return found;
    }
}
