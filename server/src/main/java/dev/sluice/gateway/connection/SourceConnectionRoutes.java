package dev.sluice.gateway.connection;

import dev.sluice.account.access.Api;
import dev.sluice.account.access.Budget;
import dev.sluice.account.access.Caller;
import dev.sluice.account.access.Gate;
import dev.sluice.gateway.source.SourceId;
import dev.sluice.gateway.source.SourceStore;
import dev.sluice.platform.db.Db;
import dev.sluice.platform.http.ApiException;
import dev.sluice.platform.http.Page;
import dev.sluice.platform.http.QueryParameters;
import dev.sluice.platform.http.Reply;
import dev.sluice.platform.http.Request;
import dev.sluice.platform.json.JsonObject;

import java.util.Set;

/// The route `GET /api/v1/sources/{id}/connections`, which lists a source's connections.
public final class SourceConnectionRoutes {

    private final Db db;

    public SourceConnectionRoutes(Db db) {
        this.db = db;
    }

    public void addTo(Api api) {
        api.get(
                "/api/v1/sources/{id}/connections",
                Gate.MEMBER,
                Set.of(Budget.DATABASE),
                this::list);
    }

    private Reply list(Caller caller, Request request) {
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
