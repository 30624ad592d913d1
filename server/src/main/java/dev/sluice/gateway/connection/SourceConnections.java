package dev.sluice.gateway.connection;

import dev.sluice.account.access.Access;
import dev.sluice.gateway.source.SourceId;
import dev.sluice.gateway.source.SourceStore;
import dev.sluice.platform.db.Db;
import dev.sluice.platform.http.ApiException;
import dev.sluice.platform.http.Page;
import dev.sluice.platform.http.Query;
import dev.sluice.platform.http.Reply;
import dev.sluice.platform.http.Request;
import dev.sluice.platform.http.Router;
import dev.sluice.platform.json.JsonObject;

/// `/api/v1/sources/{id}/connections`: where a source's events go.
public final class SourceConnections {

    private final Db db;
    private final Access access;

    public SourceConnections(Db db, Access access) {
        this.db = db;
        this.access = access;
    }

    public void addTo(Router router) {
        router.get("/api/v1/sources/{id}/connections", this::list);
    }

    private Reply list(Request request) {
        var caller = access.caller(request);
        var source = new SourceId(request.id("source"));
        var query = new Query(request);
        var page = Page.of(query);
        String q = query.text("q").orElse("");
        query.check();
        return db.call(tx -> {
            if (!SourceStore.exists(tx, caller.workspace(), source)) {
                throw ApiException.notFound("source");
            }
            var connections = ConnectionStore.ofSource(tx, source, q, page.offset(), page.limit());
            var items = Described.of(tx, connections).stream().map(Described::json).toList();
            return Reply.ok(
                    JsonObject.items(items)
                            .put("total", ConnectionStore.countOfSource(tx, source, q)));
        });
    }
}
