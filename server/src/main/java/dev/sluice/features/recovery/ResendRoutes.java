package dev.sluice.features.recovery;

import dev.sluice.account.access.Api;
import dev.sluice.account.access.ApiContext;
import dev.sluice.account.access.Budget;
import dev.sluice.account.access.Caller;
import dev.sluice.account.access.Gate;
import dev.sluice.account.idempotency.AnswerKeeper;
import dev.sluice.account.idempotency.IdempotencyKeys;
import dev.sluice.account.plan.PlanCatalog;
import dev.sluice.engine.EventId;
import dev.sluice.engine.commit.ResendStore;
import dev.sluice.gateway.connection.ConnectionId;
import dev.sluice.gateway.source.SourceId;
import dev.sluice.platform.db.Db;
import dev.sluice.platform.db.Tx;
import dev.sluice.platform.http.ApiErrorCode;
import dev.sluice.platform.http.ApiException;
import dev.sluice.platform.http.Reply;
import dev.sluice.platform.http.Request;
import dev.sluice.platform.id.Uuid7;
import dev.sluice.platform.json.FieldReader;
import dev.sluice.platform.json.JsonObject;
import dev.sluice.platform.loop.Wake;

import java.io.IOException;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;

/// `POST /api/v1/events/{id}/resend`: resends one event to some or all connections of its source.
public final class ResendRoutes {

    /// The maximum number of connections in a request. A source cannot have more.
    private static final int MAX_CONNECTIONS = 1_000;

    /// An event's source, and the connections to which the event is resent.
    private record EventConnections(SourceId source, List<ConnectionId> connections) {}

    private final Db db;
    private final PlanCatalog plans;
    private final IdempotencyKeys idempotency;
    private final Uuid7 ids;
    private final InstantSource clock;
    private final ResendWaker waker;

    /// @param backlog called when resends are waiting to be sent
    public ResendRoutes(
            ApiContext api, PlanCatalog plans, IdempotencyKeys idempotency, Wake backlog) {
        this.db = api.db();
        this.plans = plans;
        this.idempotency = idempotency;
        this.ids = api.ids();
        this.clock = api.clock();
        this.waker = new ResendWaker(db, backlog);
    }

    public void addTo(Api api) {
        api.post("/api/v1/events/{id}/resend", Gate.MEMBER, Set.of(Budget.DATABASE), this::resend);
    }

    private Reply resend(Caller caller, Request request) throws IOException {
        var input = request.optionalJsonBody();
        return idempotency.answer(
                request,
                caller.workspace().value(),
                keeper -> resend(request, caller, input, keeper));
    }

    private Reply resend(Request request, Caller caller, FieldReader input, AnswerKeeper keeper) {
        var asked = input.parsedList("connection_ids", 1, MAX_CONNECTIONS, ResendRoutes::uuid);
        input.check();
        var event = eventId(request);
        var eventConnections =
                db.snapshot(tx -> resolveConnections(tx, caller, event, asked.toOptional(), input));
        var connections = eventConnections.connections();
        var json = new JsonObject().put("created", connections.size());
        if (connections.isEmpty()) {
            json.put("reason", "Nothing was resent: the event's source has no connection.");
        }
        var reply = Reply.accepted("/api/v1/events/" + event, json);
        if (connections.isEmpty()) {
            return db.call(tx -> keeper.keep(tx, reply));
        }
        db.run(tx -> {
            add(tx, event, eventConnections);
            caller.record(tx, "event.resent", event.value(), "", input.names());
            keeper.keep(tx, reply);
        });
        waker.tryWake(eventConnections.source(), connections, clock.instant());
        return reply;
    }

    private static UUID uuid(String text) {
        try {
            return FieldReader.parseUuid(text);
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException("must be a UUID.", e);
        }
    }

    private static EventId eventId(Request request) {
        try {
            return new EventId(request.id("event"));
        } catch (IllegalArgumentException e) {
            throw ApiException.notFound("event"); // the UUID cannot be the id of an event
        }
    }

    private EventConnections resolveConnections(
            Tx tx, Caller caller, EventId event, Optional<List<UUID>> asked, FieldReader input) {
        var expired =
                plans.ofWorkspace(tx, caller.workspace())
                        .limits()
                        .retention()
                        .expiryCutoff(clock.instant());
        var source =
                Optional.of(event)
                        .filter(id -> Uuid7.timeOf(id.value()).isAfter(expired))
                        .flatMap(id -> ResendTargetQueries.sourceOf(tx, caller.workspace(), id))
                        .orElseThrow(() -> ApiException.notFound("event"));
        return new EventConnections(
                source,
                asked.isPresent()
                        ? requestedConnections(tx, caller, source, asked.get(), input)
                        : ResendTargetQueries.ofSource(tx, source).stream()
                                .map(ResendTargetQueries.ResendTarget::connection)
                                .toList());
    }

    private static List<ConnectionId> requestedConnections(
            Tx tx, Caller caller, SourceId source, List<UUID> asked, FieldReader input) {
        var wanted = asked.stream().distinct().toList();
        var found = ResendTargetQueries.findByIds(tx, caller.workspace(), wanted);
        var known = found.stream().map(target -> target.connection().value()).toList();
        for (var connection : wanted) {
            if (!known.contains(connection)) {
                throw ApiException.notFound(
                        "connection", "connection_ids." + asked.indexOf(connection));
            }
        }
        for (var target : found) {
            if (!target.source().equals(source)) {
                input.addError(
                        "connection_ids." + asked.indexOf(target.connection().value()),
                        "must be a connection of the event's source.");
            }
        }
        input.check();
        return wanted.stream().map(ConnectionId::new).toList();
    }

    private void add(Tx tx, EventId event, EventConnections eventConnections) {
        if (ResendStore.lockEvents(tx, eventConnections.source(), List.of(event)).isEmpty()) {
            throw ApiException.notFound("event"); // deleted since it was found
        }
        var resends =
                eventConnections.connections().stream()
                        .map(connection -> new ResendStore.EventResend(event, connection))
                        .toList();
        var now = clock.instant();
        if (!ResendStore.add(tx, eventConnections.source(), resends, now, now, ids.next())
                .isEmpty()) {
            throw new ApiException(
                    ApiErrorCode.CONFLICT,
                    "The event was resent too often: it has no room for "
                            + resends.size()
                            + " more deliveries. Nothing was created.");
        }
    }
}
