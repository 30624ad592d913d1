package dev.sluice.relay.replay;

import dev.sluice.account.access.Access;
import dev.sluice.account.access.Caller;
import dev.sluice.account.plan.PlanCatalog;
import dev.sluice.platform.db.Db;
import dev.sluice.platform.db.DbException;
import dev.sluice.platform.db.Tx;
import dev.sluice.platform.http.ApiException;
import dev.sluice.platform.http.Reply;
import dev.sluice.platform.http.Request;
import dev.sluice.platform.http.Router;
import dev.sluice.platform.id.Uuid7;
import dev.sluice.platform.json.JsonObject;
import dev.sluice.relay.EventId;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/// `POST /api/v1/deliveries/resend-bulk`: what ended so on a connection, once more.
public final class BulkRoutes {

    private static final Logger log = LoggerFactory.getLogger(BulkRoutes.class);

    private final Db db;
    private final Access access;
    private final PlanCatalog plans;
    private final Runnable onJob;
    private final Uuid7 ids;
    private final InstantSource clock;
    private final Duration budget;

    /// @param onJob called when there is a new job; must be quick
    public BulkRoutes(
            Db db,
            Access access,
            PlanCatalog plans,
            Runnable onJob,
            Uuid7 ids,
            InstantSource clock) {
        this(db, access, plans, onJob, ids, clock, Plan.BUDGET);
    }

    /// @param budget to count in
    BulkRoutes(
            Db db,
            Access access,
            PlanCatalog plans,
            Runnable onJob,
            Uuid7 ids,
            InstantSource clock,
            Duration budget) {
        this.db = db;
        this.access = access;
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
        var caller = access.caller(request);
        var asked = BulkRequest.read(request.form());
        var askedAt = clock.instant(); // what is resent while it is counted is not resent again
        var selection = db.snapshot(tx -> selection(tx, caller, asked));
        var plan = selection.map(of -> Plan.of(db, of, budget)).orElse(Plan.NOTHING);
        if (asked.isDryRun()) {
            return Reply.ok(
                    new JsonObject()
                            .put("dry_run", true)
                            .put("created", 0)
                            .put("would_create", plan.count())
                            .put("is_exact", plan.isExact()));
        }
        if (selection.isEmpty() || plan.isNothing()) {
            return Reply.json(202, created(0, true));
        }
        return plan.isMadeAtOnce()
                ? Reply.json(202, created(resend(selection.get(), plan.first()), true))
                : job(caller, asked, selection.get(), plan, askedAt);
    }

    private static JsonObject created(long count, boolean isExact) {
        return new JsonObject().put("created", count).put("is_exact", isExact);
    }

    /// Empty when there is nothing it could be about: no event, or the connection is disabled.
    private Optional<Selection> selection(Tx tx, Caller caller, BulkRequest asked) {
        var retention = plans.of(tx, caller.workspace()).limits().retention();
        var target =
                Targets.named(tx, caller.workspace(), List.of(asked.connection())).stream()
                        .findFirst()
                        .orElseThrow(() -> ApiException.notFound("connection"));
        if (!target.isEnabled()) {
            return Optional.empty();
        }
        var kept = Times.keptAfter(clock.instant(), retention);
        var after = asked.since().map(Uuid7::bound).map(id -> Times.later(id, kept)).orElse(kept);
        return Scan.end(tx, target.source().value())
                .map(end ->
                        asked.until()
                                .map(Uuid7::bound)
                                .map(id -> Times.earlier(id, end))
                                .orElse(end))
                .map(to ->
                        new Selection(
                                target.source(), target.connection(), asked.statuses(), after, to));
    }

    private int resend(Selection selection, List<EventId> events) {
        var chunk =
                db.call(tx -> {
                    Chunk.prepare(tx);
                    return Chunk.resend(tx, selection, events, clock, ids.next());
                });
        try {
            Replaying.wake(db, selection, clock.instant());
        } catch (DbException e) {
            log.atWarn().setCause(e).log("resend.not_woken"); // the sweep finds them
        }
        return chunk.created();
    }

    private Reply job(
            Caller caller, BulkRequest asked, Selection selection, Plan plan, Instant askedAt) {
        UUID id = ids.next();
        db.run(tx -> {
            var turn = ReplayStore.turn(tx, caller.workspace(), selection.connection(), askedAt);
            var madeAt = Times.ofJob(id, turn);
            ReplayStore.insert(
                    tx,
                    new Replay(
                            id,
                            caller.workspace(),
                            selection,
                            asked.since(),
                            asked.until(),
                            Replay.Status.RUNNING,
                            plan.count(),
                            plan.isExact(),
                            0,
                            0,
                            Optional.empty(),
                            madeAt,
                            madeAt,
                            Optional.empty()));
        });
        onJob.run();
        return Reply.json(202, created(plan.count(), plan.isExact()).put("replay_id", id));
    }
}
