package dev.sluice.observe.deadletters;

import dev.sluice.account.access.Authenticator;
import dev.sluice.account.access.Caller;
import dev.sluice.account.plan.PlanCatalog;
import dev.sluice.gateway.source.SourceId;
import dev.sluice.gateway.source.SourceStore;
import dev.sluice.observe.SearchReply;
import dev.sluice.observe.usage.BudgetedScan;
import dev.sluice.platform.db.Db;
import dev.sluice.platform.db.Tx;
import dev.sluice.platform.http.ApiException;
import dev.sluice.platform.http.Page;
import dev.sluice.platform.http.QueryParameters;
import dev.sluice.platform.http.Reply;
import dev.sluice.platform.http.Request;
import dev.sluice.platform.http.Router;
import dev.sluice.relay.InFlightAttempts;

import java.time.Instant;
import java.time.InstantSource;

/// The routes for lists, the summary and groups of dead letters, under `/api/v1/sources/{id}/dlq`
/// and `/api/v1/dlq`.
public final class DeadLetterRoutes {

    private final Db db;
    private final Authenticator authenticator;
    private final PlanCatalog plans;
    private final InFlightAttempts inFlightAttempts;
    private final InstantSource clock;

    public DeadLetterRoutes(
            Db db,
            Authenticator authenticator,
            PlanCatalog plans,
            InFlightAttempts inFlightAttempts,
            InstantSource clock) {
        this.db = db;
        this.authenticator = authenticator;
        this.plans = plans;
        this.inFlightAttempts = inFlightAttempts;
        this.clock = clock;
    }

    public void addTo(Router router) {
        router.get("/api/v1/sources/{id}/dlq", this::listOfSource);
        router.get("/api/v1/sources/{id}/dlq/summary", this::summary);
        router.get("/api/v1/dlq", this::list);
        router.get("/api/v1/dlq/groups", this::groups);
    }

    private Reply listOfSource(Request request) {
        var caller = authenticator.authenticate(request);
        var source = new SourceId(request.id("source"));
        var parameters = new QueryParameters(request);
        var page = Page.of(parameters);
        var filter = DeadLetterFilter.of(source, parameters);
        parameters.check();
        return db.snapshot(tx -> {
            checkSourceExists(tx, caller, source);
            return page(tx, caller, filter, page);
        });
    }

    private static void checkSourceExists(Tx tx, Caller caller, SourceId source) {
        if (!SourceStore.exists(tx, caller.workspace(), source)) {
            throw ApiException.notFound("source");
        }
    }

    private Reply list(Request request) {
        var caller = authenticator.authenticate(request);
        var parameters = new QueryParameters(request);
        var page = Page.of(parameters);
        var filter = DeadLetterFilter.of(parameters);
        parameters.check();
        return db.snapshot(tx -> page(tx, caller, filter, page));
    }

    private Reply page(Tx tx, Caller caller, DeadLetterFilter filter, Page page) {
        var scope = DeadLetterScopeQueries.scope(tx, caller.workspace(), filter);
        var result = search(tx, caller, scope, filter).page(page);
        var deadLetters =
                new DeadLetterDetailQueries(tx, scope, inFlightAttempts, clock.instant())
                        .of(result.keys());
        return SearchReply.of(
                deadLetters.stream().map(DeadLetter::json).toList(),
                result.total(),
                result.isExact());
    }

    /// Returns the time before which received events are expired.
    private Instant retainedSince(Tx tx, Caller caller) {
        return plans.ofWorkspace(tx, caller.workspace())
                .limits()
                .retention()
                .expiryCutoff(clock.instant());
    }

    private Reply summary(Request request) {
        var caller = authenticator.authenticate(request);
        var source = new SourceId(request.id("source"));
        var parameters = new QueryParameters(request);
        var filter = DeadLetterFilter.ofSummary(source, parameters);
        parameters.check();
        return db.snapshot(tx -> {
            checkSourceExists(tx, caller, source);
            var scope = DeadLetterScopeQueries.scope(tx, caller.workspace(), filter);
            if (filter.resolved().isPresent()) {
                var matches = search(tx, caller, scope, filter).matches();
                return Reply.ok(
                        DeadLetterSummary.of(scope, matches.keys())
                                .json()
                                .put("resolved", filter.resolved())
                                .put("is_exact", matches.isExact()));
            }
            return Reply.ok(
                    DeadLetterSummary.of(tx, scope, source.value(), retainedSince(tx, caller))
                            .json());
        });
    }

    private DeadLetterSearch search(
            Tx tx, Caller caller, DeadLetterScope scope, DeadLetterFilter filter) {
        return new DeadLetterSearch(
                tx, scope, filter, retainedSince(tx, caller), BudgetedScan.SCAN_TIME_BUDGET);
    }

    private Reply groups(Request request) {
        var caller = authenticator.authenticate(request);
        var parameters = new QueryParameters(request);
        var page = Page.of(parameters);
        var filter = DeadLetterFilter.ofFailures(parameters);
        parameters.check();
        return db.snapshot(tx -> {
            var scope = DeadLetterScopeQueries.scope(tx, caller.workspace(), filter);
            return Reply.ok(
                    search(tx, caller, scope, filter)
                            .groups()
                            .json(page)
                            .put("resolved", filter.resolved()));
        });
    }
}
