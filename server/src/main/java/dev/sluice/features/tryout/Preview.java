package dev.sluice.features.tryout;

import dev.sluice.engine.DeliveryId;
import dev.sluice.engine.send.DryRun;
import dev.sluice.engine.send.OutboundRequest;
import dev.sluice.gateway.connection.Transformation;
import dev.sluice.gateway.destination.Destination;
import dev.sluice.gateway.filter.Filter;
import dev.sluice.gateway.filter.FilterInput;
import dev.sluice.gateway.filter.FilterReport;
import dev.sluice.platform.json.Effort;
import dev.sluice.platform.json.JsonObject;

import java.time.Instant;
import java.util.List;
import java.util.Optional;

/// A dry run of a filter and a transformation on one event for one destination.
///
/// @param source the event's source. Its name replaces `{{source.name}}`, and its
///   `withheldHeaders`, which carry the sender's credential, are left out of the request.
record Preview(
        Destination.DestinationSpec destination,
        OutboundRequest.RequestSource source,
        SampleEvent sample,
        Optional<Filter> filter,
        Optional<Transformation> transformation) {

    /// The maximum effort that the filter may spend. It is many times the limit used at ingest, and
    /// equivalent to about a fifth of a second of CPU time.
    private static final long MAX_FILTER_EFFORT = 200_000_000;

    /// Returns the result as JSON. The fields `passes`, `operator` and `rules` describe the filter,
    /// and `request` is the request that would be sent. If the transformation fails, `request` is
    /// null and `transformation_error` gives the reason.
    ///
    /// @param now the time at which the request would be sent
    JsonObject json(DryRun dryRun, Instant now) {
        var json = new JsonObject().put("passes", true).put("rules", List.of());
        filter.ifPresent(
                rules -> json.putAll(FilterReport.of(rules, subject(), source.withheldHeaders())));
        switch (dryRun.run(outboundRequest(now))) {
            case DryRun.MaskedRequest(var headers, var body) ->
                    json.put("request", RequestJson.of(destination.url(), headers, body));
            case DryRun.DryRunFailure(String why) ->
                    json.put("request", Optional.empty()).put("transformation_error", why + ".");
        }
        return json;
    }

    private FilterInput subject() {
        return FilterInput.of(
                sample.payload().headers(), sample.payload().body(), Effort.of(MAX_FILTER_EFFORT));
    }

    private OutboundRequest outboundRequest(Instant now) {
        return sample.outboundRequest(
                destination, source, DeliveryId.of(sample.id(), 1), transformation, now);
    }
}
