package dev.sluice.gateway.connection;

import dev.sluice.account.access.Authenticator;
import dev.sluice.gateway.source.SourceId;
import dev.sluice.gateway.source.SourceStore;
import dev.sluice.platform.db.Db;
import dev.sluice.platform.http.ApiException;
import dev.sluice.platform.http.Page;
import dev.sluice.platform.http.QueryParameters;
import dev.sluice.platform.http.Reply;
import dev.sluice.platform.http.Request;
import dev.sluice.platform.http.Router;
import dev.sluice.platform.json.JsonObject;

/// The route `GET /api/v1/sources/{id}/connections`, which lists a source's connections.
public final class SourceConnectionRoutes {

    private final Db db;
    private final Authenticator authenticator;

    public SourceConnectionRoutes(Db db, Authenticator authenticator) {
        this.db = db;
        this.authenticator = authenticator;
    }

    public void addTo(Router router) {
        router.get("/api/v1/sources/{id}/connections", this::list);
    }

    private Reply list(Request request) {
        var caller = authenticator.authenticate(request);
        var source = new SourceId(request.id("source"));
        var query = new QueryParameters(request);
        var page = Page.of(query);
        String q = query.searchText().orElse("");
        query.check();
        return db.call(tx -> {
            if (!SourceStore.exists(tx, caller.workspace(), source)) {
                throw ApiException.notFound("source");
            }
            var connections =
                    ConnectionQueries.listBySource(tx, source, q, page.offset(), page.limit());
            var items =
                    ConnectionQueries.views(tx, connections).stream()
                            .map(ConnectionView::json)
                            .toList();
            return Reply.ok(
                    JsonObject.items(items)
                            .put("total", ConnectionQueries.countBySource(tx, source, q)));
        });
    }
}
