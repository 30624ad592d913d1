package dev.sluice.gateway.destination;

import dev.sluice.account.access.Api;
import dev.sluice.account.access.ApiContext;
import dev.sluice.account.access.Budget;
import dev.sluice.account.access.Caller;
import dev.sluice.account.access.Gate;
import dev.sluice.account.idempotency.AnswerKeeper;
import dev.sluice.account.idempotency.IdempotencyKeys;
import dev.sluice.account.plan.PlanCaps;
import dev.sluice.gateway.ChangeTime;
import dev.sluice.gateway.ConfigurationWriter;
import dev.sluice.gateway.CustomHeaderRules;
import dev.sluice.platform.db.Db;
import dev.sluice.platform.db.Tx;
import dev.sluice.platform.http.ApiException;
import dev.sluice.platform.http.Page;
import dev.sluice.platform.http.QueryParameters;
import dev.sluice.platform.http.Reply;
import dev.sluice.platform.http.Request;
import dev.sluice.platform.id.Uuid7;
import dev.sluice.platform.json.FieldReader;
import dev.sluice.platform.json.JsonObject;
import dev.sluice.platform.net.AddressPolicy;

import java.io.IOException;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.function.BiConsumer;

/// The routes under `/api/v1/destinations`: create, list, get, patch and delete.
public final class DestinationRoutes {

    private final Db db;
    private final DestinationStore destinations;
    private final PlanCaps planCaps;
    private final BiConsumer<Tx, List<DestinationId>> endConnections;
    private final AddressPolicy addresses;
    private final CustomHeaderRules headerRules;
    private final ConfigurationWriter configuration;
    private final IdempotencyKeys idempotency;
    private final Uuid7 ids;
    private final InstantSource clock;

    /// @param endConnections marks the connections of deleted destinations as deleted
    public DestinationRoutes(
            ApiContext api,
            DestinationStore destinations,
            PlanCaps planCaps,
            BiConsumer<Tx, List<DestinationId>> endConnections,
            AddressPolicy addresses,
            CustomHeaderRules headerRules,
            ConfigurationWriter configuration,
            IdempotencyKeys idempotency) {
        this.db = api.db();
        this.destinations = destinations;
        this.planCaps = planCaps;
        this.endConnections = endConnections;
        this.addresses = addresses;
        this.headerRules = headerRules;
        this.configuration = configuration;
        this.idempotency = idempotency;
        this.ids = api.ids();
        this.clock = api.clock();
    }

    public void addTo(Api api) {
        api.post("/api/v1/destinations", Gate.MEMBER, Set.of(Budget.DATABASE), this::create);
        api.get("/api/v1/destinations", Gate.MEMBER, Set.of(Budget.DATABASE), this::list);
        api.get("/api/v1/destinations/{id}", Gate.MEMBER, Set.of(Budget.DATABASE), this::get);
        api.patch("/api/v1/destinations/{id}", Gate.MEMBER, Set.of(Budget.DATABASE), this::patch);
        api.delete("/api/v1/destinations/{id}", Gate.MEMBER, Set.of(Budget.DATABASE), this::delete);
    }

    private Reply create(Caller caller, Request request) throws IOException {
        var input = request.jsonBody();
        return idempotency.answer(
                request, caller.workspace().value(), keeper -> create(caller, input, keeper));
    }

    private Reply create(Caller caller, FieldReader input, AnswerKeeper keeper) {
        var fields = DestinationFields.read(input, addresses, headerRules);
        fields.require(input);
        var spec = fields.newSpec(input);
        var now = clock.instant();
        var destination =
                new Destination(
                        new DestinationId(ids.next()),
                        caller.workspace(),
                        ids.next(),
                        spec,
                        now,
                        now);
        return configuration.write(
                caller.workspace(),
                (tx, version) -> {
                    planCaps.requireRoomForDestination(
                            tx,
                            caller.workspace(),
                            DestinationQueries.count(tx, caller.workspace(), ""));
                    destinations.insert(tx, destination, version);
                    record(tx, caller, "destination.created", destination, input.names());
                    return keeper.keep(
                            tx,
                            Reply.created(
                                            "/api/v1/destinations/" + destination.id(),
                                            destination.json(CircuitView.CLOSED))
                                    .with(destination.tag()));
                });
    }

    private Reply list(Caller caller, Request request) {
        var query = new QueryParameters(request);
        var page = Page.ifRequested(query);
        String q = query.searchText().orElse("");
        query.check();
        return db.call(tx -> {
            var views =
                    destinations.list(
                            tx,
                            caller.workspace(),
                            q,
                            page.map(Page::offset).orElse(0L),
                            page.map(Page::limit).orElse(Integer.MAX_VALUE));
            var json =
                    JsonObject.items(
                            views.stream().map(DestinationStore.DestinationView::json).toList());
            page.ifPresent(
                    _ -> json.put("total", DestinationQueries.count(tx, caller.workspace(), q)));
            return Reply.ok(json);
        });
    }

    private Reply get(Caller caller, Request request) {
        var id = new DestinationId(request.id("destination"));
        return reply(orNotFound(db.call(tx -> destinations.find(tx, caller.workspace(), id))));
    }

    private static Reply reply(DestinationStore.DestinationView view) {
        return Reply.ok(view.json()).with(view.destination().tag());
    }

    private Reply patch(Caller caller, Request request) throws IOException {
        var id = new DestinationId(request.id("destination"));
        var input = request.jsonBody();
        var fields = DestinationFields.read(input, addresses, headerRules);
        fields.refuseClearing(input);
        input.check();
        var condition = request.ifMatch();
        var patched =
                configuration.write(
                        caller.workspace(),
                        (tx, version) -> {
                            var before =
                                    orNotFound(destinations.find(tx, caller.workspace(), id))
                                            .destination();
                            var spec = fields.applyTo(before.spec(), input);
                            condition.require(before.tag(), "destination");
                            var after = changed(before, spec);
                            destinations.update(tx, before, after, version);
                            record(tx, caller, "destination.updated", after, input.names());
                            return orNotFound(destinations.find(tx, caller.workspace(), id));
                        });
        return reply(patched);
    }

    /// Returns the destination with the new settings. A new name or URL creates a new revision, so
    /// that the history still shows the old name and URL.
    private Destination changed(Destination before, Destination.DestinationSpec spec) {
        boolean isSameRevision =
                spec.name().equals(before.spec().name())
                        && spec.url().toString().equals(before.spec().url().toString());
        UUID revision = isSameRevision ? before.revision() : ids.next();
        return new Destination(
                before.id(),
                before.workspace(),
                revision,
                spec,
                before.createdAt(),
                ChangeTime.next(before.updatedAt(), clock.instant()));
    }

    private Reply delete(Caller caller, Request request) {
        var id = new DestinationId(request.id("destination"));
        var condition = request.ifMatch();
        return configuration.write((tx, version) -> {
            var destination =
                    orNotFound(destinations.find(tx, caller.workspace(), id)).destination();
            condition.require(destination.tag(), "destination");
            destinations.delete(tx, caller.workspace(), id, clock.instant(), version);
            endConnections.accept(tx, List.of(id));
            record(tx, caller, "destination.deleted", destination, Set.of());
            return Reply.noContent();
        });
    }

    private static void record(
            Tx tx, Caller caller, String action, Destination destination, Set<String> fields) {
        caller.record(tx, action, destination.id().value(), destination.spec().name(), fields);
    }

    private static <T> T orNotFound(Optional<T> destination) {
        return destination.orElseThrow(() -> ApiException.notFound("destination"));
    }
}
