package dev.sluice.engine;

import dev.sluice.gateway.routing.Route;

/// Shows the request that a delivery would send, without sending it.
@FunctionalInterface
public interface RequestPreview {

    /// The request that a connection would send for an event, or the reason why it would not send
    /// one.
    sealed interface PreviewedPayload {

        /// The headers and the body as they would be sent, with credentials masked.
        record TransformedPayload(Payload payload) implements PreviewedPayload {}

        /// The transformation fails, so nothing would be sent.
        record FailedTransformation(String reason) implements PreviewedPayload {}
    }

    PreviewedPayload preview(Route route, EventId event, Payload payload);
}
