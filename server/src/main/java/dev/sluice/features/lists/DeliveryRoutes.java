package dev.sluice.features.lists;

import dev.sluice.account.access.Api;
import dev.sluice.account.access.Budget;
import dev.sluice.account.access.Caller;
import dev.sluice.account.access.Gate;
import dev.sluice.account.plan.PlanCatalog;
import dev.sluice.engine.InFlightAttempts;
import dev.sluice.gateway.routing.ConfigurationCache;
import dev.sluice.gateway.source.SourceId;
import dev.sluice.history.ListPage;
import dev.sluice.history.SearchReply;
import dev.sluice.platform.db.Db;
import dev.sluice.platform.http.QueryParameters;
import dev.sluice.platform.http.Reply;
import dev.sluice.platform.http.Request;

import java.time.InstantSource;
import java.util.Set;

/// The route `GET /api/v1/deliveries`, which lists a workspace's deliveries.
public final class DeliveryRoutes {

    private final Db db;
    private final PlanCatalog plans;
    private final ConfigurationCache configuration;
    private final InFlightAttempts inFlightAttempts;
    private final InstantSource clock;

    public DeliveryRoutes(
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
        api.get("/api/v1/deliveries", Gate.MEMBER, Set.of(Budget.DATABASE), this::list);
    }

    private Reply list(Caller caller, Request request) {
        var query = new QueryParameters(request);
        var filter =
                DeliveryFilter.read(query, DeliveryFilter.ALL_STATUSES, DeliveryFilter.ALL_STATUSES)
                        .withSource(query.uuid("source_id").map(SourceId::new));
        var page = ListPage.of(query, "deliveries of " + caller.workspace());
        query.check();
        return db.snapshot(tx -> {
            var now = clock.instant();
            var retention = plans.ofWorkspace(tx, caller.workspace()).limits().retention();
            var waits = new WaitExplainer(configuration, inFlightAttempts, retention, now);
            var scope = DeliveryScopeQueries.scope(tx, caller.workspace(), filter);
            var search =
                    new DeliverySearch(
                            tx, scope, filter, waits::status, retention.expiryCutoff(now), now);
            var items = new DeliveryItemQueries(tx, scope, waits);
            return SearchReply.of(
                    search.page(page)
                            .with(keys -> items.of(keys).stream().map(DeliveryItem::json).toList()),
                    page);
        });
    }
}
