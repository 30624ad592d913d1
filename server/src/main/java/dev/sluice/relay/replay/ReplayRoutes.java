package dev.sluice.relay.replay;

import dev.sluice.account.access.Authenticator;
import dev.sluice.platform.db.Db;
import dev.sluice.platform.http.ApiErrorCode;
import dev.sluice.platform.http.ApiException;
import dev.sluice.platform.http.Page;
import dev.sluice.platform.http.QueryParameters;
import dev.sluice.platform.http.Reply;
import dev.sluice.platform.http.Request;
import dev.sluice.platform.http.Router;
import dev.sluice.platform.json.JsonObject;

import java.time.InstantSource;
import java.util.Set;

/// `/api/v1/replays`: lists, shows and cancels bulk resends that run as jobs.
public final class ReplayRoutes {

    private final Db db;
    private final Authenticator authenticator;
    private final InstantSource clock;

    public ReplayRoutes(Db db, Authenticator authenticator, InstantSource clock) {
        this.db = db;
        this.authenticator = authenticator;
        this.clock = clock;
    }

    public void addTo(Router router) {
        router.get("/api/v1/replays", this::list);
        router.get("/api/v1/replays/{id}", this::get);
        router.post("/api/v1/replays/{id}/cancel", this::cancel);
    }

    private Reply list(Request request) {
        var caller = authenticator.authenticate(request);
        var query = new QueryParameters(request);
        var page = Page.of(query);
        query.check();
        return db.snapshot(tx -> {
            var replays = ReplayStore.list(tx, caller.workspace(), page.offset(), page.limit());
            return Reply.ok(
                    JsonObject.items(replays.stream().map(Replay::json).toList())
                            .put("total", ReplayStore.count(tx, caller.workspace())));
        });
    }

    private Reply get(Request request) {
        var caller = authenticator.authenticate(request);
        var id = request.id("replay");
        return db.call(tx -> ReplayStore.find(tx, caller.workspace(), id))
                .map(replay -> Reply.ok(replay.json()))
                .orElseThrow(() -> ApiException.notFound("replay"));
    }

    /// Cancels a job. The resends that it has already created are still delivered.
    private Reply cancel(Request request) {
        var caller = authenticator.authenticate(request);
        var id = request.id("replay");
        return db.call(tx -> {
            var cancelled = ReplayStore.cancel(tx, caller.workspace(), id, clock.instant());
            if (cancelled.isPresent()) {
                caller.record(tx, "replay.cancelled", id, "", Set.of());
                return Reply.ok(cancelled.get().json());
            }
            if (ReplayStore.find(tx, caller.workspace(), id).isEmpty()) {
                throw ApiException.notFound("replay");
            }
            throw new ApiException(
                    ApiErrorCode.CONFLICT,
                    "The replay has already finished; there is nothing to cancel.");
        });
    }
}
