package dev.sluice.account.members;

import dev.sluice.account.access.AccountStore;
import dev.sluice.account.access.Authenticator;
import dev.sluice.account.access.Caller.Identity;
import dev.sluice.account.access.SessionStore;
import dev.sluice.account.workspace.MemberStore;
import dev.sluice.account.workspace.MemberStore.Membership;
import dev.sluice.account.workspace.Role;
import dev.sluice.account.workspace.Workspace;
import dev.sluice.account.workspace.WorkspaceId;
import dev.sluice.account.workspace.WorkspaceStore;
import dev.sluice.platform.db.Db;
import dev.sluice.platform.db.Tx;
import dev.sluice.platform.http.ApiErrorCode;
import dev.sluice.platform.http.ApiException;
import dev.sluice.platform.http.Reply;
import dev.sluice.platform.http.Request;
import dev.sluice.platform.http.Router;
import dev.sluice.platform.id.Uuid7;
import dev.sluice.platform.json.JsonObject;

import java.io.IOException;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;

/// The routes under `/api/v1/workspaces` that concern the workspace itself: list, create, rename
/// and switch.
public final class WorkspaceRoutes {

    private static final int MAX_OWNED_WORKSPACES = 200;

    private final Db db;
    private final Authenticator authenticator;
    private final WorkspaceAccess access;
    private final String firstPlan;
    private final Uuid7 ids;
    private final InstantSource clock;

    public WorkspaceRoutes(
            Db db,
            Authenticator authenticator,
            WorkspaceAccess access,
            String firstPlan,
            Uuid7 ids,
            InstantSource clock) {
        this.db = db;
        this.ids = ids;
        this.clock = clock;
        this.authenticator = authenticator;
        this.access = access;
        this.firstPlan = firstPlan;
    }

    public void addTo(Router router) {
        router.get("/api/v1/workspaces", this::list);
        router.post("/api/v1/workspaces", this::create);
        router.patch("/api/v1/workspaces/{id}", this::rename);
        router.post("/api/v1/workspaces/{id}/switch", this::switchTo);
    }

    /// Lists the workspaces of the person, or of the person who created the key.
    private Reply list(Request request) {
        Optional<UUID> account =
                request.header("Authorization").isEmpty()
                        ? Optional.of(authenticator.session(request).account())
                        : switch (authenticator.authenticate(request).identity()) {
                            case Identity.KeyIdentity key -> key.createdBy();
                            case Identity.SessionIdentity session -> Optional.of(session.account());
                        };
        var memberships =
                account.map(id -> db.call(tx -> MemberStore.memberships(tx, id))).orElse(List.of());
        return Reply.ok(JsonObject.items(memberships.stream().map(WorkspaceRoutes::json).toList()));
    }

    private static JsonObject json(Membership membership) {
        return membership.workspace().json().put("role", membership.role().text());
    }

    private Reply create(Request request) throws IOException {
        var session = authenticator.session(request);
        String name = name(request);
        var workspace = new Workspace(new WorkspaceId(ids.next()), name, firstPlan);
        db.run(tx -> {
            requireRoom(tx, session.account());
            WorkspaceStore.create(tx, workspace, clock.instant());
            MemberStore.insert(tx, workspace.id(), session.account(), Role.OWNER, clock.instant());
            authenticator
                    .trail(request, session)
                    .record(
                            tx,
                            workspace.id(),
                            "workspace.created",
                            workspace.id().value(),
                            name,
                            Set.of("name"));
        });
        return Reply.created(json(new Membership(workspace, Role.OWNER)));
    }

    /// Each workspace has a share of the server and a quota of its own, so nobody may have any
    /// number of them.
    private static void requireRoom(Tx tx, UUID account) {
        AccountStore.lock(tx, account);
        long owned =
                MemberStore.memberships(tx, account).stream()
                        .filter(membership -> membership.role() == Role.OWNER)
                        .count();
        if (owned >= MAX_OWNED_WORKSPACES) {
            throw new ApiException(
                    ApiErrorCode.CONFLICT,
                    "A person owns at most "
                            + MAX_OWNED_WORKSPACES
                            + " workspaces. Delete or transfer one first.");
        }
    }

    private Reply rename(Request request) throws IOException {
        var who = access.ofSession(request).require(Role.ADMIN);
        String name = name(request);
        var renamed =
                db.call(tx -> {
                    WorkspaceStore.rename(tx, who.workspace(), name, clock.instant());
                    who.record(
                            tx, "workspace.renamed", who.workspace().value(), name, Set.of("name"));
                    return WorkspaceStore.find(tx, who.workspace()).orElseThrow();
                });
        return Reply.ok(json(new Membership(renamed, who.role())));
    }

    private static String name(Request request) throws IOException {
        var input = request.jsonBody();
        var name = input.required("name", input.visibleText("name", 1, 100));
        input.check();
        return name.orElse("");
    }

    private Reply switchTo(Request request) {
        var who = access.ofSession(request);
        var workspace =
                db.call(tx -> {
                    SessionStore.switchTo(tx, who.session(), who.workspace());
                    return WorkspaceStore.find(tx, who.workspace()).orElseThrow();
                });
        return Reply.ok(json(new Membership(workspace, who.role())));
    }
}
