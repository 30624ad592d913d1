package dev.sluice.gateway.source;

import dev.sluice.account.access.Access;
import dev.sluice.account.plan.PlanCatalog;
import dev.sluice.account.workspace.WorkspaceStore;
import dev.sluice.gateway.ConfigurationChange;
import dev.sluice.platform.db.Db;
import dev.sluice.platform.http.ApiException;
import dev.sluice.platform.http.Page;
import dev.sluice.platform.http.Query;
import dev.sluice.platform.http.Reply;
import dev.sluice.platform.http.Request;
import dev.sluice.platform.http.Router;
import dev.sluice.platform.json.JsonObject;

import java.time.InstantSource;

/// `/api/v1/sources/trash` and the way back from there.
public final class TrashRoutes {

    private final Db db;
    private final Access access;
    private final SourceStore sources;
    private final SourceCap cap;
    private final ConfigurationChange change;
    private final InstantSource clock;

    public TrashRoutes(
            Db db,
            Access access,
            SourceStore sources,
            PlanCatalog plans,
            ConfigurationChange change,
            InstantSource clock) {
        this.db = db;
        this.access = access;
        this.sources = sources;
        this.cap = new SourceCap(plans);
        this.change = change;
        this.clock = clock;
    }

    public void addTo(Router router) {
        router.get("/api/v1/sources/trash", this::list);
        router.post("/api/v1/sources/{id}/restore", this::restore);
    }

    private Reply list(Request request) {
        var caller = access.caller(request);
        var query = new Query(request);
        var page = Page.of(query);
        String q = query.text("q").orElse("");
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
                                    trashed.json()
                                            .put(
                                                    "event_count",
                                                    counts.getOrDefault(trashed.source().id(), 0L)))
                            .toList();
            return Reply.ok(
                    JsonObject.items(items)
                            .put("total", TrashStore.count(tx, caller.workspace(), q, now)));
        });
    }

    private Reply restore(Request request) {
        var caller = access.caller(request);
        var id = new SourceId(request.id("source"));
        var restored =
                db.call(tx -> {
                    long version = WorkspaceStore.nextVersion(tx);
                    long others = SourceStore.count(tx, caller.workspace());
                    if (!TrashStore.takeOut(tx, caller.workspace(), id, clock.instant(), version)) {
                        throw ApiException.notFound("source in the trash");
                    }
                    cap.refuseOver(tx, caller.workspace(), others);
                    return sources.find(tx, caller.workspace(), id).orElseThrow();
                });
        change.committed();
        return Reply.ok(restored.json());
    }
}
