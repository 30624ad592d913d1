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

    private static final int MOST_BODY = 1 << 20;
    private static final int MOST_HEADERS = 100;
    private static final int MOST_HEADER_BYTES = 32 * 1024;

    /// Reads `sample`: `headers`, and `body` or `body_base64`. What is wrong is noted in the form.
    static Payload read(Form form) {
        var headers = headers(form);
        var text = form.text("body", 0, MOST_BODY).map(body -> body.getBytes(UTF_8));
        var base64 = form.parsed("body_base64", Sample::decoded);
        if (text.toOptional().isPresent() && base64.toOptional().isPresent()) {
            form.complain("body_base64", "cannot be sent together with body.");
        }
        form.nothingElse();
        return Payload.of(headers, text.toOptional().or(base64::toOptional).orElse(new byte[0]));
    }

    private static byte[] decoded(String text) {
        try {
            return Base64.getDecoder().decode(text);
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException("must be Base64.", e);
        }
    }

    private static List<Header> headers(Form form) {
        var texts = form.texts("headers").or(Map.of());
        var headers = new ArrayList<Header>();
        int size = 0;
        for (var text : texts.entrySet()) {
            var header = Header.ofText(text.getKey(), text.getValue());
            size += header.name().length() + header.value().length() + 4;
            if (!HeaderSyntax.isName(header.name()) || !HeaderSyntax.isText(text.getValue())) {
                form.complain(
                        "headers",
                        "must have header names (RFC 9110), and values without control"
                                + " characters.");
                return List.of();
            }
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
        }
        return headers;
    }
}
