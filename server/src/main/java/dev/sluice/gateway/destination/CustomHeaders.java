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
import java.util.TreeSet;
import java.util.stream.Collectors;

/// The headers that a user adds to every delivery to a destination. Immutable.
///
/// Any value may be a credential. Values are encrypted in the database, and `toString` shows only
/// names.
///
/// @param headers the headers with their real values
/// @param secretNames names of the headers whose values the API does not show, spelled as in
///   `headers`
/// @param isReadable false if the stored headers cannot be read; `headers` is then empty
public record CustomHeaders(List<Header> headers, Set<String> secretNames, boolean isReadable) {

    public static final CustomHeaders NONE = new CustomHeaders(List.of(), Set.of(), true);
    static final CustomHeaders UNREADABLE = new CustomHeaders(List.of(), Set.of(), false);

    static final int MAX_HEADERS = 50;

    public CustomHeaders {
        headers = List.copyOf(headers);
        secretNames = Set.copyOf(secretNames);
    }

    /// Creates custom headers, none of which is secret.
    public static CustomHeaders of(List<Header> headers) {
        return new CustomHeaders(headers, Set.of(), true);
    }

    public boolean isEmpty() {
        return headers.isEmpty();
    }

    /// Whether any header is secret. Unreadable headers may be.
    boolean hasSecret() {
        return !secretNames.isEmpty() || !isReadable;
    }

    /// Returns a copy of these headers in which every header that is secret in `later` is also
    /// secret. This protects the value of a header that the user marked as secret only later.
    CustomHeaders withSecretNamesOf(CustomHeaders later) {
        var names = new TreeSet<>(String.CASE_INSENSITIVE_ORDER);
        names.addAll(secretNames);
        names.addAll(later.secretNames);
        return new CustomHeaders(
                headers,
                headers.stream()
                        .map(Header::name)
                        .filter(names::contains)
                        .collect(Collectors.toSet()),
                isReadable);
    }

    /// Returns a copy of these headers in which each secret value is replaced with the mask.
    CustomHeaders masked() {
        return new CustomHeaders(
                headers.stream().map(this::masked).toList(), secretNames, isReadable);
    }

    private Header masked(Header header) {
        return secretNames.contains(header.name())
                ? new Header(header.name(), Secret.MASK)
                : header;
    }

    /// Returns the values by header name, with secret values masked.
    Map<String, String> maskedJson() {
        return values(masked().headers);
    }

    /// Returns the names of the secret headers, in the same order as the headers.
    List<String> orderedSecretNames() {
        return headers.stream().map(Header::name).filter(secretNames::contains).toList();
    }

    /// Returns the headers as JSON text with their real values. The caller must encrypt the text
    /// before storing it, and must not use it for anything else.
    String revealed() {
        return Json.text(
                new JsonObject()
                        .put("headers", values(headers))
                        .put("secret", orderedSecretNames()));
    }

    private static Map<String, String> values(List<Header> headers) {
        var values = new LinkedHashMap<String, String>();
        headers.forEach(header -> values.put(header.name(), header.text()));
        return values;
    }

    /// Parses decrypted headers. Returns [#UNREADABLE] if they are not valid.
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
                .map(entry -> Header.ofText(entry.getKey(), entry.getValue()))
                .toList();
    }

    @Override
    public String toString() {
        return headers.stream().map(Header::name).toList().toString();
    }
}
