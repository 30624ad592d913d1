package dev.sluice.relay.replay;

import dev.sluice.account.access.Access;
import dev.sluice.account.access.Caller;
import dev.sluice.account.plan.PlanCatalog;
import dev.sluice.gateway.connection.ConnectionId;
import dev.sluice.gateway.source.SourceId;
import dev.sluice.platform.db.Db;
import dev.sluice.platform.db.DbException;
import dev.sluice.platform.db.Tx;
import dev.sluice.platform.http.ApiException;
import dev.sluice.platform.http.ErrorStatus;
import dev.sluice.platform.http.Reply;
import dev.sluice.platform.http.Request;
import dev.sluice.platform.http.Router;
import dev.sluice.platform.id.Uuid7;
import dev.sluice.platform.json.Form;
import dev.sluice.platform.json.JsonObject;
import dev.sluice.relay.EventId;
import dev.sluice.relay.Trigger;
import dev.sluice.relay.store.Lane;
import dev.sluice.relay.store.LaneStore;
import dev.sluice.relay.store.ResendStore;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/// `POST /api/v1/events/{id}/resend`: one event once more.
public final class ResendRoutes {

    private static final Logger log = LoggerFactory.getLogger(ResendRoutes.class);

    /// A source has no more connections.
    private static final int MOST_CONNECTIONS = 1_000;

    /// Where an event goes.
    private record Addressed(SourceId source, List<ConnectionId> connections) {}

    private final Db db;
    private final Access access;
    private final PlanCatalog plans;
    private final Uuid7 ids;
    private final InstantSource clock;

    public ResendRoutes(Db db, Access access, PlanCatalog plans, Uuid7 ids, InstantSource clock) {
        this.db = db;
        this.access = access;
        this.plans = plans;
        this.ids = ids;
        this.clock = clock;
    }

    public void addTo(Router router) {
        router.post("/api/v1/events/{id}/resend", this::resend);
    }

    private Reply resend(Request request) throws IOException {
        var caller = access.caller(request);
        var form = request.formIfAny();
        var asked = form.parsedList("connection_ids", 1, MOST_CONNECTIONS, ResendRoutes::uuid);
        form.refuseNull("connection_ids", asked);
        form.check();
        var event = eventId(request);
        var addressed = db.snapshot(tx -> address(tx, caller, event, asked.toOptional(), form));
        if (!addressed.connections().isEmpty()) {
            db.run(tx -> add(tx, event, addressed));
            wake(addressed);
        }
        return Reply.json(202, new JsonObject().put("created", addressed.connections().size()));
    }

    private static UUID uuid(String text) {
        try {
            return Form.uuidOf(text);
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException("must be a UUID.", e);
        }
    }

    private static EventId eventId(Request request) {
        try {
            return new EventId(request.id("event"));
        } catch (IllegalArgumentException e) {
            throw ApiException.notFound("event"); // a UUID that no event can have
        }
    }

    private Addressed address(
            Tx tx, Caller caller, EventId event, Optional<List<UUID>> asked, Form form) {
        var expired =
                plans.of(tx, caller.workspace()).limits().retention().expiredAt(clock.instant());
        var source =
                Optional.of(event)
                        .filter(id -> Uuid7.timeOf(id.value()).isAfter(expired))
                        .flatMap(id -> Targets.sourceOf(tx, caller.workspace(), id))
                        .orElseThrow(() -> ApiException.notFound("event"));
        return new Addressed(
                source,
                asked.isPresent()
                        ? chosen(tx, caller, source, asked.get(), form)
                        : Targets.ofSource(tx, source).stream()
                                .map(Targets.Target::connection)
                                .toList());
    }

    private static List<ConnectionId> chosen(
            Tx tx, Caller caller, SourceId source, List<UUID> asked, Form form) {
        var wanted = asked.stream().distinct().toList();
        var found = Targets.named(tx, caller.workspace(), wanted);
        if (found.size() < wanted.size()) {
            throw ApiException.notFound("connection");
        }
        for (var target : found) {
            if (!target.source().equals(source)) {
                form.complain(
                        "connection_ids." + asked.indexOf(target.connection().value()),
                        "must be a connection of the event's source.");
            }
        }
        form.check();
        return wanted.stream().map(ConnectionId::new).toList();
    }

    private void add(Tx tx, EventId event, Addressed to) {
        if (ResendStore.lock(tx, to.source(), List.of(event)).isEmpty()) {
            throw ApiException.notFound("event"); // its day has just ended
        }
        var resends =
                to.connections().stream()
                        .map(connection -> new ResendStore.Resend(event, connection))
                        .toList();
        var now = clock.instant();
        if (!ResendStore.add(tx, to.source(), resends, now, now, ids.next()).isEmpty()) {
            throw new ApiException(
                    ErrorStatus.CONFLICT,
                    "The event was resent too often: it has no room for "
                            + resends.size()
                            + " more deliveries, and nothing was created.");
        }
    }

    /// So that they are sent now. Should this fail, the sweep finds them: they are stored.
    private void wake(Addressed to) {
        var now = clock.instant();
        try {
            db.run(tx ->
                    LaneStore.wake(
                            tx,
                            to.connections().stream()
                                    .map(connection ->
                                            new LaneStore.Wake(
                                                    new Lane(
                                                            connection,
                                                            Trigger.RESEND,
                                                            to.source()),
                                                    now))
                                    .toList()));
        } catch (DbException e) {
            log.atWarn().setCause(e).log("resend.not_woken");
        }
    }
}
