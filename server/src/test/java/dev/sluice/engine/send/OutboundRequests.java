package dev.sluice.engine.send;

import dev.sluice.account.workspace.WorkspaceId;
import dev.sluice.engine.DeliveryId;
import dev.sluice.engine.EventId;
import dev.sluice.gateway.connection.Transformation;
import dev.sluice.gateway.destination.AuthConfig;
import dev.sluice.gateway.destination.CustomHeaders;
import dev.sluice.gateway.destination.Destination;
import dev.sluice.gateway.destination.DestinationLimits;
import dev.sluice.gateway.destination.DestinationUrl;
import dev.sluice.gateway.destination.RetrySchedule;
import dev.sluice.platform.http.Header;
import dev.sluice.testkit.Some;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;

/// Builds requests with unremarkable contents. A test changes only the part it is about.
public final class OutboundRequests {

    public static final EventId EVENT_ID =
            new EventId(UUID.fromString("0190a5c4-0000-7000-8000-000000000000"));

    private static final WorkspaceId WORKSPACE = new WorkspaceId(new UUID(0, 1));

    private OutboundRequests() {}

    public static OutboundRequest to(String url) {
        return new OutboundRequest(
                destination(
                        DestinationUrl.parseStored(url),
                        Duration.ofSeconds(5),
                        new AuthConfig.NoAuth(),
                        CustomHeaders.NONE),
                new OutboundRequest.RequestSource(WORKSPACE, "Shop", Set.of()),
                new OutboundRequest.InboundContent("POST", List.of(), body("{}")),
                DeliveryId.of(EVENT_ID, 1),
                1,
                Optional.empty(),
                Some.NOON);
    }

    private static Destination.DestinationSpec destination(
            DestinationUrl url, Duration timeout, AuthConfig auth, CustomHeaders customHeaders) {
        return new Destination.DestinationSpec(
                "destination",
                url,
                timeout,
                auth,
                customHeaders,
                RetrySchedule.DEFAULT,
                new DestinationLimits(32, Optional.empty()),
                Destination.DestinationStatus.ACTIVE);
    }

    public static OutboundBody body(String text) {
        return OutboundBody.of(text.getBytes(StandardCharsets.UTF_8));
    }

    public static OutboundRequest withBody(OutboundRequest request, OutboundBody body) {
        return new OutboundRequest(
                request.destination(),
                request.source(),
                new OutboundRequest.InboundContent(
                        request.method(), request.inboundHeaders(), body),
                request.delivery(),
                request.attempt(),
                request.transformation(),
                request.attemptedAt());
    }

    public static OutboundRequest withTransformation(
            OutboundRequest request, Transformation transformation, String source) {
        return new OutboundRequest(
                request.destination(),
                new OutboundRequest.RequestSource(
                        WORKSPACE, source, request.source().withheldHeaders()),
                new OutboundRequest.InboundContent(
                        request.method(), request.inboundHeaders(), request.body()),
                request.delivery(),
                request.attempt(),
                Optional.of(transformation),
                request.attemptedAt());
    }

    public static OutboundRequest withTimeout(OutboundRequest request, Duration timeout) {
        var spec = request.destination();
        return withDestination(
                request, destination(spec.url(), timeout, spec.auth(), spec.customHeaders()));
    }

    public static OutboundRequest withAuth(OutboundRequest request, AuthConfig auth) {
        var spec = request.destination();
        return withDestination(
                request, destination(spec.url(), spec.timeout(), auth, spec.customHeaders()));
    }

    public static OutboundRequest withCustom(OutboundRequest request, String... lines) {
        var spec = request.destination();
        return withDestination(
                request,
                destination(
                        spec.url(), spec.timeout(), spec.auth(), CustomHeaders.of(headers(lines))));
    }

    private static OutboundRequest withDestination(
            OutboundRequest request, Destination.DestinationSpec destination) {
        return new OutboundRequest(
                destination,
                request.source(),
                new OutboundRequest.InboundContent(
                        request.method(), request.inboundHeaders(), request.body()),
                request.delivery(),
                request.attempt(),
                request.transformation(),
                request.attemptedAt());
    }

    public static OutboundRequest withMethod(OutboundRequest request, String method) {
        return new OutboundRequest(
                request.destination(),
                request.source(),
                new OutboundRequest.InboundContent(
                        method, request.inboundHeaders(), request.body()),
                request.delivery(),
                request.attempt(),
                request.transformation(),
                request.attemptedAt());
    }

    public static OutboundRequest withInbound(OutboundRequest request, String... lines) {
        return new OutboundRequest(
                request.destination(),
                request.source(),
                new OutboundRequest.InboundContent(
                        request.method(), headers(lines), request.body()),
                request.delivery(),
                request.attempt(),
                request.transformation(),
                request.attemptedAt());
    }

    public static OutboundRequest withholding(OutboundRequest request, String name) {
        return new OutboundRequest(
                request.destination(),
                new OutboundRequest.RequestSource(WORKSPACE, request.source().name(), Set.of(name)),
                new OutboundRequest.InboundContent(
                        request.method(), request.inboundHeaders(), request.body()),
                request.delivery(),
                request.attempt(),
                request.transformation(),
                request.attemptedAt());
    }

    /// Parses `Name: value`.
    public static List<Header> headers(String... lines) {
        var headers = new ArrayList<Header>();
        for (String line : lines) {
            int colon = line.indexOf(':');
            headers.add(new Header(line.substring(0, colon), line.substring(colon + 2)));
        }
        return headers;
    }
}
