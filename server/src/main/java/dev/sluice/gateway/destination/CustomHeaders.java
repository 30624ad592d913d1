package dev.sluice.gateway.destination;

import dev.sluice.platform.http.Header;
import dev.sluice.platform.json.InvalidFieldsException;
import dev.sluice.platform.json.Json;
import dev.sluice.platform.json.JsonObject;
import dev.sluice.platform.json.MalformedJsonException;
import dev.sluice.platform.secret.Secret;

import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/// The headers that a user adds to every delivery to a destination. Immutable.
///
/// Any value may be a credential. They are sealed in the database, and `toString` shows names only.
///
/// @param headers with their real values
/// @param secretNames names of the headers whose values nobody may read, spelled as in `headers`
/// @param isReadable false if the stored headers cannot be read; then there are none here
public record CustomHeaders(List<Header> headers, Set<String> secretNames, boolean isReadable) {

    public static final CustomHeaders NONE = new CustomHeaders(List.of(), Set.of(), true);
    static final CustomHeaders UNREADABLE = new CustomHeaders(List.of(), Set.of(), false);

    static final int MAX_HEADERS = 50;

    public CustomHeaders {
        headers = List.copyOf(headers);
        secretNames = Set.copyOf(secretNames);
    }

    /// Returns headers that are all readable through the API.
    public static CustomHeaders of(List<Header> headers) {
        return new CustomHeaders(headers, Set.of(), true);
    }

    public boolean isEmpty() {
        return headers.isEmpty();
    }

    /// Returns these headers with the mask in place of each secret value.
    CustomHeaders masked() {
        return new CustomHeaders(
                headers.stream().map(this::masked).toList(), secretNames, isReadable);
    }

    private Header masked(Header header) {
        return secretNames.contains(header.name())
                ? new Header(header.name(), Secret.MASK)
                : header;
    }

    /// Returns the names and values, with secret values masked.
    Map<String, String> maskedJson() {
        return values(masked().headers);
    }

    /// Returns the names of the secret headers, in the order of the headers.
    List<String> orderedSecretNames() {
        return headers.stream().map(Header::name).filter(secretNames::contains).toList();
    }

    /// Returns the JSON text with the real values. Use it only for encrypting them.
    String revealed() {
        return Json.text(
                new JsonObject()
                        .put("headers", values(headers))
                        .put("secret", orderedSecretNames()));
    }

    private static Map<String, String> values(List<Header> headers) {
        var values = new LinkedHashMap<String, String>();
        headers.forEach(header -> values.put(header.name(), header.value()));
        return values;
    }

    /// Returns the text that [#revealed] would return for headers of which none is secret.
    ///
    /// @param headers a JSON object, as older versions stored it
    static String revealed(String headers) {
        return "{\"headers\":" + headers + ",\"secret\":[]}";
    }

    /// Parses the decrypted form.
    static CustomHeaders parseUnsealed(String json) {
        try {
            var input = Json.fieldReader(json.getBytes(StandardCharsets.UTF_8));
            var headers = input.stringMap("headers").orElse(Map.of());
            var secret = input.stringList("secret", MAX_HEADERS).orElse(List.of());
            input.check();
            return new CustomHeaders(headers(headers), Set.copyOf(secret), true);
        } catch (MalformedJsonException | InvalidFieldsException e) {
            return UNREADABLE;
        }
    }

    static List<Header> headers(Map<String, String> values) {
        return values.entrySet().stream()
                .map(entry -> new Header(entry.getKey(), entry.getValue()))
                .toList();
    }

    @Override
    public String toString() {
        return headers.stream().map(Header::name).toList().toString();
    }
}
