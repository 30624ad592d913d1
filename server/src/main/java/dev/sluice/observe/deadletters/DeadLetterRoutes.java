package dev.sluice.observe.deadletters;

import dev.sluice.account.access.Access;
import dev.sluice.account.access.Caller;
import dev.sluice.account.plan.PlanCatalog;
import dev.sluice.gateway.source.SourceId;
import dev.sluice.gateway.source.SourceStore;
import dev.sluice.observe.sums.Look;
import dev.sluice.platform.db.Db;
import dev.sluice.platform.db.Tx;
import dev.sluice.platform.http.ApiException;
import dev.sluice.platform.http.Page;
import dev.sluice.platform.http.Query;
import dev.sluice.platform.http.Reply;
import dev.sluice.platform.http.Request;
import dev.sluice.platform.http.Router;
import dev.sluice.platform.json.JsonObject;
import dev.sluice.relay.UnderWay;

import java.time.Instant;
import java.time.InstantSource;

/// `/api/v1/sources/{id}/dlq` and `/api/v1/dlq`.
public final class DeadLetterRoutes {

    private final Db db;
    private final Access access;
    private final PlanCatalog plans;
    private final UnderWay underWay;
    private final InstantSource clock;

    public DeadLetterRoutes(
            Db db, Access access, PlanCatalog plans, UnderWay underWay, InstantSource clock) {
        this.db = db;
        this.access = access;
        this.plans = plans;
        this.underWay = underWay;
        this.clock = clock;
    }

    public void addTo(Router router) {
        router.get("/api/v1/sources/{id}/dlq", this::ofSource);
        router.get("/api/v1/sources/{id}/dlq/summary", this::summary);
        router.get("/api/v1/dlq", this::list);
        router.get("/api/v1/dlq/groups", this::groups);
    }

    private Reply ofSource(Request request) {
        var caller = access.caller(request);
        var source = new SourceId(request.id("source"));
        var parameters = new Query(request);
        var page = Page.of(parameters);
        var filter = DeadLetterFilter.of(source, parameters);
        parameters.check();
        return db.snapshot(tx -> {
            check(tx, caller, source);
            return page(tx, caller, filter, page);
        });
    }

    private static void check(Tx tx, Caller caller, SourceId source) {
        if (!SourceStore.exists(tx, caller.workspace(), source)) {
            throw ApiException.notFound("source");
        }
    }

    private Reply list(Request request) {
        var caller = access.caller(request);
        var parameters = new Query(request);
        var page = Page.of(parameters);
        var filter = DeadLetterFilter.of(parameters);
        parameters.check();
        return db.snapshot(tx -> page(tx, caller, filter, page));
    }

    private Reply page(Tx tx, Caller caller, DeadLetterFilter filter, Page page) {
        var scope = Scope.of(tx, caller.workspace(), filter);
        var found =
                new DeadLetterQuery(tx, scope, filter, since(tx, caller), Look.BUDGET).page(page);
        var letters = new DeadLetters(tx, scope, underWay, clock.instant()).of(found.keys());
        var json =
                JsonObject.items(letters.stream().map(DeadLetter::json).toList())
                        .put("total", found.total());
        return Reply.ok(found.isExact() ? json : json.put("total_is_exact", false));
    }

    /// What came in before is expired.
    private Instant since(Tx tx, Caller caller) {
        return plans.of(tx, caller.workspace()).limits().retention().expiredAt(clock.instant());
    }

    private Reply summary(Request request) {
        var caller = access.caller(request);
        var source = new SourceId(request.id("source"));
        return db.snapshot(tx -> {
            check(tx, caller, source);
            var scope = Scope.of(tx, caller.workspace(), DeadLetterFilter.of(source));
            return Reply.ok(Summary.of(tx, scope, source.value(), since(tx, caller)).json());
        });
    }

    private Reply groups(Request request) {
        var caller = access.caller(request);
        var parameters = new Query(request);
        var page = Page.of(parameters);
        var filter = DeadLetterFilter.ofFailures(parameters);
        parameters.check();
        return db.snapshot(tx -> {
            var scope = Scope.of(tx, caller.workspace(), filter);
            return Reply.ok(
                    new DeadLetterQuery(tx, scope, filter, since(tx, caller), Look.BUDGET)
                            .groups()
                            .json(page));
        });
    }
}
