package dev.sluice.relay.preview;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.sluice.gateway.source.Source;
import dev.sluice.platform.http.Header;
import dev.sluice.platform.http.HeaderSyntax;
import dev.sluice.platform.json.Form;
import dev.sluice.relay.EventId;
import dev.sluice.relay.Payload;

import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// An event to preview: a stored one, or one that the user made up.
///
/// @param source empty for one made up
record Sample(EventId id, Payload payload, Optional<Source> source) {

    /// Bytes, as ingest takes them.
    private static final int MOST_BODY = 1 << 20;

    private static final int MOST_HEADERS = 100;
    private static final int MOST_HEADER_BYTES = 32 * 1024;

    /// Reads `sample`: `headers`, and `body` or `body_base64`. What is wrong is noted in the form.
    static Payload read(Form form) {
        var headers = headers(form);
        var text = form.text("body", 0, MOST_BODY).map(body -> body.getBytes(UTF_8)).toOptional();
        var base64 = form.parsed("body_base64", Sample::decoded).toOptional();
        if (text.isPresent() && base64.isPresent()) {
            form.complain("body_base64", "cannot be sent together with body.");
        }
        text.ifPresent(body -> checkLength(form, "body", body));
        base64.ifPresent(body -> checkLength(form, "body_base64", body));
        form.nothingElse();
        return Payload.of(headers, text.or(() -> base64).orElse(new byte[0]));
    }

    private static byte[] decoded(String text) {
        try {
            return Base64.getDecoder().decode(text);
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException("must be Base64.", e);
        }
    }

    private static void checkLength(Form form, String field, byte[] body) {
        if (body.length > MOST_BODY) {
            form.complain(field, "must have at most " + MOST_BODY + " bytes.");
        }
    }

    private static List<Header> headers(Form form) {
        var texts = form.texts("headers").or(Map.of());
        var headers = new ArrayList<Header>();
        int size = 0;
        for (var text : texts.entrySet()) {
            var header = Header.ofText(text.getKey(), text.getValue());
            size += header.name().length() + header.value().length() + 4;
            headers.add(header);
        }
        if (headers.size() > MOST_HEADERS || size > MOST_HEADER_BYTES) {
            form.complain(
                    "headers",
                    "must have at most "
                            + MOST_HEADERS
                            + " headers, and "
                            + MOST_HEADER_BYTES
                            + " bytes.");
            return List.of();
        }
        texts.forEach((name, value) -> checkHeader(form, name, value));
        return headers;
    }

    private static void checkHeader(Form form, String name, String value) {
        if (!HeaderSyntax.isName(name)) {
            form.complain("headers." + name, "is not a header name (RFC 9110).");
        } else if (!HeaderSyntax.isText(value)) {
            form.complain("headers." + name, "must not contain control characters.");
        }
    }
}
