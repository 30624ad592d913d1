package dev.sluice.features.tryout;

import dev.sluice.account.access.Api;
import dev.sluice.account.access.ApiContext;
import dev.sluice.account.access.Budget;
import dev.sluice.account.access.Caller;
import dev.sluice.account.access.Gate;
import dev.sluice.engine.Attempt;
import dev.sluice.engine.DeliveryId;
import dev.sluice.engine.ErrorCode;
import dev.sluice.engine.EventId;
import dev.sluice.engine.Payload;
import dev.sluice.engine.accept.WebhookSigner;
import dev.sluice.engine.send.DryRun;
import dev.sluice.engine.send.HttpSender;
import dev.sluice.engine.send.OutboundRequest;
import dev.sluice.gateway.connection.Connection;
import dev.sluice.gateway.connection.ConnectionId;
import dev.sluice.gateway.destination.Destination;
import dev.sluice.gateway.destination.DestinationId;
import dev.sluice.gateway.routing.ConfigurationCache;
import dev.sluice.gateway.routing.Route;
import dev.sluice.gateway.source.Source;
import dev.sluice.platform.db.Db;
import dev.sluice.platform.http.ApiErrorCode;
import dev.sluice.platform.http.ApiException;
import dev.sluice.platform.http.Reply;
import dev.sluice.platform.http.Request;
import dev.sluice.platform.id.Uuid7;
import dev.sluice.platform.json.FieldReader;
import dev.sluice.platform.json.JsonObject;
import dev.sluice.platform.share.ComputePool;

import java.io.IOException;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;

/// The route `POST /api/v1/destinations/{id}/test`: sends one request using the same code as a
/// delivery, and replies with the request and the response.
///
/// The request is not stored or counted as a delivery, does not change the circuit, and is not
/// retried. It is sent even while deliveries to the destination are on hold, unless they are on
/// hold because this node cannot read the settings.
public final class TestDeliveryRoutes {

    /// The parsed request body.
    ///
    /// @param event the stored event to send; empty for a sample
    /// @param connection the connection whose source and transformation are used; empty for none
    private record TestRequest(Optional<UUID> event, Optional<UUID> connection) {

        static TestRequest read(FieldReader input) {
            var request =
                    new TestRequest(
                            input.uuid("event_id").toOptional(),
                            input.uuid("connection_id").toOptional());
            input.check();
            return request;
        }
    }

    /// A placeholder for the configuration version in a test's attempt. It is never used, because
    /// the version is recorded only with a stored attempt, and a test's attempt is not stored.
    private static final long NO_CONFIGURATION = 0;

    private final Db db;
    private final ConfigurationCache configuration;
    private final SampleEventQueries events;
    private final HttpSender sender;
    private final DryRun dryRun;
    private final TestDeliveryPermits permits;
    private final String baseUrl;
    private final Uuid7 ids;
    private final ComputePool compute;
    private final InstantSource clock;

    /// @param sender a sender with a separate connection pool, so that tests do not use the
    ///   connections meant for deliveries
    public TestDeliveryRoutes(
            ApiContext api,
            ConfigurationCache configuration,
            SampleEventQueries events,
            HttpSender sender,
            DryRun dryRun,
            String baseUrl) {
        this.db = api.db();
        this.configuration = configuration;
        this.events = events;
        this.sender = sender;
        this.dryRun = dryRun;
        this.permits = new TestDeliveryPermits(api.clock());
        this.baseUrl = baseUrl;
        this.ids = api.ids();
        this.compute = api.compute();
        this.clock = api.clock();
    }

    public void addTo(Api api) {
        api.post(
                "/api/v1/destinations/{id}/test", Gate.MEMBER, Set.of(Budget.DATABASE), this::test);
    }

    private Reply test(Caller caller, Request request) throws IOException {
        var id = new DestinationId(request.id("destination"));
        // Loads the latest configuration, in case another node has just changed it.
        configuration.run();
        var destination =
                configuration
                        .destination(id)
                        .filter(found -> found.workspace().equals(caller.workspace()))
                        .orElseThrow(() -> ApiException.notFound("destination"));
        var input = request.optionalJsonBody();
        var asked = TestRequest.read(input);
        var route = asked.connection().map(connection -> route(caller, connection, id, input));
        requireReadable(destination, route);
        try (var _ = permits.take(caller.workspace())) {
            var now = clock.instant();
            var event = event(caller, asked, route, now);
            var outbound = outboundRequest(destination, event, route, now);
            db.run(tx ->
                    caller.record(
                            tx,
                            "destination.tested",
                            id.value(),
                            destination.spec().name(),
                            Set.of()));
            return Reply.ok(json(event.id(), destination, outbound));
        }
    }

    private Route route(
            Caller caller, UUID connection, DestinationId destination, FieldReader input) {
        var route =
                configuration
                        .route(new ConnectionId(connection))
                        .filter(found ->
                                found.connection().workspace().equals(caller.workspace())
                                        && !found.isSourceTrashed())
                        .orElseThrow(() -> ApiException.notFound("connection", "connection_id"));
        if (!route.destination().id().equals(destination)) {
            input.addError("connection_id", "must be a connection to this destination.");
            input.check();
        }
        return route;
    }

    /// Throws if this node cannot read the destination's or the connection's settings. Deliveries
    /// with unreadable settings are on hold.
    private static void requireReadable(Destination destination, Optional<Route> route) {
        var unreadable =
                Optional.of(destination.unreadableFields())
                        .filter(fields -> !fields.isEmpty())
                        .or(() -> route.map(Route::connection).map(Connection::unreadableFields))
                        .orElse(List.of());
        if (!unreadable.isEmpty()) {
            throw new ApiException(
                    ApiErrorCode.CONFLICT,
                    "Nothing was sent: "
                            + String.join(" and ", unreadable)
                            + " cannot be read here. Save it again.");
        }
    }

    private SampleEvent event(
            Caller caller, TestRequest asked, Optional<Route> route, Instant now) {
        return asked.event()
                .map(id ->
                        db.snapshot(tx -> events.find(tx, caller.workspace(), id))
                                .orElseThrow(() -> ApiException.notFound("event", "event_id")))
                .orElseGet(() -> sample(route.map(Route::source), now));
    }

    /// Returns a sample event in the format of the source's provider, signed as the source expects,
    /// unless only the sender has the signing key. Returns a generic unsigned sample if there is no
    /// source.
    private SampleEvent sample(Optional<Source> source, Instant now) {
        var sample =
                source.map(known -> SampleWebhook.makerFor(known.verification()))
                        .orElse(SampleWebhook::generic)
                        .at(now);
        var headers =
                source.map(known ->
                                WebhookSigner.sign(
                                                known.verification(),
                                                sample.headers(),
                                                sample.body(),
                                                baseUrl + known.ingestPath(),
                                                now)
                                        .headers())
                        .orElse(sample.headers());
        return new SampleEvent(
                new EventId(ids.next(12)), Payload.of(headers, sample.body()), source);
    }

    /// Returns the request that a first attempt would send. Its delivery id has the highest
    /// ordinal, which a real resend of the event gets only after all lower ones are used.
    private static OutboundRequest outboundRequest(
            Destination destination, SampleEvent event, Optional<Route> route, Instant now) {
        var source = route.map(Route::source).or(event::source);
        return event.outboundRequest(
                destination.spec(),
                source.map(OutboundRequest.RequestSource::of)
                        .orElseGet(() ->
                                OutboundRequest.RequestSource.missing(destination.workspace())),
                DeliveryId.of(event.id(), DeliveryId.MAX_ORDINAL),
                route.map(Route::connection).flatMap(Connection::transformation),
                now);
    }

    /// Sends the request. Returns the JSON body of the reply to the API caller.
    private JsonObject json(EventId event, Destination destination, OutboundRequest outbound) {
        var shown = sender.sendAndShow(outbound);
        var attempt =
                Attempt.of(
                        outbound.attempt(),
                        outbound.attemptedAt(),
                        new Attempt.UsedSettings(destination.revision(), NO_CONFIGURATION),
                        shown.outcome());
        return new JsonObject()
                .put("succeeded", attempt.errorCode().isEmpty())
                .put("event_id", event)
                .put("attempted_at", outbound.attemptedAt())
                .put("latency_ms", attempt.latency().toMillis())
                .put("error_code", attempt.errorCode().map(ErrorCode::text))
                .put("error_message", attempt.errorCode().flatMap(_ -> attempt.errorMessage()))
                .put("request", compute.call(destination.workspace(), () -> requestJson(outbound)))
                .put(
                        "response",
                        attempt.responseStatus()
                                .map(status ->
                                        new JsonObject()
                                                .put("status", status)
                                                .put(
                                                        "headers",
                                                        RequestJson.headers(
                                                                shown.responseHeaders()))
                                                .put("body", attempt.responseBody().orElse(""))));
    }

    private Optional<JsonObject> requestJson(OutboundRequest outbound) {
        return switch (dryRun.run(outbound)) {
            case DryRun.MaskedRequest(var headers, var body) ->
                    Optional.of(RequestJson.of(outbound.url(), headers, body));
            case DryRun.DryRunFailure _ -> Optional.empty();
        };
    }
}
