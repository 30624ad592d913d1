package dev.sluice.relay.replay;

import dev.sluice.account.access.Authenticator;
import dev.sluice.account.access.Caller;
import dev.sluice.account.plan.PlanCatalog;
import dev.sluice.gateway.connection.ConnectionQueries;
import dev.sluice.platform.db.Db;
import dev.sluice.platform.db.Tx;
import dev.sluice.platform.http.ApiException;
import dev.sluice.platform.http.Reply;
import dev.sluice.platform.http.Request;
import dev.sluice.platform.http.Router;
import dev.sluice.platform.id.Uuid7;
import dev.sluice.platform.json.JsonObject;
import dev.sluice.relay.EventId;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;

/// `POST /api/v1/deliveries/resend-bulk`: resends the events of a period whose deliveries on one
/// connection ended with given statuses. An event whose newest delivery did not fail is resent only
/// if `succeeded` is one of the statuses.
///
/// The request itself resends a small selection. A larger one becomes a replay, a job that resends
/// in many chunks. A dry run only counts.
public final class BulkResendRoutes {

    private final Db db;
    private final Authenticator authenticator;
    private final PlanCatalog plans;
    private final Runnable onJob;
    private final Uuid7 ids;
    private final InstantSource clock;
    private final Duration budget;

    /// @param onJob called when a job was created; must be quick
    public BulkResendRoutes(
            Db db,
            Authenticator authenticator,
            PlanCatalog plans,
            Runnable onJob,
            Uuid7 ids,
            InstantSource clock) {
        this(db, authenticator, plans, onJob, ids, clock, ResendEstimate.COUNT_TIMEOUT);
    }

    /// @param budget how long a request may count the selection
    BulkResendRoutes(
            Db db,
            Authenticator authenticator,
            PlanCatalog plans,
            Runnable onJob,
            Uuid7 ids,
            InstantSource clock,
            Duration budget) {
        this.db = db;
        this.authenticator = authenticator;
        this.plans = plans;
        this.onJob = onJob;
        this.ids = ids;
        this.clock = clock;
        this.budget = budget;
    }

    public void addTo(Router router) {
        router.post("/api/v1/deliveries/resend-bulk", this::resend);
    }

    private Reply resend(Request request) throws IOException {
        var caller = authenticator.authenticate(request);
        var bulkRequest = BulkResendRequest.read(request.jsonBody());
        // read before the count, so that events resent during the count are not resent again
        var askedAt = clock.instant();
        var selection = db.snapshot(tx -> selection(tx, caller, bulkRequest));
        var estimate =
                selection.map(of -> ResendEstimate.of(db, of, budget)).orElse(ResendEstimate.EMPTY);
        if (bulkRequest.isDryRun()) {
            return Reply.ok(
                    new JsonObject()
                            .put("dry_run", true)
                            .put("created", 0)
                            .put("would_create", estimate.count())
                            .put("is_exact", estimate.isExact()));
        }
        if (selection.isEmpty() || estimate.isEmpty()) {
            return Reply.json(202, created(0, true));
        }
        return estimate.isImmediate()
                ? Reply.json(
                        202, created(resend(caller, selection.get(), estimate.firstEvents()), true))
                : startJob(caller, bulkRequest, selection.get(), estimate, askedAt);
    }

    private static JsonObject created(long count, boolean isExact) {
        return new JsonObject().put("created", count).put("is_exact", isExact);
    }

    /// Returns the events that the request selects. Empty when there is nothing to resend: the
    /// source has no event, or the connection is disabled.
    private Optional<ResendSelection> selection(
            Tx tx, Caller caller, BulkResendRequest bulkRequest) {
        var retention = plans.ofWorkspace(tx, caller.workspace()).limits().retention();
        var target =
                ResendTargetQueries.findByIds(
                                tx, caller.workspace(), List.of(bulkRequest.connection()))
                        .stream()
                        .findFirst()
                        .orElseThrow(() -> ApiException.notFound("connection"));
        if (!target.isEnabled()) {
            return Optional.empty();
        }
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

    private int resend(Caller caller, ResendSelection selection, List<EventId> events) {
        var chunk =
                db.call(tx -> {
                    record(tx, caller, selection);
                    SelectionQueries.forceIndexScan(tx);
                    return ReplayChunkStore.resend(tx, selection, events, clock, ids.next());
                });
        ResendWaker.tryWake(
                db, selection.source(), List.of(selection.connection()), clock.instant());
        return chunk.created();
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
            Instant askedAt) {
        UUID id = ids.next();
        db.run(tx -> {
            record(tx, caller, selection);
            var createdAt =
                    ReplayStore.nextCreatedAt(
                            tx, caller.workspace(), List.of(selection.connection()), askedAt);
            var recordedAt = Replay.creationTime(id, createdAt);
            ReplayStore.insert(
                    tx,
                    Replay.started(
                            id,
                            caller.workspace(),
                            selection,
                            bulkRequest.period(),
                            estimate,
                            recordedAt));
        });
        onJob.run();
        return Reply.json(202, created(estimate.count(), estimate.isExact()).put("replay_id", id));
    }
}
