package dev.sluice.engine.send;

import dev.sluice.account.workspace.WorkspaceId;
import dev.sluice.engine.DeliveryId;
import dev.sluice.engine.EventId;
import dev.sluice.engine.Payload;
import dev.sluice.gateway.connection.Transformation;
import dev.sluice.gateway.destination.AuthConfig;
import dev.sluice.gateway.destination.Destination;
import dev.sluice.gateway.destination.DestinationUrl;
import dev.sluice.gateway.source.Source;
import dev.sluice.platform.http.Header;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/// The input to one delivery attempt: an event, and the settings of its destination and connection.
///
/// @param attempt the attempt's number, counted from 1
/// @param transformation the connection's transformation, applied when the request is sent
/// @param attemptedAt the time of the attempt, used in signatures and for `{{timestamp}}`
public record OutboundRequest(
        Destination.DestinationSpec destination,
        RequestSource source,
        InboundContent inbound,
        DeliveryId delivery,
        int attempt,
        Optional<Transformation> transformation,
        Instant attemptedAt) {

    /// The HTTP request in which an event was received.
    ///
    /// @param method the HTTP method of that request; the delivery itself is always a POST
    /// @param headers the headers as stored with the event
    /// @param body the body as received
    public record InboundContent(String method, List<Header> headers, OutboundBody body) {

        public InboundContent {
            headers = List.copyOf(headers);
        }

        public static InboundContent of(Payload payload) {
            return new InboundContent(
                    payload.method(), payload.headers(), OutboundBody.of(payload.body()));
        }
    }

    /// The properties of the event's source that are needed to build a request.
    ///
    /// @param workspace the workspace that the source belongs to
    /// @param name the source's name
    /// @param withheldHeaders the names of inbound headers that contain the source's own credential
    ///   and are therefore not forwarded
    public record RequestSource(WorkspaceId workspace, String name, Set<String> withheldHeaders) {

        public RequestSource {
            withheldHeaders = Set.copyOf(withheldHeaders);
        }

        /// Returns a placeholder source for a sample event that belongs to no source.
        public static RequestSource missing(WorkspaceId workspace) {
            return new RequestSource(workspace, "source", Set.of());
        }

        public static RequestSource of(Source source) {
            return new RequestSource(
                    source.workspace(),
                    source.name(),
                    source.verification().credentialHeader().map(Set::of).orElse(Set.of()));
        }
    }

    public OutboundRequest {
        if (!destination.timeout().isPositive()) {
            throw new IllegalArgumentException(
                    "the timeout must be positive, not " + destination.timeout());
        }
        if (attempt < 1) {
            throw new IllegalArgumentException("attempt numbers start at 1: " + attempt);
        }
    }

    public String method() {
        return inbound.method();
    }

    public List<Header> inboundHeaders() {
        return inbound.headers();
    }

    public OutboundBody body() {
        return inbound.body();
    }

    public WorkspaceId workspace() {
        return source.workspace();
    }

    public DestinationUrl url() {
        return destination.url();
    }

    /// Returns the time limit for the whole attempt, from the DNS lookup to the last byte read.
    public Duration timeout() {
        return destination.timeout();
    }

    /// Returns a copy in which the values of secret custom headers are masked.
    OutboundRequest withMaskedHeaders() {
        return new OutboundRequest(
                destination.withMaskedHeaders(),
                source,
                inbound,
                delivery,
                attempt,
                transformation,
                attemptedAt);
    }

    /// Returns a copy in which this header replaces all inbound headers with the same name.
    public OutboundRequest withInboundHeader(String name, String value) {
        var headers = new ArrayList<>(inbound.headers());
        headers.removeIf(header -> header.isNamed(name));
        headers.add(new Header(name, value));
        return withInboundHeaders(headers);
    }

    /// Returns a copy without the inbound headers that have this name.
    public OutboundRequest withoutInboundHeader(String name) {
        return withInboundHeaders(
                inbound.headers().stream().filter(header -> !header.isNamed(name)).toList());
    }

    private OutboundRequest withInboundHeaders(List<Header> headers) {
        return new OutboundRequest(
                destination,
                source,
                new InboundContent(inbound.method(), headers, inbound.body()),
                delivery,
                attempt,
                transformation,
                attemptedAt);
    }

    AuthConfig auth() {
        return destination.auth();
    }

    public EventId event() {
        return delivery.event();
    }
}
