package dev.sluice.features.lists;

import static dev.sluice.history.counts.BudgetedScan.SCAN_TIME_BUDGET;

import dev.sluice.account.access.Api;
import dev.sluice.account.access.Budget;
import dev.sluice.account.access.Caller;
import dev.sluice.account.access.Gate;
import dev.sluice.account.plan.PlanCatalog;
import dev.sluice.engine.InFlightAttempts;
import dev.sluice.gateway.routing.ConfigurationCache;
import dev.sluice.gateway.source.SourceId;
import dev.sluice.gateway.source.SourceStore;
import dev.sluice.history.ListPage;
import dev.sluice.history.SearchReply;
import dev.sluice.platform.db.Db;
import dev.sluice.platform.db.Tx;
import dev.sluice.platform.http.ApiException;
import dev.sluice.platform.http.QueryParameters;
import dev.sluice.platform.http.Reply;
import dev.sluice.platform.http.Request;

import java.time.Duration;
import java.time.InstantSource;
import java.util.Set;

/// The routes that list, summarize and group dead letters, under `/api/v1/sources/{id}/dlq` and
/// `/api/v1/dlq`.
public final class DeadLetterRoutes {

    /// How long a request with a cursor may search for groups. Such a request gets more time than
    /// the first one because the client is asking for the rest of an unfinished search.
    private static final Duration CONTINUED_SCAN_BUDGET = Duration.ofMillis(500);

    private final Db db;
    private final PlanCatalog plans;
    private final ConfigurationCache configuration;
    private final InFlightAttempts inFlightAttempts;
    private final InstantSource clock;

    public DeadLetterRoutes(
            Db db,
            PlanCatalog plans,
            ConfigurationCache configuration,
            InFlightAttempts inFlightAttempts,
            InstantSource clock) {
        this.db = db;
        this.plans = plans;
        this.configuration = configuration;
        this.inFlightAttempts = inFlightAttempts;
        this.clock = clock;
    }

    public void addTo(Api api) {
        api.get(
                "/api/v1/sources/{id}/dlq",
                Gate.MEMBER,
                Set.of(Budget.DATABASE),
                this::listOfSource);
        api.get(
                "/api/v1/sources/{id}/dlq/summary",
                Gate.MEMBER,
                Set.of(Budget.DATABASE),
                this::summary);
        api.get("/api/v1/dlq", Gate.MEMBER, Set.of(Budget.DATABASE), this::list);
        api.get("/api/v1/dlq/groups", Gate.MEMBER, Set.of(Budget.DATABASE), this::groups);
    }

    private Reply listOfSource(Caller caller, Request request) {
        var source = new SourceId(request.id("source"));
        var parameters = new QueryParameters(request);
        var filter = DeadLetterFilters.ofSource(source, parameters);
        var page = ListPage.of(parameters, "dead letters of " + source);
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

    private Reply list(Caller caller, Request request) {
        var parameters = new QueryParameters(request);
        var filter = DeadLetterFilters.ofWorkspace(parameters);
        var page = ListPage.of(parameters, "dead letters of " + caller.workspace());
        parameters.check();
        return db.snapshot(tx -> page(tx, caller, filter, page));
    }

    private Reply page(Tx tx, Caller caller, DeliveryFilter filter, ListPage page) {
        var waits = waits(tx, caller);
        var search = search(tx, caller, filter, waits);
        var items = new DeliveryItemQueries(tx, search.scope(), waits);
        var details = new DeadLetterDetailQueries(tx, items, waits);
        return SearchReply.of(
                search.deliveries()
                        .page(page)
                        .with(keys -> details.of(keys).stream().map(DeadLetter::json).toList()),
                page);
    }

    private WaitExplainer waits(Tx tx, Caller caller) {
        var retention = plans.ofWorkspace(tx, caller.workspace()).limits().retention();
        return new WaitExplainer(configuration, inFlightAttempts, retention, clock.instant());
    }

    private static DeadLetterSearch search(
            Tx tx, Caller caller, DeliveryFilter filter, WaitExplainer waits) {
        return search(tx, caller, filter, waits, SCAN_TIME_BUDGET);
    }

    private static DeadLetterSearch search(
            Tx tx, Caller caller, DeliveryFilter filter, WaitExplainer waits, Duration budget) {
        var scope = DeliveryScopeQueries.scope(tx, caller.workspace(), filter);
        var since = waits.retention().expiryCutoff(waits.now());
        return new DeadLetterSearch(
                tx,
                scope,
                filter,
                new DeliverySearch(tx, scope, filter, waits::status, since, waits.now(), budget));
    }

    private Reply summary(Caller caller, Request request) {
        var source = new SourceId(request.id("source"));
        var parameters = new QueryParameters(request);
        var filter = DeadLetterFilters.ofSummary(source, parameters);
        parameters.check();
        return db.snapshot(tx -> {
            checkSourceExists(tx, caller, source);
            var search = search(tx, caller, filter, waits(tx, caller));
            if (filter.resolved().isPresent()) {
                var matches = search.matches();
                return Reply.ok(
                        DeadLetterSummary.of(search.scope(), matches.keys())
                                .json()
                                .put("resolved", filter.resolved())
                                .put("is_exact", matches.isExact()));
            }
            return Reply.ok(
                    DeadLetterSummary.of(
                                    tx, search.scope(), source.value(), search.deliveries().range())
                            .json());
        });
    }

    private Reply groups(Caller caller, Request request) {
        var parameters = new QueryParameters(request);
        var filter = DeadLetterFilters.ofFailures(parameters);
        var page = ListPage.of(parameters, "failure groups of " + caller.workspace());
        parameters.check();
        var budget = page.cursor().isPresent() ? CONTINUED_SCAN_BUDGET : SCAN_TIME_BUDGET;
        return db.snapshot(tx ->
                Reply.ok(
                        search(tx, caller, filter, waits(tx, caller), budget)
                                .groups(page.cursor())
                                .json(page)
                                .put("resolved", filter.resolved())));
    }
}
