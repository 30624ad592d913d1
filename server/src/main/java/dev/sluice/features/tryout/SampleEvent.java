package dev.sluice.features.tryout;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.sluice.engine.DeliveryId;
import dev.sluice.engine.EventId;
import dev.sluice.engine.Payload;
import dev.sluice.engine.send.OutboundRequest;
import dev.sluice.gateway.connection.Transformation;
import dev.sluice.gateway.destination.Destination;
import dev.sluice.gateway.source.Source;
import dev.sluice.platform.http.Header;
import dev.sluice.platform.http.HeaderSyntax;
import dev.sluice.platform.json.FieldReader;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// The event that a preview or a test uses: either a stored event or a made-up one.
///
/// @param source the event's source; empty for a made-up event without a source
public record SampleEvent(EventId id, Payload payload, Optional<Source> source) {

    /// The maximum number of headers in a made-up event.
    private static final int MAX_HEADERS = 100;

    /// The maximum total size of a made-up event's headers in bytes. Ingest uses the same limit.
    private static final int MAX_HEADER_BYTES = 32 * 1024;

    /// Reads the payload of a made-up event from the field `headers` and either `body` or
    /// `body_base64`. Adds errors to `input`.
    public static Payload read(FieldReader input) {
        var headers = headers(input);
        var text =
                input.text("body", 0, Payload.MAX_BODY_BYTES)
                        .map(body -> body.getBytes(UTF_8))
                        .toOptional();
        var base64 = input.parsed("body_base64", SampleEvent::decodeBase64).toOptional();
        if (text.isPresent() && base64.isPresent()) {
            input.addError("body_base64", "cannot be sent together with body.");
        }
        text.ifPresent(body -> checkLength(input, "body", body));
        base64.ifPresent(body -> checkLength(input, "body_base64", body));
        return Payload.of(headers, text.or(() -> base64).orElse(new byte[0]));
    }

    private static byte[] decodeBase64(String text) {
        try {
            return Base64.getDecoder().decode(text);
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException("must be Base64.", e);
        }
    }

    private static void checkLength(FieldReader input, String field, byte[] body) {
        if (body.length > Payload.MAX_BODY_BYTES) {
            input.addError(field, "must have at most " + Payload.MAX_BODY_BYTES + " bytes.");
        }
    }

    private static List<Header> headers(FieldReader input) {
        var texts = input.stringMap("headers").orElse(Map.of());
        var headers = new ArrayList<Header>();
        int size = 0;
        for (var text : texts.entrySet()) {
            var header = Header.ofText(text.getKey(), text.getValue());
            size += header.name().length() + header.value().length() + 4;
            headers.add(header);
        }
        if (headers.size() > MAX_HEADERS || size > MAX_HEADER_BYTES) {
            input.addError(
                    "headers",
                    "must have at most "
                            + MAX_HEADERS
                            + " headers, and "
                            + MAX_HEADER_BYTES
                            + " bytes.");
            return List.of();
        }
        texts.forEach((name, value) -> checkHeader(input, name, value));
        return headers;
    }

    private static void checkHeader(FieldReader input, String name, String value) {
        if (!HeaderSyntax.isName(name)) {
            input.addError("headers." + name, "is not a header name (RFC 9110).");
        } else if (!HeaderSyntax.isText(value)) {
            input.addError("headers." + name, "must not contain control characters.");
        }
    }

    /// Returns the request that a first attempt to deliver this event would send at `now`.
    public OutboundRequest outboundRequest(
            Destination.DestinationSpec destination,
            OutboundRequest.RequestSource source,
            DeliveryId delivery,
            Optional<Transformation> transformation,
            Instant now) {
        return new OutboundRequest(
                destination,
                source,
                OutboundRequest.InboundContent.of(payload),
                delivery,
                1,
                transformation,
                now);
    }
}
