package dev.sluice.relay.preview;

import dev.sluice.account.access.Access;
import dev.sluice.account.access.Caller;
import dev.sluice.account.plan.PlanCatalog;
import dev.sluice.gateway.connection.Connection;
import dev.sluice.gateway.connection.ConnectionId;
import dev.sluice.gateway.connection.Filter;
import dev.sluice.gateway.connection.FilterForm;
import dev.sluice.gateway.connection.Transformation;
import dev.sluice.gateway.connection.TransformationForm;
import dev.sluice.gateway.destination.Destination;
import dev.sluice.gateway.destination.DestinationId;
import dev.sluice.gateway.routing.Route;
import dev.sluice.gateway.routing.Routing;
import dev.sluice.gateway.source.Source;
import dev.sluice.platform.db.Db;
import dev.sluice.platform.db.Tx;
import dev.sluice.platform.http.ApiException;
import dev.sluice.platform.http.Reply;
import dev.sluice.platform.http.Request;
import dev.sluice.platform.http.Router;
import dev.sluice.platform.id.Uuid7;
import dev.sluice.platform.json.Form;
import dev.sluice.platform.json.Patch;
import dev.sluice.relay.EventId;
import dev.sluice.relay.Payload;
import dev.sluice.relay.send.Rehearsal;

import java.io.IOException;
import java.time.InstantSource;
import java.util.Optional;
import java.util.UUID;

/// `POST /api/v1/connections/preview`: what would become of an event. Nothing is sent or stored.
public final class PreviewRoutes {

    /// A payload as large as ingest takes fits in, as Base64 too.
    private static final int MOST_BODY_BYTES = 1536 * 1024;

    /// What the body asks for, its wrong fields noted.
    ///
    /// @param sample the made-up event
    private record Asked(
            Patch<Filter> filter,
            Patch<Transformation> transformation,
            Optional<UUID> connection,
            Optional<UUID> destination,
            Optional<UUID> event,
            Optional<Payload> sample) {}

    /// Where it would go.
    ///
    /// @param source of the connection
    private record Target(
            Destination destination, Optional<Connection> connection, Optional<Source> source) {}

    private final Db db;
    private final Access access;
    private final PlanCatalog plans;
    private final Routing routing;
    private final Rehearsal rehearsal;
    private final Uuid7 ids;
    private final InstantSource clock;

    public PreviewRoutes(
            Db db,
            Access access,
            PlanCatalog plans,
            Routing routing,
            Rehearsal rehearsal,
            Uuid7 ids,
            InstantSource clock) {
        this.db = db;
        this.access = access;
        this.plans = plans;
        this.routing = routing;
        this.rehearsal = rehearsal;
        this.ids = ids;
        this.clock = clock;
    }

    public void addTo(Router router) {
        router.post("/api/v1/connections/preview", this::preview);
    }

    private Reply preview(Request request) throws IOException {
        var caller = access.caller(request);
        var asked = read(request.form(MOST_BODY_BYTES));
        var target = target(caller, asked);
        var sample = sample(caller, asked);
        var filter = asked.filter().over(target.connection().flatMap(Connection::filter));
        var transformation =
                asked.transformation()
                        .over(target.connection().flatMap(Connection::transformation));
        var source = target.source().or(sample::source);
        var preview =
                new Preview(target.destination().spec(), source, sample, filter, transformation);
        return Reply.ok(preview.json(rehearsal));
    }

    private static Asked read(Form form) {
        var asked =
                new Asked(
                        FilterForm.read(form),
                        TransformationForm.read(form),
                        form.uuid("connection_id").toOptional(),
                        form.uuid("destination_id").toOptional(),
                        form.uuid("event_id").toOptional(),
                        form.form("sample").map(Sample::read).toOptional());
        exactlyOne(form, "connection_id", "destination_id");
        exactlyOne(form, "event_id", "sample");
        form.check();
        return asked;
    }

    private static void exactlyOne(Form form, String one, String other) {
        if (form.isGiven(one) == form.isGiven(other)) {
            form.complain(one, "or " + other + " is required, and not both.");
        }
    }

    private Target target(Caller caller, Asked asked) {
        // Another node may have changed something a moment ago.
        routing.run();
        if (asked.connection().isPresent()) {
            return asked.connection()
                    .flatMap(id -> routing.route(new ConnectionId(id)))
                    .filter(route -> isOf(caller, route))
                    .map(PreviewRoutes::target)
                    .orElseThrow(() -> ApiException.notFound("connection"));
        }
        return asked.destination()
                .flatMap(id -> routing.destination(new DestinationId(id)))
                .filter(destination -> destination.workspace().equals(caller.workspace()))
                .map(destination -> new Target(destination, Optional.empty(), Optional.empty()))
                .orElseThrow(() -> ApiException.notFound("destination"));
    }

    private static boolean isOf(Caller caller, Route route) {
        return route.connection().workspace().equals(caller.workspace())
                && !route.isSourceTrashed();
    }

    private static Target target(Route route) {
        return new Target(
                route.destination(), Optional.of(route.connection()), Optional.of(route.source()));
    }

    private Sample sample(Caller caller, Asked asked) {
        return asked.sample()
                .map(payload -> new Sample(new EventId(ids.next(12)), payload, Optional.empty()))
                .or(() -> db.snapshot(tx -> stored(tx, caller, asked)))
                .orElseThrow(() -> ApiException.notFound("event"));
    }

    private Optional<Sample> stored(Tx tx, Caller caller, Asked asked) {
        var retention = plans.of(tx, caller.workspace()).limits().retention();
        var now = clock.instant();
        return asked.event()
                .flatMap(PreviewRoutes::eventId)
                .filter(id -> !retention.isOver(Uuid7.timeOf(id.value()), now))
                .flatMap(id -> PreviewQueries.event(tx, routing, caller.workspace(), id));
    }

    /// Empty for a UUID that no event can have.
    private static Optional<EventId> eventId(UUID id) {
        try {
            return Optional.of(new EventId(id));
        } catch (IllegalArgumentException e) {
            return Optional.empty();
        }
    }
}
