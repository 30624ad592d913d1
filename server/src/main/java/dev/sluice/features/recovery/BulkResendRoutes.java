package dev.sluice.features.recovery;

import dev.sluice.account.access.Api;
import dev.sluice.account.access.ApiContext;
import dev.sluice.account.access.Budget;
import dev.sluice.account.access.Caller;
import dev.sluice.account.access.Gate;
import dev.sluice.account.idempotency.AnswerKeeper;
import dev.sluice.account.idempotency.IdempotencyKeys;
import dev.sluice.account.plan.PlanCatalog;
import dev.sluice.gateway.connection.ConnectionQueries;
import dev.sluice.platform.db.Db;
import dev.sluice.platform.db.Tx;
import dev.sluice.platform.http.ApiException;
import dev.sluice.platform.http.Reply;
import dev.sluice.platform.http.Request;
import dev.sluice.platform.id.Uuid7;
import dev.sluice.platform.json.FieldReader;
import dev.sluice.platform.json.JsonObject;
import dev.sluice.platform.loop.Wake;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;

/// `POST /api/v1/deliveries/resend-bulk`: resends many events to one connection's destination. A
/// connection links a source to a destination. The request selects the events that arrived in a
/// given period and have a delivery on the connection that ended with one of the given statuses. An
/// event's newest delivery on the connection must be failed or exhausted, unless the given statuses
/// include `succeeded`. [dev.sluice.features.recovery.ResendCandidate] makes this decision for each
/// event.
///
/// A small selection, as estimated by [ResendEstimate], is resent while the request is handled. A
/// larger one, or one that could not be fully counted in time, becomes a replay: a job that
/// [ReplayWorker] runs in chunks. A dry run only counts the events.
public final class BulkResendRoutes {

    private final Db db;
    private final PlanCatalog plans;
    private final IdempotencyKeys idempotency;
    private final Wake replays;
    private final Uuid7 ids;
    private final InstantSource clock;
    private final Duration budget;
    private final ResendWaker waker;

    /// @param replays called when a job has been created
    /// @param backlog called when resends are waiting to be sent
    public BulkResendRoutes(
            ApiContext api,
            PlanCatalog plans,
            IdempotencyKeys idempotency,
            Wake replays,
            Wake backlog) {
        this(api, plans, idempotency, replays, backlog, ResendEstimate.COUNT_TIMEOUT);
    }

    /// @param budget how long a request may spend counting the selected events
    BulkResendRoutes(
            ApiContext api,
            PlanCatalog plans,
            IdempotencyKeys idempotency,
            Wake replays,
            Wake backlog,
            Duration budget) {
        this.db = api.db();
        this.plans = plans;
        this.idempotency = idempotency;
        this.replays = replays;
        this.ids = api.ids();
        this.clock = api.clock();
        this.budget = budget;
        this.waker = new ResendWaker(db, backlog);
    }

    public void addTo(Api api) {
        api.post(
                "/api/v1/deliveries/resend-bulk",
                Gate.MEMBER,
                Set.of(Budget.DATABASE),
                this::resend);
    }

    private Reply resend(Caller caller, Request request) throws IOException {
        var input = request.jsonBody();
        return idempotency.answer(
                request, caller.workspace().value(), keeper -> resend(caller, input, keeper));
    }

    private Reply resend(Caller caller, FieldReader input, AnswerKeeper keeper) {
        var bulkRequest = BulkResendRequest.read(input);
        // The time is read before the count, so that events resent during the count are not resent
        // again.
        var askedAt = clock.instant();
        var target = db.snapshot(tx -> target(tx, caller, bulkRequest));
        var selection =
                target.isEnabled()
                        ? db.snapshot(tx -> selection(tx, caller, bulkRequest, target))
                        : Optional.<ResendSelection>empty();
        var estimate =
                selection.map(of -> ResendEstimate.of(db, of, budget)).orElse(ResendEstimate.EMPTY);
        if (bulkRequest.isDryRun()) {
            return Reply.ok(withReason(target, estimate, estimate.dryRunJson()));
        }
        if (selection.isEmpty() || estimate.isEmpty()) {
            return db.call(tx -> keeper.keep(tx, resent(target, ResendEstimate.EMPTY)));
        }
        return estimate.isImmediate()
                ? resend(caller, target, selection.get(), estimate, keeper)
                : startJob(caller, bulkRequest, selection.get(), estimate, askedAt, keeper);
    }

    private static Reply resent(ResendTargetQueries.ResendTarget target, ResendEstimate created) {
        return Reply.accepted(
                "/api/v1/connections/" + target.connection(),
                withReason(target, created, created.createdJson()));
    }

    /// Adds the reason to the reply if there is nothing to resend.
    private static JsonObject withReason(
            ResendTargetQueries.ResendTarget target, ResendEstimate estimate, JsonObject json) {
        if (!estimate.isEmpty()) {
            return json;
        }
        return json.put(
                "reason",
                target.isEnabled()
                        ? "Nothing was resent: no event has a delivery with these statuses on the"
                                + " connection in this period, or its newest one succeeded or is"
                                + " under way."
                        : "Nothing was resent: the connection is disabled.");
    }

    private static ResendTargetQueries.ResendTarget target(
            Tx tx, Caller caller, BulkResendRequest bulkRequest) {
        return ResendTargetQueries.findByIds(
                        tx, caller.workspace(), List.of(bulkRequest.connection()))
                .stream()
                .findFirst()
                .orElseThrow(() -> ApiException.notFound("connection", "connection_id"));
    }

    /// Returns the events that the request selects, or empty if the source has no events.
    private Optional<ResendSelection> selection(
            Tx tx,
            Caller caller,
            BulkResendRequest bulkRequest,
            ResendTargetQueries.ResendTarget target) {
        var retention = plans.ofWorkspace(tx, caller.workspace()).limits().retention();
        var kept = Uuid7.floorAfter(retention.expiryCutoff(clock.instant()));
        var after =
                bulkRequest
                        .period()
                        .since()
                        .map(Uuid7::lowerBound)
                        .map(id -> Uuid7.max(id, kept))
                        .orElse(kept);
        return SelectionQueries.lastId(tx, target.source().value())
                .map(end ->
                        bulkRequest
                                .period()
                                .until()
                                .map(Uuid7::lowerBound)
                                .map(id -> Uuid7.min(id, end))
                                .orElse(end))
                .map(to ->
                        new ResendSelection(
                                target.source(),
                                target.connection(),
                                bulkRequest.statuses(),
                                after,
                                to));
    }

    private Reply resend(
            Caller caller,
            ResendTargetQueries.ResendTarget target,
            ResendSelection selection,
            ResendEstimate estimate,
            AnswerKeeper keeper) {
        var reply =
                db.call(tx -> {
                    record(tx, caller, selection);
                    SelectionQueries.forceIndexScan(tx);
                    var chunk =
                            ReplayChunkStore.resend(
                                    tx, selection, estimate.firstEvents(), clock, ids.next());
                    var created = new ResendEstimate(chunk.created(), true, List.of());
                    return keeper.keep(tx, resent(target, created));
                });
        waker.tryWake(selection.source(), List.of(selection.connection()), clock.instant());
        return reply;
    }

    private static void record(Tx tx, Caller caller, ResendSelection selection) {
        var connection = selection.connection();
        caller.record(
                tx,
                "connection.resent",
                connection.value(),
                ConnectionQueries.name(tx, connection),
                Set.of());
    }

    private Reply startJob(
            Caller caller,
            BulkResendRequest bulkRequest,
            ResendSelection selection,
            ResendEstimate estimate,
            Instant askedAt,
            AnswerKeeper keeper) {
        UUID id = ids.next();
        var reply =
                Reply.accepted(
                        "/api/v1/replays/" + id, estimate.createdJson().put("replay_id", id));
        db.run(tx -> {
            record(tx, caller, selection);
            var createdAt =
                    ReplayStore.nextCreatedAt(
                            tx, caller.workspace(), List.of(selection.connection()), askedAt);
            var recordedAt = Replay.creationTime(id, createdAt);
            ReplayStore.start(
                    tx,
                    Replay.started(
                            id,
                            caller.workspace(),
                            selection,
                            bulkRequest.period(),
                            estimate,
                            recordedAt));
            keeper.keep(tx, reply);
        });
        replays.wake();
        return reply;
    }
}
