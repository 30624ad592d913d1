package dev.sluice.relay.preview;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.sluice.gateway.connection.Transformation;
import dev.sluice.gateway.destination.Destination;
import dev.sluice.gateway.filter.Filter;
import dev.sluice.gateway.filter.FilterInput;
import dev.sluice.gateway.filter.FilterReport;
import dev.sluice.gateway.source.Source;
import dev.sluice.platform.http.Header;
import dev.sluice.platform.json.Effort;
import dev.sluice.platform.json.JsonObject;
import dev.sluice.relay.DeliveryId;
import dev.sluice.relay.request.DryRun;
import dev.sluice.relay.request.OutboundBody;
import dev.sluice.relay.request.OutboundRequest;

import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/// A dry run of a filter and a transformation, for one event and one destination.
record Preview(
        Destination.DestinationSpec destination,
        Optional<Source> source,
        SampleEvent sample,
        Optional<Filter> filter,
        Optional<Transformation> transformation) {

    /// The effort for the filter: many times that at ingest, and some fifth of a second.
    private static final long MAX_FILTER_EFFORT = 200_000_000;

    /// The source to use for `{{source.name}}` when the event has no source.
    private static final OutboundRequest.RequestSource MISSING_SOURCE =
            new OutboundRequest.RequestSource("source", Set.of());

    /// Returns the result as JSON: `passes`, `operator` and `rules` of the filter, and `request` as
    /// it would be sent. If the transformation fails, `request` is null and `transformation_error`
    /// gives the reason.
    JsonObject json(DryRun dryRun) {
        var json = new JsonObject().put("passes", true).put("rules", List.of());
        filter.ifPresent(rules ->
                json.putAll(FilterReport.of(rules, subject(), requestSource().withheldHeaders())));
        switch (dryRun.run(outboundRequest())) {
            case DryRun.MaskedRequest(var headers, var body) ->
                    json.put("request", requestJson(headers, body.bytes()));
            case DryRun.DryRunFailure(String why) ->
                    json.put("request", Optional.empty()).put("transformation_error", why + ".");
        }
        return json;
    }

    private FilterInput subject() {
        return FilterInput.of(
                sample.payload().headers(), sample.payload().body(), Effort.of(MAX_FILTER_EFFORT));
    }

    /// Returns the source, with the names of the headers that contain its own credential. These
    /// headers are not forwarded.
    private OutboundRequest.RequestSource requestSource() {
        return source.map(OutboundRequest.RequestSource::of).orElse(MISSING_SOURCE);
    }

    private OutboundRequest outboundRequest() {
        return new OutboundRequest(
                destination,
                requestSource(),
                sample.payload().method(),
                sample.payload().headers(),
                OutboundBody.of(sample.payload().body()),
                DeliveryId.of(sample.id(), 1),
                1,
                transformation);
    }

    private JsonObject requestJson(List<Header> headers, byte[] body) {
        String text = new String(body, UTF_8);
        var json =
                new JsonObject()
                        .put("method", "POST")
                        .put("url", destination.url())
                        .put("headers", headers.stream().map(Preview::pair).toList())
                        .put("body", text);
        if (!Arrays.equals(text.getBytes(UTF_8), body)) {
            json.put("body_base64", Base64.getEncoder().encodeToString(body));
        }
        return json;
    }

    private static JsonObject pair(Header header) {
        return new JsonObject().put("name", header.name()).put("value", header.text());
    }
}
