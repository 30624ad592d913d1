package dev.sluice.account.members;

import dev.sluice.account.access.Api;
import dev.sluice.account.access.Budget;
import dev.sluice.account.access.Caller;
import dev.sluice.account.access.Gate;
import dev.sluice.account.changes.AuditLogQueries;
import dev.sluice.account.changes.AuditLogQueries.AuditEntry;
import dev.sluice.account.changes.AuditLogQueries.AuditFilter;
import dev.sluice.account.workspace.Role;
import dev.sluice.platform.db.Db;
import dev.sluice.platform.http.Page;
import dev.sluice.platform.http.QueryParameters;
import dev.sluice.platform.http.Reply;
import dev.sluice.platform.http.Request;
import dev.sluice.platform.json.JsonObject;

import java.util.Optional;
import java.util.Set;

/// The route `GET /api/v1/audit-log`, which shows admins and owners the changes in their current
/// workspace.
public final class AuditLogRoutes {

    private final Db db;

    public AuditLogRoutes(Db db) {
        this.db = db;
    }

    public void addTo(Api api) {
        api.get("/api/v1/audit-log", Gate.MEMBER, Set.of(Budget.DATABASE), this::list);
    }

    private Reply list(Caller caller, Request request) {
        caller.requireRole(Role.ADMIN);
        var query = new QueryParameters(request);
        var page = Page.of(query);
        var filter =
                new AuditFilter(
                        query.uuid("actor_id"),
                        query.text("action"),
                        query.time("after"),
                        query.time("before"),
                        query.searchText().orElse(""));
        query.check();
        return db.snapshot(tx -> {
            var entries =
                    AuditLogQueries.list(
                            tx, caller.workspace(), filter, page.offset(), page.limit());
            return Reply.ok(
                    JsonObject.items(entries.stream().map(AuditLogRoutes::json).toList())
                            .put("total", AuditLogQueries.count(tx, caller.workspace(), filter)));
        });
    }

    private static JsonObject json(AuditEntry entry) {
        return new JsonObject()
                .put("id", entry.id())
                .put("created_at", entry.createdAt())
                .put("action", entry.action())
                .put(
                        "actor",
                        new JsonObject()
                                .put("kind", entry.actor().kind())
                                .put("id", entry.actor().id())
                                .put("name", nonEmpty(entry.actor().name())))
                .put("address", nonEmpty(entry.actor().address()))
                .put(
                        "target",
                        new JsonObject()
                                .put("id", entry.targetId())
                                .put("name", nonEmpty(entry.targetName())))
                .put("fields", entry.fields());
    }

    private static Optional<String> nonEmpty(String text) {
        return Optional.of(text).filter(known -> !known.isEmpty());
    }
}
