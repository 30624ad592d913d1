package dev.sluice.features.lists;

import dev.sluice.account.access.Api;
import dev.sluice.account.access.ApiContext;
import dev.sluice.account.access.Budget;
import dev.sluice.account.access.Caller;
import dev.sluice.account.access.Gate;
import dev.sluice.account.plan.PlanCatalog;
import dev.sluice.account.plan.Retention;
import dev.sluice.engine.DeliveryId;
import dev.sluice.engine.EventId;
import dev.sluice.engine.InFlightAttempts;
import dev.sluice.engine.Payload;
import dev.sluice.gateway.routing.ConfigurationCache;
import dev.sluice.gateway.source.SourceId;
import dev.sluice.gateway.source.VerificationConfig;
import dev.sluice.history.ListPage;
import dev.sluice.history.ResultPage;
import dev.sluice.history.SearchReply;
import dev.sluice.history.events.EventSummary;
import dev.sluice.history.events.EventType;
import dev.sluice.history.events.EventTypeQueries;
import dev.sluice.history.events.PayloadJson;
import dev.sluice.platform.db.Db;
import dev.sluice.platform.db.DbException;
import dev.sluice.platform.db.Tx;
import dev.sluice.platform.http.ApiException;
import dev.sluice.platform.http.QueryParameters;
import dev.sluice.platform.http.Reply;
import dev.sluice.platform.http.Request;
import dev.sluice.platform.json.JsonObject;

import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.BiFunction;
import java.util.function.BiPredicate;

/// The routes `GET /api/v1/events`, `GET /api/v1/events/{id}` and `GET /api/v1/deliveries/{id}`,
/// which return the event list, one event with its deliveries, and one delivery.
public final class EventRoutes {

    private final Db db;
    private final PlanCatalog plans;
    private final ConfigurationCache configuration;
    private final InFlightAttempts inFlightAttempts;
    private final NoDeliveryReason noDeliveryReason;
    private final InstantSource clock;

    /// @param hopHeader the name of the header that counts the relays that a webhook has passed
    ///   through
    /// @param isChallenge returns whether a verified request is a challenge, which a sender sends
    ///   only to check that the URL is correct. Its arguments are the verification settings of the
    ///   request's source, and the body of the request
    public EventRoutes(
            ApiContext api,
            PlanCatalog plans,
            ConfigurationCache configuration,
            InFlightAttempts inFlightAttempts,
            String hopHeader,
            BiPredicate<VerificationConfig, byte[]> isChallenge) {
        this.db = api.db();
        this.plans = plans;
        this.configuration = configuration;
        this.inFlightAttempts = inFlightAttempts;
        this.noDeliveryReason = new NoDeliveryReason(hopHeader, isChallenge);
        this.clock = api.clock();
    }

    public void addTo(Api api) {
        api.get("/api/v1/events", Gate.MEMBER, Set.of(Budget.DATABASE), this::list);
        api.get("/api/v1/events/{id}", Gate.MEMBER, Set.of(Budget.DATABASE), this::get);
        api.get("/api/v1/deliveries/{id}", Gate.MEMBER, Set.of(Budget.DATABASE), this::getDelivery);
    }

    private Reply list(Caller caller, Request request) {
        var parameters = new QueryParameters(request);
        var filter = EventFilter.of(parameters);
        var page = ListPage.of(parameters, "events of " + caller.workspace());
        parameters.check();
        return db.snapshot(tx -> {
            var result = search(tx, caller, filter, page);
            var counts = EventQueries.counts(tx, result.rows());
            var types = EventTypeQueries.of(tx, result.rows());
            return SearchReply.of(
                    result.with(events ->
                            events.stream()
                                    .map(event ->
                                            counts.getOrDefault(
                                                            event.id(),
                                                            EventQueries.EventDeliveryCounts.ZERO)
                                                    .json(
                                                            event,
                                                            Optional.ofNullable(
                                                                    types.get(event.id()))))
                                    .toList()),
                    page);
        });
    }

    private ResultPage<EventSummary> search(
            Tx tx, Caller caller, EventFilter filter, ListPage page) {
        var waits = waits(retention(tx, caller));
        var since = waits.retention().expiryCutoff(waits.now());
        if (filter.delivery().isEmpty()) {
            var sources = sources(tx, caller, filter.source());
            return new EventSearch(tx, sources, filter, since, waits.now()).page(page);
        }
        var wanted = filter.delivery().get();
        var scope = DeliveryScopeQueries.scope(tx, caller.workspace(), wanted);
        var deliveries = new DeliverySearch(tx, scope, wanted, waits::status, since, waits.now());
        return new EventByDeliverySearch(tx, filter, deliveries, waits.now()).page(page);
    }

    private WaitExplainer waits(Retention retention) {
        return new WaitExplainer(configuration, inFlightAttempts, retention, clock.instant());
    }

    /// Returns the sources whose events should be listed, or an empty list if the requested source
    /// does not exist, is in the trash, or belongs to another workspace.
    private static List<SourceId> sources(Tx tx, Caller caller, Optional<SourceId> only) {
        return EventQueries.sources(tx, caller.workspace()).stream()
                .filter(source -> only.isEmpty() || only.get().equals(source))
                .toList();
    }

    private Retention retention(Tx tx, Caller caller) {
        return plans.ofWorkspace(tx, caller.workspace()).limits().retention();
    }

    /// Returns one event. If its stored payload is damaged, returns the event without the payload.
    /// The reply is not compressed because it mixes text chosen by the sender with possibly secret
    /// data: the destinations' URLs and responses. See [Reply#uncompressed].
    private Reply get(Caller caller, Request request) {
        var id = eventId(request);
        boolean withPayload = withPayload(request);
        try {
            return get(
                    caller,
                    id,
                    withPayload,
                    (tx, event) -> {
                        request.reserveAnswer(PayloadJson.memoryBytes(event.bodySize()));
                        return Optional.of(EventQueries.payload(tx, event));
                    });
        } catch (DbException e) {
            if (e.isUnreadableValue()) {
                return get(caller, id, withPayload, (_, _) -> Optional.empty());
            }
            throw e;
        }
    }

    private Reply get(
            Caller caller,
            EventId id,
            boolean withPayload,
            BiFunction<Tx, EventSummary, Optional<Payload>> payload) {
        return db.snapshot(tx -> {
            var retention = retention(tx, caller);
            var found =
                    find(tx, caller, id, retention)
                            .orElseThrow(() -> ApiException.notFound("event"));
            var read = payload.apply(tx, found.summary());
            return Reply.ok(detail(tx, found, read, withPayload, retention)).uncompressed();
        });
    }

    /// Returns the event, or empty if the workspace has no such event, if the event's source is in
    /// the trash, or if the event has expired.
    private Optional<EventQueries.FoundEvent> find(
            Tx tx, Caller caller, EventId id, Retention retention) {
        var now = clock.instant();
        return EventQueries.find(tx, sources(tx, caller, Optional.empty()), id)
                .filter(event -> !retention.isExpired(event.summary().receivedAt(), now));
    }

    private Reply getDelivery(Caller caller, Request request) {
        var id = new DeliveryId(request.id("delivery"));
        return db.snapshot(tx -> {
            var retention = retention(tx, caller);
            return find(tx, caller, id.event(), retention)
                    .flatMap(event ->
                            DeliveryQueries.find(tx, event, id, waits(retention))
                                    .map(delivery ->
                                            delivery.json()
                                                    .put("event_id", id.event())
                                                    .put("source_id", event.summary().source())
                                                    .put(
                                                            "received_at",
                                                            event.summary().receivedAt())))
                    .map(json -> Reply.ok(json).uncompressed())
                    .orElseThrow(() -> ApiException.notFound("delivery"));
        });
    }

    private List<DeliveryView> deliveries(
            Tx tx, EventQueries.FoundEvent event, Retention retention) {
        return DeliveryQueries.of(tx, event, waits(retention));
    }

    private static EventId eventId(Request request) {
        try {
            return new EventId(request.id("event"));
        } catch (IllegalArgumentException e) {
            throw ApiException.notFound("event"); // the UUID cannot be an event's id
        }
    }

    /// Returns whether the client wants the headers and the body. A client that needs only the
    /// deliveries sends `payload=false`.
    private static boolean withPayload(Request request) {
        var parameters = new QueryParameters(request);
        boolean wanted =
                parameters.oneOf("payload", Map.of("true", true, "false", false)).orElse(true);
        parameters.check();
        return wanted;
    }

    private JsonObject detail(
            Tx tx,
            EventQueries.FoundEvent found,
            Optional<Payload> payload,
            boolean withPayload,
            Retention retention) {
        var event = found.summary();
        var config = configuration.source(event.source()).map(source -> source.verification());
        var credential = config.flatMap(VerificationConfig::credentialHeader);
        var deliveries = deliveries(tx, found, retention);
        return event.json()
                .put("event_type", payload.flatMap(EventType::of))
                .put("expires_at", retention.expiresAt(event.receivedAt()))
                .put(
                        "reason",
                        deliveries.isEmpty()
                                ? Optional.of(noDeliveryReason.of(event, payload, config))
                                : Optional.empty())
                .putAll(
                        payload.map(read ->
                                        withPayload
                                                ? PayloadJson.of(read, credential)
                                                : new JsonObject())
                                .orElseGet(PayloadJson::unreadable))
                .put("deliveries", deliveries.stream().map(DeliveryView::json).toList());
    }
}
