package dev.sluice.account.members;

import dev.sluice.account.access.Authenticator;
import dev.sluice.account.access.Caller;
import dev.sluice.account.access.CurrentRole;
import dev.sluice.account.access.Gate;
import dev.sluice.account.access.Session;
import dev.sluice.account.changes.AuditTrail;
import dev.sluice.account.workspace.MemberStore;
import dev.sluice.account.workspace.Role;
import dev.sluice.account.workspace.WorkspaceId;
import dev.sluice.account.workspace.WorkspaceStore;
import dev.sluice.platform.db.Db;
import dev.sluice.platform.db.Tx;
import dev.sluice.platform.http.ApiErrorCode;
import dev.sluice.platform.http.ApiException;
import dev.sluice.platform.http.EntityTag;
import dev.sluice.platform.http.Request;

import java.util.Optional;
import java.util.Set;
import java.util.UUID;

/// Checks whether the caller of a request may use the workspace named in the request's path.
///
/// A person who is not a member gets 404, as if the workspace did not exist. A member whose role is
/// too low gets 403.
public final class WorkspaceAccess {

    /// A person's session, and the person's role in the workspace named in the path.
    ///
    /// @param trail records the person's changes in the audit log
    public record Access(
            WorkspaceId workspace, UUID account, UUID session, Role role, AuditTrail trail) {

        /// Records a change by the person in the workspace's audit log.
        public void record(Tx tx, String action, UUID target, String name, Set<String> fields) {
            trail.record(tx, workspace, action, target, name, fields);
        }

        /// @throws ApiException 403 if the role does not include `required`
        public Access require(Role required) {
            CurrentRole.require(role, required);
            return this;
        }

        /// Checks the role once more, in the transaction that makes the change. Locks the workspace
        /// until the transaction ends, so that the role cannot change before then. Returns a copy
        /// of this access with the person's current role.
        ///
        /// @throws ApiException 404 if the person is no longer a member, 403 if the role no longer
        ///   includes `required`
        public Access lock(Tx tx, Role required) {
            var now =
                    CurrentRole.lock(tx, workspace, account).orElseThrow(WorkspaceAccess::notFound);
            return new Access(workspace, account, session, now, trail).require(required);
        }
    }

    private final Db db;
    private final Authenticator authenticator;

    public WorkspaceAccess(Db db, Authenticator authenticator) {
        this.db = db;
        this.authenticator = authenticator;
    }

    /// Admits the members of the workspace whose `{id}` is in the path, signed in. API keys get
    /// 403, and people who are not members get 404. The workspace may be suspended.
    public Gate<Access> member() {
        return Gate.PERSON.then(
                (session, request) -> access(session, request, membership(session, request)));
    }

    /// Admits what [#member] admits if the role includes `required` and the workspace is not
    /// suspended; others get 403.
    public Gate<Access> atLeast(Role required) {
        return Gate.PERSON.then((session, request) -> {
            var membership = membership(session, request);
            Authenticator.requireActive(membership.workspace().suspension());
            return access(session, request, membership).require(required);
        });
    }

    private MemberStore.Membership membership(Session session, Request request) {
        var workspace = new WorkspaceId(request.id("workspace"));
        return db.call(tx -> MemberStore.membership(tx, workspace, session.account()))
                .orElseThrow(WorkspaceAccess::notFound);
    }

    private Access access(Session session, Request request, MemberStore.Membership membership) {
        return new Access(
                membership.workspace().id(),
                session.account(),
                session.id(),
                membership.role(),
                authenticator.trail(request, session));
    }

    /// Admits callers who may read the members and invites of the workspace whose `{id}` is in the
    /// path. For an API key, what counts is the current role of the person who created the key. The
    /// answer is 403 if the signed-in person, or the key's creator, is not an admin or owner, or if
    /// the key has no creator; it is 404 if the signed-in person is not a member, or if the key
    /// belongs to another workspace.
    Gate<WorkspaceId> adminRead() {
        return Gate.either(
                Gate.MEMBER.then(this::ofAdminsKey),
                atLeast(Role.ADMIN).then((access, _) -> access.workspace()));
    }

    private WorkspaceId ofAdminsKey(Caller caller, Request request) {
        var workspace = new WorkspaceId(request.id("workspace"));
        if (!caller.workspace().equals(workspace)) {
            throw notFound();
        }
        if (caller.account()
                .flatMap(id -> role(workspace, id))
                .filter(role -> role.includes(Role.ADMIN))
                .isEmpty()) {
            throw new ApiException(
                    ApiErrorCode.FORBIDDEN,
                    "This needs an API key whose creator is an admin or owner of the workspace.");
        }
        return workspace;
    }

    private Optional<Role> role(WorkspaceId workspace, UUID account) {
        return db.call(tx -> MemberStore.role(tx, workspace, account));
    }

    /// Returns a workspace's current entity tag.
    ///
    /// @throws ApiException 404 if the workspace was deleted
    public static EntityTag tag(Tx tx, WorkspaceId workspace) {
        return WorkspaceStore.tag(tx, workspace).orElseThrow(WorkspaceAccess::notFound);
    }

    /// Returns the 404 error for a workspace that does not exist, or that the person does not
    /// belong to.
    public static ApiException notFound() {
        return ApiException.notFound("workspace");
    }
}
