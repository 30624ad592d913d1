package dev.sluice.gateway;

import java.util.List;

/// The names of the headers that Sluice itself sets on deliveries.
///
/// @param signature set with `hmac` authentication only, as is `timestamp`
/// @param method holds the method of the sender's request
/// @param hop holds how many relays the event has passed through
public record OwnHeaders(
        String eventId,
        String deliveryId,
        String attempt,
        String method,
        String hop,
        String signature,
        String timestamp) {

    /// @param prefix the start of all the names, such as `X-Service`
    public static OwnHeaders withPrefix(String prefix) {
        return new OwnHeaders(
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
