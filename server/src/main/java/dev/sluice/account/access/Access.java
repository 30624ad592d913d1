package dev.sluice.account.access;

import dev.sluice.account.plan.PlanCatalog;
import dev.sluice.account.workspace.WorkspaceId;
import dev.sluice.account.workspace.WorkspaceStore;
import dev.sluice.platform.db.Db;
import dev.sluice.platform.db.Tx;
import dev.sluice.platform.http.ApiException;
import dev.sluice.platform.http.ErrorStatus;
import dev.sluice.platform.http.Header;
import dev.sluice.platform.http.Reply;
import dev.sluice.platform.http.Request;
import dev.sluice.platform.http.Router;
import dev.sluice.platform.json.JsonObject;

import java.time.Duration;
import java.time.InstantSource;
import java.util.Optional;
import java.util.UUID;

/// Finds out who is asking. A key is looked up on every request, so a deleted one ends at once.
public final class Access {

    private static final Duration USE_IS_NOTED_EVERY = Duration.ofMinutes(1);
    private static final String SCHEME = "Bearer ";

    private record Found(UUID key, WorkspaceId workspace, String plan, boolean isUseNoted) {}

    /// A request whose key is known.
    private record Counted(Caller caller, Optional<RequestBudget.Standing> standing) {}

    private final Db db;
    private final RequestBudget budget;
    private final InstantSource clock;

    public Access(Db db, PlanCatalog plans, InstantSource clock) {
        this.db = db;
        this.budget = new RequestBudget(plans);
        this.clock = clock;
    }

    /// Counts the request against its workspace's budget; to be called once, before anything else
    /// is done for it.
    ///
    /// @throws ApiException 401 when the request names no known key, 429 when the budget is used up
    public Caller caller(Request request) {
        String header = request.header("Authorization").orElse("");
        if (!header.regionMatches(true, 0, SCHEME, 0, SCHEME.length())) {
            throw unauthorized("Send an API key as Authorization: Bearer <key>.");
        }
        byte[] hash = ApiKey.hash(header.substring(SCHEME.length()).strip());
        var counted =
                db.call(tx -> find(tx, hash))
                        .orElseThrow(() -> unauthorized("The API key is not known."));
        counted.standing()
                .ifPresent(standing -> {
                    request.answerWith(standing.headers());
                    if (standing.isOver()) {
                        throw standing.refusal();
                    }
                });
        return counted.caller();
    }

    private Optional<Counted> find(Tx tx, byte[] hash) {
        var now = clock.instant();
        var found =
                tx.one(
                        """
                        select api_key.id, workspace_id, plan,
                               coalesce(last_used_at > ?, false) as is_use_noted
                          from api_key
                          join workspace on workspace.id = workspace_id
                         where hash = ?
                        """,
                        row ->
                                new Found(
                                        row.uuid("id"),
                                        new WorkspaceId(row.uuid("workspace_id")),
                                        row.text("plan"),
                                        row.bool("is_use_noted")),
                        now.minus(USE_IS_NOTED_EVERY),
                        hash);
        found.filter(key -> !key.isUseNoted())
                .ifPresent(key ->
                        tx.update(
                                "update api_key set last_used_at = ? where id = ?",
                                now,
                                key.key()));
        return found.map(key ->
                new Counted(
                        new Caller(key.workspace()),
                        budget.spend(tx, key.workspace(), key.plan(), now)));
    }

    private static ApiException unauthorized(String message) {
        return new ApiException(ErrorStatus.UNAUTHORIZED, message)
                .with(new Header("WWW-Authenticate", "Bearer"));
    }

    /// `GET /api/v1/me`.
    public void addTo(Router router) {
        router.get("/api/v1/me", request -> Reply.ok(me(caller(request))));
    }

    private JsonObject me(Caller caller) {
        var workspace = db.call(tx -> WorkspaceStore.find(tx, caller.workspace())).orElseThrow();
        return new JsonObject().put("auth", "api_key").put("workspace", workspace.json());
    }
}
