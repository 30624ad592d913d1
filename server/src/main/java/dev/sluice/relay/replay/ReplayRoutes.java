package dev.sluice.relay.replay;

import dev.sluice.account.access.Access;
import dev.sluice.platform.db.Db;
import dev.sluice.platform.http.ApiException;
import dev.sluice.platform.http.ErrorStatus;
import dev.sluice.platform.http.Page;
import dev.sluice.platform.http.Query;
import dev.sluice.platform.http.Reply;
import dev.sluice.platform.http.Request;
import dev.sluice.platform.http.Router;
import dev.sluice.platform.json.JsonObject;

import java.time.InstantSource;

/// `/api/v1/replays`: the bulk resends that are jobs.
public final class ReplayRoutes {

    private final Db db;
    private final Access access;
    private final InstantSource clock;

    public ReplayRoutes(Db db, Access access, InstantSource clock) {
        this.db = db;
        this.access = access;
        this.clock = clock;
    }

    public void addTo(Router router) {
        router.get("/api/v1/replays", this::list);
        router.get("/api/v1/replays/{id}", this::get);
        router.post("/api/v1/replays/{id}/cancel", this::cancel);
    }

    private Reply list(Request request) {
        var caller = access.caller(request);
        var query = new Query(request);
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
        var caller = access.caller(request);
        var id = request.id("replay");
        return db.call(tx -> ReplayStore.find(tx, caller.workspace(), id))
                .map(replay -> Reply.ok(replay.json()))
                .orElseThrow(() -> ApiException.notFound("replay"));
    }

    /// What was created goes on.
    private Reply cancel(Request request) {
        var caller = access.caller(request);
        var id = request.id("replay");
        return db.call(tx -> {
            var cancelled = ReplayStore.cancel(tx, caller.workspace(), id, clock.instant());
            if (cancelled.isPresent()) {
                return Reply.ok(cancelled.get().json());
            }
            if (ReplayStore.find(tx, caller.workspace(), id).isEmpty()) {
                throw ApiException.notFound("replay");
            }
            throw new ApiException(
                    ErrorStatus.CONFLICT,
                    "The replay is finished already: nothing is left to cancel.");
        });
    }
}
