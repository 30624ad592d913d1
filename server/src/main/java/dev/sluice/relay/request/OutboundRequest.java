package dev.sluice.relay.request;

import dev.sluice.gateway.connection.Transformation;
import dev.sluice.gateway.destination.AuthConfig;
import dev.sluice.gateway.destination.Destination;
import dev.sluice.gateway.destination.DestinationUrl;
import dev.sluice.gateway.source.Source;
import dev.sluice.platform.http.Header;
import dev.sluice.relay.DeliveryId;
import dev.sluice.relay.EventId;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/// The input of one delivery attempt: an event and the settings of its destination and connection.
///
/// @param method of the inbound request; every delivery is a POST
/// @param body as received
/// @param inboundHeaders as received
/// @param attempt number of the attempt, from 1
/// @param transformation the connection's transformation, applied when the request is sent
public record OutboundRequest(
        Destination.DestinationSpec destination,
        RequestSource source,
        String method,
        List<Header> inboundHeaders,
        OutboundBody body,
        DeliveryId delivery,
        int attempt,
        Optional<Transformation> transformation) {

    /// The properties of the event's source that a request needs.
    ///
    /// @param name the source's current name
    /// @param withheldHeaders names of inbound headers that contain the source's own credential and
    ///   are therefore not forwarded
    public record RequestSource(String name, Set<String> withheldHeaders) {

        public RequestSource {
            withheldHeaders = Set.copyOf(withheldHeaders);
        }

        public static RequestSource of(Source source) {
            return new RequestSource(
                    source.name(),
                    source.verification().credentialHeader().map(Set::of).orElse(Set.of()));
        }
    }

    public OutboundRequest {
        inboundHeaders = List.copyOf(inboundHeaders);
        if (!destination.timeout().isPositive()) {
            throw new IllegalArgumentException(
                    "the timeout must be positive, not " + destination.timeout());
        }
        if (attempt < 1) {
            throw new IllegalArgumentException("attempt numbers start at 1: " + attempt);
        }
    }

    public DestinationUrl url() {
        return destination.url();
    }

    /// Returns the time limit of the whole attempt, from the DNS lookup to the last byte read.
    public Duration timeout() {
        return destination.timeout();
    }

    /// Returns the same request with the values of secret custom headers masked.
    OutboundRequest withMaskedHeaders() {
        return new OutboundRequest(
                destination.withMaskedHeaders(),
                source,
                method,
                inboundHeaders,
                body,
                delivery,
                attempt,
                transformation);
    }

    /// Returns the same request as if the sender had sent this header, and none other of its name.
    public OutboundRequest withInboundHeader(String name, String value) {
        var headers = new ArrayList<>(inboundHeaders);
        headers.removeIf(header -> header.isNamed(name));
        headers.add(new Header(name, value));
        return new OutboundRequest(
                destination, source, method, headers, body, delivery, attempt, transformation);
    }

    AuthConfig auth() {
        return destination.auth();
    }

    public EventId event() {
        return delivery.event();
    }
}
