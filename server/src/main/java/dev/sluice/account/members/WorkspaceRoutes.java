package dev.sluice.account.members;

import dev.sluice.account.access.Api;
import dev.sluice.account.access.Authenticator;
import dev.sluice.account.access.Budget;
import dev.sluice.account.access.Gate;
import dev.sluice.account.access.Session;
import dev.sluice.account.access.SessionStore;
import dev.sluice.account.changes.AuditTrail;
import dev.sluice.account.idempotency.AnswerKeeper;
import dev.sluice.account.idempotency.IdempotencyKeys;
import dev.sluice.account.members.WorkspaceAccess.Access;
import dev.sluice.account.workspace.MemberStore;
import dev.sluice.account.workspace.MemberStore.Membership;
import dev.sluice.account.workspace.Role;
import dev.sluice.account.workspace.Workspace;
import dev.sluice.account.workspace.WorkspaceId;
import dev.sluice.account.workspace.WorkspaceStore;
import dev.sluice.platform.db.Db;
import dev.sluice.platform.db.Tx;
import dev.sluice.platform.http.QueryParameters;
import dev.sluice.platform.http.Reply;
import dev.sluice.platform.http.Request;
import dev.sluice.platform.id.Uuid7;
import dev.sluice.platform.json.FieldReader;
import dev.sluice.platform.json.JsonObject;

import java.io.IOException;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;

/// The HTTP endpoints under `/api/v1/workspaces` that concern the workspaces themselves: list,
/// create, get, rename and switch. The endpoints for members, invites, plans and deletion are in
/// other classes.
public final class WorkspaceRoutes {

    /// The person who is signed in, or who created the API key; empty if the key has no creator.
    private static final Gate<Optional<UUID>> ACCOUNT =
            Gate.either(
                    Gate.MEMBER_EVEN_IF_SUSPENDED.then((caller, _) -> caller.account()),
                    Gate.PERSON.then((session, _) -> Optional.of(session.account())));

    private final Db db;
    private final Authenticator authenticator;
    private final WorkspaceAccess access;
    private final IdempotencyKeys idempotency;
    private final String firstPlan;
    private final Uuid7 ids;
    private final InstantSource clock;

    public WorkspaceRoutes(
            Db db,
            Authenticator authenticator,
            WorkspaceAccess access,
            IdempotencyKeys idempotency,
            String firstPlan,
            Uuid7 ids,
            InstantSource clock) {
        this.db = db;
        this.ids = ids;
        this.clock = clock;
        this.authenticator = authenticator;
        this.access = access;
        this.idempotency = idempotency;
        this.firstPlan = firstPlan;
    }

    public void addTo(Api api) {
        api.get("/api/v1/workspaces", ACCOUNT, Set.of(Budget.DATABASE), this::list);
        api.post("/api/v1/workspaces", Gate.PERSON, Set.of(Budget.DATABASE), this::create);
        api.get("/api/v1/workspaces/{id}", access.member(), Set.of(Budget.DATABASE), this::get);
        api.patch(
                "/api/v1/workspaces/{id}",
                access.atLeast(Role.ADMIN),
                Set.of(Budget.DATABASE),
                this::rename);
        api.post(
                "/api/v1/workspaces/{id}/switch",
                access.member(),
                Set.of(Budget.DATABASE),
                this::switchTo);
    }

    /// Lists the workspaces of the person who is signed in, or of the person who created the API
    /// key. The list is empty if the key has no creator.
    private Reply list(Optional<UUID> account, Request request) {
        var query = new QueryParameters(request);
        var isWanted = query.searchFilter();
        query.check();
        var memberships =
                account.map(id -> db.call(tx -> MemberStore.memberships(tx, id))).orElse(List.of());
        return Reply.ok(
                JsonObject.items(
                        memberships.stream()
                                .filter(membership -> isWanted.test(membership.workspace().name()))
                                .map(WorkspaceRoutes::json)
                                .toList()));
    }

    private static JsonObject json(Membership membership) {
        return membership.workspace().json().put("role", membership.role().text());
    }

    private Reply create(Session session, Request request) throws IOException {
        var input = request.jsonBody();
        return idempotency.answer(
                request,
                session.account(),
                keeper -> create(session, authenticator.trail(request, session), input, keeper));
    }

    private Reply create(
            Session session, AuditTrail trail, FieldReader input, AnswerKeeper keeper) {
        String name = name(input);
        var workspace = new Workspace(new WorkspaceId(ids.next()), name, firstPlan);
        return db.call(tx -> {
            OwnedWorkspaces.requireRoom(tx, session.account(), "Delete or transfer one first.");
            WorkspaceStore.create(tx, workspace, clock.instant());
            MemberStore.insert(tx, workspace.id(), session.account(), Role.OWNER, clock.instant());
            trail.record(
                    tx,
                    workspace.id(),
                    "workspace.created",
                    workspace.id().value(),
                    name,
                    Set.of("name"));
            return keeper.keep(
                    tx,
                    Reply.created(
                                    "/api/v1/workspaces/" + workspace.id(),
                                    json(new Membership(workspace, Role.OWNER)))
                            .with(WorkspaceAccess.tag(tx, workspace.id())));
        });
    }

    private Reply get(WorkspaceAccess.Access who, Request request) {
        return db.call(tx -> present(tx, who));
    }

    /// Returns the workspace as it is now, with its entity tag.
    private static Reply present(Tx tx, Access who) {
        var workspace =
                WorkspaceStore.find(tx, who.workspace()).orElseThrow(WorkspaceAccess::notFound);
        return Reply.ok(json(new Membership(workspace, who.role())))
                .with(WorkspaceAccess.tag(tx, who.workspace()));
    }

    private Reply rename(WorkspaceAccess.Access who, Request request) throws IOException {
        var condition = request.ifMatch();
        String name = name(request.jsonBody());
        return db.call(tx -> {
            long version = WorkspaceStore.nextConfigVersion(tx); // makes other changes wait
            var present = who.lock(tx, Role.ADMIN);
            condition.require(WorkspaceAccess.tag(tx, who.workspace()), "workspace");
            WorkspaceStore.rename(tx, who.workspace(), name, clock.instant(), version);
            who.record(tx, "workspace.renamed", who.workspace().value(), name, Set.of("name"));
            return present(tx, present);
        });
    }

    private static String name(FieldReader input) {
        var name = input.required("name", input.name("name", 1, 100));
        input.check();
        return name.orElse("");
    }

    private Reply switchTo(WorkspaceAccess.Access who, Request request) {
        return db.call(tx -> {
            SessionStore.switchTo(tx, who.session(), who.workspace());
            return present(tx, who);
        });
    }
}
