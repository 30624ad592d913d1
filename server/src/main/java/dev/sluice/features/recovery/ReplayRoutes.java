package dev.sluice.features.recovery;

import dev.sluice.account.access.Api;
import dev.sluice.account.access.Budget;
import dev.sluice.account.access.Caller;
import dev.sluice.account.access.Gate;
import dev.sluice.platform.db.Db;
import dev.sluice.platform.http.ApiErrorCode;
import dev.sluice.platform.http.ApiException;
import dev.sluice.platform.http.Page;
import dev.sluice.platform.http.QueryParameters;
import dev.sluice.platform.http.Reply;
import dev.sluice.platform.http.Request;
import dev.sluice.platform.json.JsonObject;
import dev.sluice.platform.loop.Wake;

import java.io.IOException;
import java.time.InstantSource;
import java.util.Set;

/// `/api/v1/replays`: lists, shows, pauses, resumes and cancels bulk resends that run as jobs, and
/// changes their rate limits.
public final class ReplayRoutes {

    private final Db db;
    private final Wake replays;
    private final InstantSource clock;

    /// @param replays called when a job has been paused or resumed
    public ReplayRoutes(Db db, Wake replays, InstantSource clock) {
        this.db = db;
        this.replays = replays;
        this.clock = clock;
    }

    public void addTo(Api api) {
        api.get("/api/v1/replays", Gate.MEMBER, Set.of(Budget.DATABASE), this::list);
        api.get("/api/v1/replays/{id}", Gate.MEMBER, Set.of(Budget.DATABASE), this::get);
        api.patch("/api/v1/replays/{id}", Gate.MEMBER, Set.of(Budget.DATABASE), this::update);
        api.post(
                "/api/v1/replays/{id}/pause",
                Gate.MEMBER,
                Set.of(Budget.DATABASE),
                (caller, request) -> setPaused(caller, request, true));
        api.post(
                "/api/v1/replays/{id}/resume",
                Gate.MEMBER,
                Set.of(Budget.DATABASE),
                (caller, request) -> setPaused(caller, request, false));
        api.post("/api/v1/replays/{id}/cancel", Gate.MEMBER, Set.of(Budget.DATABASE), this::cancel);
    }

    private Reply list(Caller caller, Request request) {
        var query = new QueryParameters(request);
        var page = Page.of(query);
        String q = query.searchText().orElse("");
        query.check();
        return db.snapshot(tx -> {
            var replays = ReplayStore.list(tx, caller.workspace(), q, page.offset(), page.limit());
            return Reply.ok(
                    JsonObject.items(replays.stream().map(Replay::json).toList())
                            .put("total", ReplayStore.count(tx, caller.workspace(), q)));
        });
    }

    private Reply get(Caller caller, Request request) {
        var id = request.id("replay");
        return db.call(tx -> ReplayStore.find(tx, caller.workspace(), id))
                .map(replay -> Reply.ok(replay.json()))
                .orElseThrow(() -> ApiException.notFound("replay"));
    }

    /// Changes how many resends the job may create per second; null removes the limit.
    private Reply update(Caller caller, Request request) throws IOException {
        var id = request.id("replay");
        var input = request.jsonBody();
        var perSecond =
                input.integer("per_second", ReplayScope.MIN_PER_SECOND, ReplayScope.MAX_PER_SECOND);
        input.check();
        return db.call(tx -> {
            var replay =
                    ReplayStore.find(tx, caller.workspace(), id)
                            .orElseThrow(() -> ApiException.notFound("replay"));
            if (input.names().isEmpty()) {
                return Reply.ok(replay.json());
            }
            var changed =
                    ReplayStore.setRate(
                            tx,
                            caller.workspace(),
                            id,
                            perSecond.applyTo(replay.scope().perSecond()),
                            clock.instant());
            if (changed.isEmpty()) {
                throw conflict("The replay has already finished; its rate cannot change.");
            }
            caller.record(tx, "replay.updated", id, "", input.names());
            return Reply.ok(changed.get().json());
        });
    }

    /// Pauses or resumes a job. The resends that it has already created are still delivered.
    private Reply setPaused(Caller caller, Request request, boolean isPaused) {
        var id = request.id("replay");
        var reply =
                db.call(tx -> {
                    var found =
                            ReplayStore.find(tx, caller.workspace(), id)
                                    .orElseThrow(() -> ApiException.notFound("replay"));
                    var changed =
                            ReplayStore.setPaused(
                                    tx, caller.workspace(), id, isPaused, clock.instant());
                    if (changed.isEmpty()) {
                        throw conflict(
                                "The replay is "
                                        + found.state().status().text()
                                        + "; only a replay that is "
                                        + (isPaused ? "running" : "paused")
                                        + " can be "
                                        + (isPaused ? "paused." : "resumed."));
                    }
                    caller.record(
                            tx, isPaused ? "replay.paused" : "replay.resumed", id, "", Set.of());
                    return Reply.ok(changed.get().json());
                });
        replays.wake();
        return reply;
    }

    private static ApiException conflict(String message) {
        return new ApiException(ApiErrorCode.CONFLICT, message);
    }

    /// Cancels a job. The resends that it has already created are still delivered.
    private Reply cancel(Caller caller, Request request) {
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
            throw conflict("The replay has already finished; there is nothing to cancel.");
        });
    }
}
