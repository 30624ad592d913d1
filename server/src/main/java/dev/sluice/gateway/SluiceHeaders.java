package dev.sluice.gateway;

import java.util.List;

/// The names of the headers that Sluice itself sets on deliveries.
///
/// @param signature the header that carries the signature; like `timestamp`, it is set only with
///   `hmac` authentication
/// @param method the header that carries the HTTP method of the sender's request
/// @param hop the header that carries the number of relays that the event has passed through
public record SluiceHeaders(
        String eventId,
        String deliveryId,
        String attempt,
        String method,
        String hop,
        String signature,
        String timestamp) {

    /// Returns the header names, each starting with `prefix`, such as `X-Service`.
    public static SluiceHeaders withPrefix(String prefix) {
        return new SluiceHeaders(
                prefix + "-Event-Id",
                prefix + "-Delivery-Id",
                prefix + "-Attempt",
                prefix + "-Method",
                prefix + "-Hop",
                prefix + "-Signature",
                prefix + "-Timestamp");
    }

    List<String> names() {
        return List.of(eventId, deliveryId, attempt, method, hop, signature, timestamp);
    }
}
