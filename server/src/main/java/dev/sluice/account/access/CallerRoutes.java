package dev.sluice.account.access;

import dev.sluice.account.access.Caller.Identity;
import dev.sluice.account.workspace.WorkspaceStore;
import dev.sluice.platform.db.Db;
import dev.sluice.platform.http.Reply;
import dev.sluice.platform.http.Request;
import dev.sluice.platform.json.JsonObject;

import java.util.Set;

/// The route `GET /api/v1/me`, which shows the caller, the caller's current workspace, and the
/// prefix of the server's own headers.
public final class CallerRoutes {

    private final Db db;
    private final String headerPrefix;

    /// @param headerPrefix the prefix of the server's own headers, such as `X-Service`
    public CallerRoutes(Db db, String headerPrefix) {
        this.db = db;
        this.headerPrefix = headerPrefix;
    }

    public void addTo(Api api) {
        api.get("/api/v1/me", Gate.MEMBER_EVEN_IF_SUSPENDED, Set.of(Budget.DATABASE), this::get);
    }

    private Reply get(Caller caller, Request request) {
        return Reply.ok(
                switch (caller.identity()) {
                    case Identity.KeyIdentity _ ->
                            new JsonObject()
                                    .put("auth", "api_key")
                                    .put("workspace", workspace(caller))
                                    .put("header_prefix", headerPrefix);
                    case Identity.SessionIdentity session ->
                            new JsonObject()
                                    .put("auth", "session")
                                    .put("user", user(session))
                                    .put("workspace", workspace(caller))
                                    .put("role", session.role().text())
                                    .put("header_prefix", headerPrefix);
                });
    }

    private JsonObject workspace(Caller caller) {
        return db.call(tx -> WorkspaceStore.find(tx, caller.workspace())).orElseThrow().json();
    }

    private JsonObject user(Identity.SessionIdentity session) {
        return db.call(tx -> AccountStore.find(tx, session.account())).orElseThrow().json();
    }
}
