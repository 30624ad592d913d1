package dev.sluice.observe.events;

import dev.sluice.account.access.Authenticator;
import dev.sluice.account.access.Caller;
import dev.sluice.account.plan.PlanCatalog;
import dev.sluice.account.plan.Retention;
import dev.sluice.gateway.routing.ConfigurationCache;
import dev.sluice.gateway.source.SourceId;
import dev.sluice.observe.ListPage;
import dev.sluice.observe.ResultPage;
import dev.sluice.observe.SearchReply;
import dev.sluice.observe.deliveries.DeliveryScopeQueries;
import dev.sluice.observe.deliveries.DeliverySearch;
import dev.sluice.observe.deliveries.WaitExplainer;
import dev.sluice.platform.db.Db;
import dev.sluice.platform.db.Tx;
import dev.sluice.platform.http.ApiException;
import dev.sluice.platform.http.QueryParameters;
import dev.sluice.platform.http.Reply;
import dev.sluice.platform.http.Request;
import dev.sluice.platform.http.Router;
import dev.sluice.platform.json.JsonObject;
import dev.sluice.relay.DeliveryId;
import dev.sluice.relay.EventId;
import dev.sluice.relay.InFlightAttempts;
import dev.sluice.relay.PayloadDecoder;
import dev.sluice.relay.UnreadablePayloadException;

import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// The routes `GET /api/v1/events`, `GET /api/v1/events/{id}` and `GET /api/v1/deliveries/{id}`,
/// which return the event list, one event with its deliveries, and one delivery.
public final class EventRoutes {

    private final Db db;
    private final Authenticator authenticator;
    private final PlanCatalog plans;
    private final ConfigurationCache configuration;
    private final InFlightAttempts inFlightAttempts;
    private final PayloadDecoder decoder;
    private final String hopHeader;
    private final InstantSource clock;

    /// @param hopHeader the name of the header that counts relays
    public EventRoutes(
            Db db,
            Authenticator authenticator,
            PlanCatalog plans,
            ConfigurationCache configuration,
            InFlightAttempts inFlightAttempts,
            PayloadDecoder decoder,
            String hopHeader,
            InstantSource clock) {
        this.db = db;
        this.authenticator = authenticator;
        this.plans = plans;
        this.configuration = configuration;
        this.inFlightAttempts = inFlightAttempts;
        this.decoder = decoder;
        this.hopHeader = hopHeader;
        this.clock = clock;
    }

    public void addTo(Router router) {
        router.get("/api/v1/events", this::list);
        router.get("/api/v1/events/{id}", this::get);
        router.get("/api/v1/deliveries/{id}", this::getDelivery);
    }

    private Reply list(Request request) {
        var caller = authenticator.authenticate(request);
        var parameters = new QueryParameters(request);
        var filter = EventFilter.of(parameters);
        var page = ListPage.of(parameters, "events of " + caller.workspace());
        parameters.check();
        return db.snapshot(tx -> {
            var result = search(tx, caller, filter, page);
            var counts = EventQueries.counts(tx, result.rows());
            var types = EventQueries.types(tx, decoder, result.rows());
            return SearchReply.of(
                    result.with(events ->
                            events.stream()
                                    .map(event ->
                                            event.json(
                                                    Optional.ofNullable(types.get(event.id())),
                                                    counts.getOrDefault(
                                                            event.id(),
                                                            EventQueries.EventDeliveryCounts.ZERO)))
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

    /// Returns the sources whose events to list. Empty if the requested source does not exist, is
    /// in the trash, or belongs to another workspace.
    private static List<SourceId> sources(Tx tx, Caller caller, Optional<SourceId> only) {
        return EventQueries.sources(tx, caller.workspace()).stream()
                .filter(source -> only.isEmpty() || only.get().equals(source))
                .toList();
    }

    private Retention retention(Tx tx, Caller caller) {
        return plans.ofWorkspace(tx, caller.workspace()).limits().retention();
    }

    /// Returns one event. The reply is not compressed, because it contains what the sender chose
    /// next to URLs and responses of destinations, which may be secret; see [Reply#uncompressed].
    private Reply get(Request request) {
        var caller = authenticator.authenticate(request);
        var id = eventId(request);
        boolean withPayload = withPayload(request);
        return db.snapshot(tx -> {
            var retention = retention(tx, caller);
            var found =
                    find(tx, caller, id, retention)
                            .orElseThrow(() -> ApiException.notFound("event"));
            return Reply.ok(detail(tx, found, retention, withPayload)).uncompressed();
        });
    }

    /// Returns the event unless it is in another workspace or its retention is over.
    private Optional<EventQueries.EventWithPayload> find(
            Tx tx, Caller caller, EventId id, Retention retention) {
        var now = clock.instant();
        try {
            return EventQueries.find(tx, decoder, sources(tx, caller, Optional.empty()), id)
                    .filter(event -> !retention.isExpired(event.summary().receivedAt(), now));
        } catch (UnreadablePayloadException e) {
            throw e.answer();
        }
    }

    private Reply getDelivery(Request request) {
        var caller = authenticator.authenticate(request);
        var id = new DeliveryId(request.id("delivery"));
        return db.snapshot(tx -> {
            var retention = retention(tx, caller);
            return find(tx, caller, id.event(), retention)
                    .flatMap(event ->
                            deliveries(tx, event, retention).stream()
                                    .filter(delivery -> delivery.id().equals(id))
                                    .findFirst()
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
            Tx tx, EventQueries.EventWithPayload event, Retention retention) {
        return DeliveryQueries.of(tx, event, waits(retention));
    }

    private static EventId eventId(Request request) {
        try {
            return new EventId(request.id("event"));
        } catch (IllegalArgumentException e) {
            throw ApiException.notFound("event"); // the UUID cannot be an event's id
        }
    }

    /// Returns false if the client wants no headers and no body, for example because it only
    /// follows the deliveries.
    private static boolean withPayload(Request request) {
        var parameters = new QueryParameters(request);
        boolean wanted =
                parameters.oneOf("payload", Map.of("true", true, "false", false)).orElse(true);
        parameters.check();
        return wanted;
    }

    private JsonObject detail(
            Tx tx, EventQueries.EventWithPayload found, Retention retention, boolean withPayload) {
        var deliveries = deliveries(tx, found, retention);
        return found.summary()
                .json()
                .put("event_type", found.type())
                .put("expires_at", retention.expiresAt(found.summary().receivedAt()))
                .put("reason", deliveries.isEmpty() ? Optional.of(reason(found)) : Optional.empty())
                .putAll(
                        withPayload
                                ? PayloadJson.of(
                                        found.payload(), credential(found.summary().source()))
                                : PayloadJson.none())
                .put("deliveries", deliveries.stream().map(DeliveryView::json).toList());
    }

    private String reason(EventQueries.EventWithPayload found) {
        return NoDeliveryReason.of(
                found.summary().verification(), found.payload().headers(), hopHeader);
    }

    private Optional<String> credential(SourceId source) {
        return configuration.source(source).flatMap(from -> from.verification().credentialHeader());
    }
}
