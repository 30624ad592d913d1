package dev.sluice.features.tryout;

import dev.sluice.account.access.Api;
import dev.sluice.account.access.ApiContext;
import dev.sluice.account.access.Budget;
import dev.sluice.account.access.Caller;
import dev.sluice.account.access.Gate;
import dev.sluice.engine.EventId;
import dev.sluice.engine.Payload;
import dev.sluice.engine.send.DryRun;
import dev.sluice.engine.send.OutboundRequest;
import dev.sluice.gateway.CustomHeaderRules;
import dev.sluice.gateway.connection.Connection;
import dev.sluice.gateway.connection.ConnectionId;
import dev.sluice.gateway.connection.Transformation;
import dev.sluice.gateway.connection.TransformationParser;
import dev.sluice.gateway.destination.Destination;
import dev.sluice.gateway.destination.DestinationId;
import dev.sluice.gateway.filter.Filter;
import dev.sluice.gateway.filter.FilterParser;
import dev.sluice.gateway.routing.ConfigurationCache;
import dev.sluice.gateway.routing.Route;
import dev.sluice.gateway.source.Source;
import dev.sluice.platform.db.Db;
import dev.sluice.platform.http.ApiException;
import dev.sluice.platform.http.Reply;
import dev.sluice.platform.http.Request;
import dev.sluice.platform.id.Uuid7;
import dev.sluice.platform.json.FieldReader;
import dev.sluice.platform.json.Patch;
import dev.sluice.platform.share.ComputePool;

import java.io.IOException;
import java.time.InstantSource;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;

/// The route `POST /api/v1/connections/preview`, which shows how a connection would treat an event.
///
/// Nothing is sent or stored.
public final class PreviewRoutes {

    /// The maximum size of a request body in bytes. It leaves room for the largest payload that
    /// ingest accepts, even in Base64.
    private static final int MAX_REQUEST_BYTES = 1536 * 1024;

    /// The parsed request body.
    ///
    /// @param sample the payload of the made-up event, if the request body contains one
    private record PreviewRequest(
            Patch<Filter> filter,
            Patch<Transformation> transformation,
            Optional<UUID> connection,
            Optional<UUID> destination,
            Optional<UUID> event,
            Optional<Payload> sample) {}

    /// The destination to preview, and the connection if the request specifies one.
    ///
    /// @param source the connection's source
    private record PreviewTarget(
            Destination destination, Optional<Connection> connection, Optional<Source> source) {}

    private final Db db;
    private final SampleEventQueries sampleEvents;
    private final ConfigurationCache configuration;
    private final CustomHeaderRules headerRules;
    private final DryRun dryRun;
    private final ComputePool compute;
    private final Uuid7 ids;
    private final InstantSource clock;

    public PreviewRoutes(
            ApiContext api,
            SampleEventQueries sampleEvents,
            ConfigurationCache configuration,
            CustomHeaderRules headerRules,
            DryRun dryRun) {
        this.db = api.db();
        this.sampleEvents = sampleEvents;
        this.configuration = configuration;
        this.headerRules = headerRules;
        this.dryRun = dryRun;
        this.compute = api.compute();
        this.ids = api.ids();
        this.clock = api.clock();
    }

    public void addTo(Api api) {
        api.post(
                "/api/v1/connections/preview",
                Gate.MEMBER,
                Set.of(Budget.DATABASE, Budget.COMPUTE),
                this::preview);
    }

    private Reply preview(Caller caller, Request request) throws IOException {
        var previewRequest = read(request.jsonBody(MAX_REQUEST_BYTES));
        var target = target(caller, previewRequest);
        var sample = sample(caller, previewRequest);
        var filter =
                previewRequest.filter().applyTo(target.connection().flatMap(Connection::filter));
        var transformation =
                previewRequest
                        .transformation()
                        .applyTo(target.connection().flatMap(Connection::transformation));
        var source =
                target.source()
                        .or(sample::source)
                        .map(OutboundRequest.RequestSource::of)
                        .orElseGet(() -> OutboundRequest.RequestSource.missing(caller.workspace()));
        var preview =
                new Preview(target.destination().spec(), source, sample, filter, transformation);
        return compute.call(
                caller.workspace(), () -> Reply.ok(preview.json(dryRun, clock.instant())));
    }

    private PreviewRequest read(FieldReader input) {
        var previewRequest =
                new PreviewRequest(
                        FilterParser.read(input),
                        TransformationParser.read(input, headerRules),
                        input.uuid("connection_id").toOptional(),
                        input.uuid("destination_id").toOptional(),
                        input.uuid("event_id").toOptional(),
                        input.nested("sample").map(PreviewRoutes::readSample).toOptional());
        requireExactlyOne(input, "connection_id", "destination_id");
        requireExactlyOne(input, "event_id", "sample");
        input.requireUnicode("filter_rules");
        input.requireUnicode("transformation");
        input.check();
        return previewRequest;
    }

    private static Payload readSample(FieldReader sample) {
        var payload = SampleEvent.read(sample);
        sample.rejectUnknownFields();
        return payload;
    }

    private static void requireExactlyOne(FieldReader input, String one, String other) {
        if (input.hasValue(one) == input.hasValue(other)) {
            input.addError(one, "or " + other + " is required, and not both.");
        }
    }

    private PreviewTarget target(Caller caller, PreviewRequest previewRequest) {
        // Loads the latest configuration, in case another node has just changed it.
        configuration.run();
        if (previewRequest.connection().isPresent()) {
            return previewRequest
                    .connection()
                    .flatMap(id -> configuration.route(new ConnectionId(id)))
                    .filter(route -> belongsTo(caller, route))
                    .map(PreviewRoutes::target)
                    .orElseThrow(() -> ApiException.notFound("connection", "connection_id"));
        }
        return previewRequest
                .destination()
                .flatMap(id -> configuration.destination(new DestinationId(id)))
                .filter(destination -> destination.workspace().equals(caller.workspace()))
                .map(destination ->
                        new PreviewTarget(destination, Optional.empty(), Optional.empty()))
                .orElseThrow(() -> ApiException.notFound("destination", "destination_id"));
    }

    private static boolean belongsTo(Caller caller, Route route) {
        return route.connection().workspace().equals(caller.workspace())
                && !route.isSourceTrashed();
    }

    private static PreviewTarget target(Route route) {
        return new PreviewTarget(
                route.destination(), Optional.of(route.connection()), Optional.of(route.source()));
    }

    private SampleEvent sample(Caller caller, PreviewRequest previewRequest) {
        return previewRequest
                .sample()
                .map(payload ->
                        new SampleEvent(new EventId(ids.next(12)), payload, Optional.empty()))
                .or(() ->
                        previewRequest
                                .event()
                                .flatMap(id ->
                                        db.snapshot(tx ->
                                                sampleEvents.find(tx, caller.workspace(), id))))
                .orElseThrow(() -> ApiException.notFound("event", "event_id"));
    }
}
