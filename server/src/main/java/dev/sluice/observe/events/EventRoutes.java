package dev.sluice.observe.events;

import dev.sluice.account.access.Access;
import dev.sluice.account.access.Caller;
import dev.sluice.account.plan.PlanCatalog;
import dev.sluice.account.plan.Retention;
import dev.sluice.gateway.routing.Routing;
import dev.sluice.gateway.source.SourceId;
import dev.sluice.platform.db.Db;
import dev.sluice.platform.db.Tx;
import dev.sluice.platform.http.ApiException;
import dev.sluice.platform.http.Page;
import dev.sluice.platform.http.Query;
import dev.sluice.platform.http.Reply;
import dev.sluice.platform.http.Request;
import dev.sluice.platform.http.Router;
import dev.sluice.platform.json.JsonObject;
import dev.sluice.relay.EventId;
import dev.sluice.relay.UnderWay;

import java.time.InstantSource;
import java.util.List;
import java.util.Optional;

/// `/api/v1/events`.
public final class EventRoutes {

    private final Db db;
    private final Access access;
    private final PlanCatalog plans;
    private final Routing routing;
    private final UnderWay underWay;
    private final InstantSource clock;

    public EventRoutes(
            Db db,
            Access access,
            PlanCatalog plans,
            Routing routing,
            UnderWay underWay,
            InstantSource clock) {
        this.db = db;
        this.access = access;
        this.plans = plans;
        this.routing = routing;
        this.underWay = underWay;
        this.clock = clock;
    }

    public void addTo(Router router) {
        router.get("/api/v1/events", this::list);
        router.get("/api/v1/events/{id}", this::get);
    }

    private Reply list(Request request) {
        var caller = access.caller(request);
        var parameters = new Query(request);
        var page = Page.of(parameters);
        var filter = EventFilter.of(parameters);
        parameters.check();
        return db.snapshot(tx -> {
            var now = clock.instant();
            var query =
                    new EventQuery(
                            tx,
                            sources(tx, caller, filter.source()),
                            filter,
                            retention(tx, caller).expiredAt(now),
                            now);
            var found = query.page(page);
            var counts = EventQueries.counts(tx, found.events());
            var items =
                    found.events().stream()
                            .map(event ->
                                    event.json(
                                            counts.getOrDefault(
                                                    event.id(), EventQueries.Counts.NONE)))
                            .toList();
            var json = JsonObject.items(items).put("total", found.total());
            return Reply.ok(found.isExact() ? json : json.put("total_is_exact", false));
        });
    }

    /// A source of another workspace gives an empty list, as one that does not exist.
    private static List<SourceId> sources(Tx tx, Caller caller, Optional<SourceId> only) {
        return EventQueries.sources(tx, caller.workspace()).stream()
                .filter(source -> only.isEmpty() || only.get().equals(source))
                .toList();
    }

    private Retention retention(Tx tx, Caller caller) {
        return plans.of(tx, caller.workspace()).limits().retention();
    }

    private Reply get(Request request) {
        var caller = access.caller(request);
        var id = eventId(request);
        return db.snapshot(tx -> {
            var now = clock.instant();
            var retention = retention(tx, caller);
            var found =
                    EventQueries.find(tx, sources(tx, caller, Optional.empty()), id)
                            .filter(event -> !retention.isOver(event.summary().receivedAt(), now))
                            .orElseThrow(() -> ApiException.notFound("event"));
            return Reply.ok(detail(tx, found, retention));
        });
    }

    private static EventId eventId(Request request) {
        try {
            return new EventId(request.id("event"));
        } catch (IllegalArgumentException e) {
            throw ApiException.notFound("event"); // a UUID that no event can have
        }
    }

    private JsonObject detail(Tx tx, EventQueries.Found found, Retention retention) {
        var deliveries =
                DeliveryQueries.of(tx, routing, underWay, found, retention, clock.instant());
        return found.summary()
                .json()
                .put("expires_at", retention.expiresAt(found.summary().receivedAt()))
                .putAll(PayloadJson.of(found.payload(), credential(found.summary().source())))
                .put("deliveries", deliveries.stream().map(DeliveryView::json).toList());
    }

    private Optional<String> credential(SourceId source) {
        return routing.source(source).flatMap(from -> from.verification().credentialHeader());
    }
}
