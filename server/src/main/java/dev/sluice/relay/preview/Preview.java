package dev.sluice.relay.preview;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.sluice.gateway.connection.Filter;
import dev.sluice.gateway.connection.FilterReport;
import dev.sluice.gateway.connection.FilterSubject;
import dev.sluice.gateway.connection.Transformation;
import dev.sluice.gateway.destination.Destination;
import dev.sluice.gateway.source.Source;
import dev.sluice.platform.http.Header;
import dev.sluice.platform.json.JsonObject;
import dev.sluice.relay.DeliveryId;
import dev.sluice.relay.send.Body;
import dev.sluice.relay.send.Parcel;
import dev.sluice.relay.send.Rehearsal;

import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/// What a filter and a transformation make of one event on its way to one destination.
record Preview(
        Destination.Spec destination,
        Optional<Source> source,
        Sample sample,
        Optional<Filter> filter,
        Optional<Transformation> transformation) {

    /// What `{{source.name}}` reads where there is no source.
    private static final String NO_SOURCE = "source";

    /// `passes`, `operator` and `rules` of the filter; `request` as it would be sent, or null with
    /// `transformation_error`.
    JsonObject json(Rehearsal rehearsal) {
        var json = new JsonObject().put("passes", true).put("rules", List.of());
        filter.ifPresent(rules -> json.putAll(FilterReport.of(rules, subject(), withheld())));
        switch (rehearsal.of(parcel())) {
            case Rehearsal.Request(var headers, var body) ->
                    json.put("request", request(headers, body.bytes()));
            case Rehearsal.Impossible(String why) ->
                    json.put("request", Optional.empty()).put("transformation_error", why + ".");
        }
        return json;
    }

    private FilterSubject subject() {
        return new FilterSubject(sample.payload().headers(), sample.payload().body());
    }

    /// Names of headers that carried the source's own credential: they are not sent on.
    private Set<String> withheld() {
        return source.flatMap(from -> from.verification().credentialHeader())
                .map(Set::of)
                .orElse(Set.of());
    }

    private Parcel parcel() {
        return new Parcel(
                destination.url(),
                Body.of(sample.payload().body()),
                sample.payload().headers(),
                withheld(),
                destination.customHeaders(),
                destination.auth(),
                destination.timeout(),
                sample.id(),
                DeliveryId.of(sample.id(), 1),
                1,
                transformation,
                source.map(Source::name).orElse(NO_SOURCE));
    }

    private JsonObject request(List<Header> headers, byte[] body) {
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
