package dev.sluice.account.people;

import dev.sluice.account.access.Api;
import dev.sluice.account.access.Authenticator;
import dev.sluice.account.access.Budget;
import dev.sluice.account.access.Gate;
import dev.sluice.account.access.Session;
import dev.sluice.account.access.SessionStore;
import dev.sluice.platform.db.Db;
import dev.sluice.platform.http.ApiException;
import dev.sluice.platform.http.QueryParameters;
import dev.sluice.platform.http.Reply;
import dev.sluice.platform.http.Request;
import dev.sluice.platform.json.JsonObject;

import java.time.InstantSource;
import java.util.Set;
import java.util.UUID;

/// The routes `GET /api/v1/auth/sessions` and `DELETE /api/v1/auth/sessions/{id}`, with which a
/// person lists and ends their sessions.
public final class SessionRoutes {

    private final Db db;
    private final Authenticator authenticator;
    private final InstantSource clock;

    public SessionRoutes(Db db, Authenticator authenticator, InstantSource clock) {
        this.clock = clock;
        this.db = db;
        this.authenticator = authenticator;
    }

    public void addTo(Api api) {
        api.get("/api/v1/auth/sessions", Gate.PERSON, Set.of(Budget.DATABASE), this::list);
        api.delete("/api/v1/auth/sessions/{id}", Gate.PERSON, Set.of(Budget.DATABASE), this::end);
    }

    private Reply list(Session session, Request request) {
        var parameters = new QueryParameters(request);
        var isWanted = parameters.searchFilter();
        parameters.check();
        var open = db.call(tx -> SessionStore.list(tx, session.account(), clock.instant()));
        return Reply.ok(
                JsonObject.items(
                        open.stream()
                                .filter(found ->
                                        isWanted.test(found.address() + ' ' + found.userAgent()))
                                .map(found -> json(found, session.id()))
                                .toList()));
    }

    private static JsonObject json(SessionStore.OpenSession session, UUID current) {
        return new JsonObject()
                .put("id", session.id())
                .put("is_current", session.id().equals(current))
                .put("address", session.address())
                .put("user_agent", session.userAgent())
                .put("created_at", session.createdAt())
                .put("last_seen_at", session.lastSeenAt());
    }

    private Reply end(Session session, Request request) {
        var id = request.id("session");
        db.run(tx -> {
            if (!SessionStore.end(tx, session.account(), id)) {
                throw ApiException.notFound("session");
            }
            authenticator
                    .trail(request, session)
                    .recordOfPerson(tx, session.account(), "person.session_ended");
        });
        return Reply.noContent();
    }
}
