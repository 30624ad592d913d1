package dev.sluice.features.tryout;

import dev.sluice.engine.DeliveryId;
import dev.sluice.engine.EventId;
import dev.sluice.engine.Payload;
import dev.sluice.engine.RequestPreview;
import dev.sluice.engine.send.DryRun;
import dev.sluice.engine.send.OutboundRequest;
import dev.sluice.gateway.routing.Route;

import java.time.InstantSource;

/// Shows the request that a connection would send for an event. The same code prepares real
/// deliveries.
public final class RoutePreview implements RequestPreview {

    private final DryRun dryRun;
    private final InstantSource clock;

    public RoutePreview(DryRun dryRun, InstantSource clock) {
        this.dryRun = dryRun;
        this.clock = clock;
    }

    @Override
    public PreviewedPayload preview(Route route, EventId event, Payload payload) {
        var request =
                new OutboundRequest(
                        route.destination().spec(),
                        OutboundRequest.RequestSource.of(route.source()),
                        OutboundRequest.InboundContent.of(payload),
                        DeliveryId.of(event, 1),
                        1,
                        route.connection().transformation(),
                        clock.instant());
        return switch (dryRun.run(request)) {
            case DryRun.MaskedRequest(var headers, var body) ->
                    new PreviewedPayload.TransformedPayload(Payload.of(headers, body.bytes()));
            case DryRun.DryRunFailure(String why) -> new PreviewedPayload.FailedTransformation(why);
        };
    }
}
