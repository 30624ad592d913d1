package dev.sluice.account.members;

import dev.sluice.account.access.Api;
import dev.sluice.account.access.Budget;
import dev.sluice.account.access.SessionStore;
import dev.sluice.account.workspace.InviteStore;
import dev.sluice.account.workspace.MemberStore;
import dev.sluice.account.workspace.MemberStore.Member;
import dev.sluice.account.workspace.Role;
import dev.sluice.account.workspace.WorkspaceId;
import dev.sluice.account.workspace.WorkspaceStore;
import dev.sluice.platform.db.Db;
import dev.sluice.platform.db.Tx;
import dev.sluice.platform.http.ApiErrorCode;
import dev.sluice.platform.http.ApiException;
import dev.sluice.platform.http.QueryParameters;
import dev.sluice.platform.http.Reply;
import dev.sluice.platform.http.Request;
import dev.sluice.platform.json.FieldReader;
import dev.sluice.platform.json.JsonObject;

import java.io.IOException;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;

/// The HTTP endpoints for the members of a workspace: listing members, changing a member's role,
/// removing a member, leaving, and transferring ownership.
///
/// A workspace always has an owner. Admins can change members and other admins, but not owners, and
/// cannot make anyone an owner.
public final class MemberRoutes {

    private static final String NO_ROOM_REMEDY =
            "The member must delete or transfer one first, or choose another member.";

    private static final Map<String, Role> ROLES =
            Map.of("owner", Role.OWNER, "admin", Role.ADMIN, "member", Role.MEMBER);

    private final Db db;
    private final WorkspaceAccess access;

    public MemberRoutes(Db db, WorkspaceAccess access) {
        this.db = db;
        this.access = access;
    }

    public void addTo(Api api) {
        api.get(
                "/api/v1/workspaces/{id}/members",
                access.adminRead(),
                Set.of(Budget.DATABASE),
                this::list);
        api.patch(
                "/api/v1/workspaces/{id}/members/{user_id}",
                access.atLeast(Role.ADMIN),
                Set.of(Budget.DATABASE),
                this::changeRole);
        api.delete(
                "/api/v1/workspaces/{id}/members/{user_id}",
                access.atLeast(Role.ADMIN),
                Set.of(Budget.DATABASE),
                this::remove);
        api.post(
                "/api/v1/workspaces/{id}/leave",
                access.member(),
                Set.of(Budget.DATABASE),
                this::leave);
        api.post(
                "/api/v1/workspaces/{id}/transfer",
                access.atLeast(Role.OWNER),
                Set.of(Budget.DATABASE),
                this::transfer);
    }

    private Reply list(WorkspaceId workspace, Request request) {
        var query = new QueryParameters(request);
        var isWanted = query.searchFilter();
        query.check();
        var members = db.call(tx -> MemberStore.members(tx, workspace));
        return Reply.ok(
                JsonObject.items(
                        members.stream()
                                .filter(member ->
                                        isWanted.test(member.name())
                                                || isWanted.test(member.email()))
                                .map(MemberRoutes::json)
                                .toList()));
    }

    private static JsonObject json(Member member) {
        return new JsonObject()
                .put("user_id", member.account())
                .put("email", member.email())
                .put("name", member.name())
                .put("role", member.role().text())
                .put("created_at", member.since());
    }

    private Reply changeRole(WorkspaceAccess.Access who, Request request) throws IOException {
        UUID target = target(request);
        var input = request.jsonBody();
        var role = input.required("role", input.oneOf("role", ROLES));
        input.check();
        Role next = role.orElse(Role.MEMBER);
        var changed =
                db.call(tx -> {
                    var present = who.lock(tx, Role.ADMIN);
                    Role before = role(tx, who.workspace(), target);
                    if (before == Role.OWNER || next == Role.OWNER) {
                        present.require(Role.OWNER);
                    }
                    if (before == Role.OWNER && next != Role.OWNER) {
                        requireOtherOwner(tx, who.workspace(), target);
                    }
                    setRole(tx, who.workspace(), target, before, next);
                    who.record(tx, "member.role_changed", target, "", Set.of("role"));
                    return member(tx, who.workspace(), target);
                });
        return Reply.ok(json(changed));
    }

    private Reply remove(WorkspaceAccess.Access who, Request request) {
        UUID target = target(request);
        db.run(tx -> {
            var present = who.lock(tx, Role.ADMIN);
            present.require(
                    role(tx, who.workspace(), target) == Role.OWNER ? Role.OWNER : Role.ADMIN);
            endMembership(tx, who.workspace(), target);
            SessionStore.endIn(tx, who.workspace(), target);
            who.record(tx, "member.removed", target, "", Set.of());
        });
        return Reply.noContent();
    }

    private Reply leave(WorkspaceAccess.Access who, Request request) {
        db.run(tx -> {
            WorkspaceStore.lock(tx, who.workspace());
            endMembership(tx, who.workspace(), who.account());
            SessionStore.moveOut(tx, who.workspace(), who.account());
            who.record(tx, "member.left", who.account(), "", Set.of());
        });
        return Reply.noContent();
    }

    /// Makes another member an owner; the caller becomes an admin.
    private Reply transfer(WorkspaceAccess.Access who, Request request) throws IOException {
        var input = request.jsonBody();
        var target = input.required("user_id", input.uuid("user_id"));
        input.check();
        UUID next = target.orElse(who.account());
        db.run(tx -> {
            who.lock(tx, Role.OWNER);
            var before =
                    MemberStore.role(tx, who.workspace(), next)
                            .orElseThrow(() -> ApiException.notFound("member", "user_id"));
            setRole(tx, who.workspace(), who.account(), Role.OWNER, Role.ADMIN);
            setRole(tx, who.workspace(), next, before, Role.OWNER);
            who.record(tx, "workspace.transferred", next, "", Set.of());
        });
        return Reply.noContent();
    }

    /// Removes a member, and deletes the invites to this workspace that the person created. Throws
    /// 409 if the person is the last owner.
    private static void endMembership(Tx tx, WorkspaceId workspace, UUID account) {
        if (MemberStore.role(tx, workspace, account).equals(Optional.of(Role.OWNER))) {
            requireOtherOwner(tx, workspace, account);
        }
        MemberStore.delete(tx, workspace, account);
        InviteStore.deleteBy(tx, workspace, account);
    }

    private static void requireOtherOwner(Tx tx, WorkspaceId workspace, UUID account) {
        if (!MemberStore.hasOtherOwner(tx, workspace, account)) {
            throw new ApiException(
                    ApiErrorCode.CONFLICT,
                    "A workspace needs an owner. Transfer the workspace to another member first.");
        }
    }

    /// Changes a member's role. Deletes the invites that the member may no longer give.
    ///
    /// Throws 409 if a new owner already owns the maximum number of workspaces. Throws 404 if the
    /// person is no longer a member: an account that is being deleted leaves its workspaces.
    private static void setRole(
            Tx tx, WorkspaceId workspace, UUID account, Role before, Role next) {
        if (before != Role.OWNER && next == Role.OWNER) {
            OwnedWorkspaces.requireRoom(tx, account, NO_ROOM_REMEDY);
        }
        if (!MemberStore.setRole(tx, workspace, account, next)) {
            throw ApiException.notFound("member");
        }
        InviteStore.deleteExceeding(tx, workspace, account, next);
    }

    private static Role role(Tx tx, WorkspaceId workspace, UUID account) {
        return MemberStore.role(tx, workspace, account)
                .orElseThrow(() -> ApiException.notFound("member"));
    }

    private static Member member(Tx tx, WorkspaceId workspace, UUID account) {
        return MemberStore.members(tx, workspace).stream()
                .filter(member -> member.account().equals(account))
                .findFirst()
                .orElseThrow(() -> ApiException.notFound("member"));
    }

    private static UUID target(Request request) {
        try {
            return FieldReader.parseUuid(request.pathParameter("user_id"));
        } catch (IllegalArgumentException e) {
            throw ApiException.notFound("member");
        }
    }
}
