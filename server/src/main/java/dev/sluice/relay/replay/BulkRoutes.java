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
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/// `POST /api/v1/deliveries/resend-bulk`: what ended so on a connection, once more.
public final class BulkRoutes {

    private static final Logger log = LoggerFactory.getLogger(BulkRoutes.class);

    /// More than that are a job.
    private static final int MOST_AT_ONCE = 2_000;

    /// Events looked at in one transaction while they are counted.
    private static final int STRETCH = 2_000;

    /// What a selection comes to.
    ///
    /// @param first of its events, as many as are resent at once
    private record Plan(long count, List<EventId> first) {}

    private final Db db;
    private final Access access;
    private final PlanCatalog plans;
    private final Runnable onJob;
    private final Uuid7 ids;
    private final InstantSource clock;

    /// @param onJob called when there is a new job; must be quick
    public BulkRoutes(
            Db db,
            Access access,
            PlanCatalog plans,
            Runnable onJob,
            Uuid7 ids,
            InstantSource clock) {
        this.db = db;
        this.access = access;
        this.plans = plans;
        this.onJob = onJob;
        this.ids = ids;
        this.clock = clock;
    }

    public void addTo(Router router) {
        router.post("/api/v1/deliveries/resend-bulk", this::resend);
    }

    private Reply resend(Request request) throws IOException {
        var caller = access.caller(request);
        var asked = BulkRequest.read(request.form());
        var selection = db.snapshot(tx -> selection(tx, caller, asked));
        var plan = selection.map(this::plan).orElse(new Plan(0, List.of()));
        if (asked.isDryRun()) {
            return Reply.ok(
                    new JsonObject()
                            .put("dry_run", true)
                            .put("created", 0)
                            .put("would_create", plan.count()));
        }
        if (selection.isEmpty() || plan.count() == 0) {
            return accepted(0);
        }
        return plan.count() <= MOST_AT_ONCE
                ? accepted(resend(selection.get(), plan.first()))
                : job(caller, asked, selection.get(), plan);
    }

    private static Reply accepted(int created) {
        return Reply.json(202, new JsonObject().put("created", created));
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

    /// Counts in stretches, each a transaction of its own, so that neither their number nor the
    /// time it takes holds anything back.
    private Plan plan(Selection selection) {
        long count = 0;
        var first = new ArrayList<EventId>();
        for (var next = Optional.of(selection.after()); next.isPresent(); ) {
            var from = selection.from(next.get());
            var scan =
                    db.call(tx -> {
                        Chunk.prepare(tx);
                        return Scan.read(tx, from, STRETCH);
                    });
            for (var event : meant(from, scan.events())) {
                count++;
                if (first.size() < MOST_AT_ONCE) {
                    first.add(event);
                }
            }
            next = scan.next();
        }
        return new Plan(count, first);
    }

    private List<EventId> meant(Selection selection, List<EventId> events) {
        return db
                .call(tx -> {
                    Chunk.prepare(tx);
                    return Candidate.of(tx, selection, events);
                })
                .stream()
                .filter(candidate ->
                        candidate.fate(selection.isOfSucceeded()) == Candidate.Fate.RESEND)
                .map(Candidate::event)
                .toList();
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

    private Reply job(Caller caller, BulkRequest asked, Selection selection, Plan plan) {
        UUID id = ids.next();
        var madeAt = Times.ofJob(id, clock.instant());
        var replay =
                new Replay(
                        id,
                        caller.workspace(),
                        selection,
                        asked.since(),
                        asked.until(),
                        Replay.Status.RUNNING,
                        plan.count(),
                        0,
                        0,
                        Optional.empty(),
                        madeAt,
                        madeAt,
                        Optional.empty());
        db.run(tx -> ReplayStore.insert(tx, replay));
        onJob.run();
        return Reply.json(202, new JsonObject().put("created", plan.count()).put("replay_id", id));
    }
}
