package dev.sluice.gateway.source;

import dev.sluice.account.access.Api;
import dev.sluice.account.access.Budget;
import dev.sluice.account.access.Caller;
import dev.sluice.account.access.Gate;
import dev.sluice.account.plan.PlanCaps;
import dev.sluice.account.plan.PlanCatalog;
import dev.sluice.gateway.ConfigurationWriter;
import dev.sluice.platform.db.Db;
import dev.sluice.platform.http.ApiException;
import dev.sluice.platform.http.Page;
import dev.sluice.platform.http.QueryParameters;
import dev.sluice.platform.http.Reply;
import dev.sluice.platform.http.Request;
import dev.sluice.platform.json.JsonObject;

import java.time.InstantSource;
import java.util.Set;

/// The routes for the trash.
///
/// - `GET /api/v1/sources/trash` lists the deleted sources.
/// - `POST /api/v1/sources/{id}/restore` restores a deleted source.
public final class TrashRoutes {

    private final Db db;
    private final SourceStore sources;
    private final PlanCaps planCaps;
    private final ConfigurationWriter configuration;
    private final InstantSource clock;
    private final String baseUrl;

    /// @param baseUrl the server's public address, without a slash at the end
    public TrashRoutes(
            Db db,
            SourceStore sources,
            PlanCatalog plans,
            ConfigurationWriter configuration,
            InstantSource clock,
            String baseUrl) {
        this.baseUrl = baseUrl;
        this.db = db;
        this.sources = sources;
        this.planCaps = new PlanCaps(plans);
        this.configuration = configuration;
        this.clock = clock;
    }

    public void addTo(Api api) {
        api.get("/api/v1/sources/trash", Gate.MEMBER, Set.of(Budget.DATABASE), this::list);
        api.post(
                "/api/v1/sources/{id}/restore",
                Gate.MEMBER,
                Set.of(Budget.DATABASE),
                this::restore);
    }

    private Reply list(Caller caller, Request request) {
        var query = new QueryParameters(request);
        var page = Page.of(query);
        String q = query.searchText().orElse("");
        query.check();
        var now = clock.instant();
        return db.call(tx -> {
            var trash =
                    TrashStore.list(
                            tx, sources, caller.workspace(), q, now, page.offset(), page.limit());
            var counts =
                    SourceStore.eventCounts(
                            tx, trash.stream().map(trashed -> trashed.source().id()).toList());
            var items =
                    trash.stream()
                            .map(trashed ->
                                    trashed.json(baseUrl)
                                            .put(
                                                    "event_count",
                                                    counts.getOrDefault(trashed.source().id(), 0L)))
                            .toList();
            return Reply.ok(
                    JsonObject.items(items)
                            .put("total", TrashStore.count(tx, caller.workspace(), q, now)));
        });
    }

    private Reply restore(Caller caller, Request request) {
        var id = new SourceId(request.id("source"));
        var restored =
                configuration.writeUncapped(
                        caller.workspace(),
                        (tx, version) -> {
                            long existing = SourceStore.count(tx, caller.workspace());
                            if (!TrashStore.restore(
                                    tx, caller.workspace(), id, clock.instant(), version)) {
                                throw ApiException.notFound("source in the trash");
                            }
                            planCaps.requireRoomForSource(tx, caller.workspace(), existing);
                            var source = sources.find(tx, caller.workspace(), id).orElseThrow();
                            caller.record(
                                    tx,
                                    "source.restored",
                                    id.value(),
                                    source.spec().name(),
                                    Set.of());
                            return source;
                        });
        return Reply.ok(restored.json(baseUrl)).with(restored.tag());
    }
}
