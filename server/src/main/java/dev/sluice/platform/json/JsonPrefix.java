package dev.sluice.platform.json;

import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonToken;

import java.util.HashMap;
import java.util.Map;
import java.util.Set;

/// Reads the beginning of a JSON object whose remaining bytes are not available.
public final class JsonPrefix {

    private JsonPrefix() {}

    /// Returns the string values of the top-level members with these names, by name. A member is
    /// left out if its value is not a string or does not end within these bytes. If a name is
    /// repeated, its last string counts. Returns an empty map if the bytes are not the beginning of
    /// a JSON object in UTF-8.
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
            // The bytes end here, or what follows is not JSON. The members read so far are kept.
        }
        return found;
    }
}
