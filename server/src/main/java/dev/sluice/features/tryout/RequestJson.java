package dev.sluice.features.tryout;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.sluice.engine.send.OutboundBody;
import dev.sluice.gateway.destination.DestinationUrl;
import dev.sluice.platform.http.Header;
import dev.sluice.platform.json.JsonObject;

import java.util.Arrays;
import java.util.Base64;
import java.util.List;

/// Converts an outbound request to JSON.
public final class RequestJson {

    private RequestJson() {}

    /// Returns the request as JSON. If the body is not valid UTF-8, the field `body_base64`
    /// contains its exact bytes in Base64.
    ///
    /// @param headers the headers, with secrets masked
    public static JsonObject of(DestinationUrl url, List<Header> headers, OutboundBody body) {
        String text = new String(body.bytes(), UTF_8);
        var json =
                new JsonObject()
                        .put("method", "POST")
                        .put("url", url)
                        .put("headers", headers(headers))
                        .put("body", text);
        if (!Arrays.equals(text.getBytes(UTF_8), body.bytes())) {
            json.put("body_base64", Base64.getEncoder().encodeToString(body.bytes()));
        }
        return json;
    }

    /// Returns the headers as JSON, in order, each with `name` and `value`.
    public static List<JsonObject> headers(List<Header> headers) {
        return headers.stream()
                .map(header ->
                        new JsonObject().put("name", header.name()).put("value", header.text()))
                .toList();
    }
}
