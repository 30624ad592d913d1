package dev.sluice.gateway;

import java.util.List;

/// The names of the headers that Sluice itself sets on deliveries.
///
/// @param signature contains the signature; set only with `hmac` authentication, like `timestamp`
/// @param method contains the method of the sender's request
/// @param hop contains the number of relays that the event has passed through
public record SluiceHeaders(
        String eventId,
        String deliveryId,
        String attempt,
        String method,
        String hop,
        String signature,
        String timestamp) {

    /// Returns the names that start with `prefix`, such as `X-Service`.
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
