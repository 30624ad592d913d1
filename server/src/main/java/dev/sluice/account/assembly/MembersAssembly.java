package dev.sluice.account.assembly;

import dev.sluice.account.access.Api;
import dev.sluice.account.access.ApiContext;
import dev.sluice.account.idempotency.IdempotencyKeys;
import dev.sluice.account.members.AuditLogRoutes;
import dev.sluice.account.members.InviteMailer;
import dev.sluice.account.members.InviteRoutes;
import dev.sluice.account.members.MemberRoutes;
import dev.sluice.account.members.WorkspaceAccess;
import dev.sluice.account.members.WorkspaceRoutes;
import dev.sluice.account.plan.PlanCatalog;
import dev.sluice.platform.secret.SecretGenerator;

/// Builds the routes for workspaces, their members, invites and the audit log.
final class MembersAssembly {

    private final WorkspaceRoutes workspaces;
    private final MemberRoutes members;
    private final InviteRoutes invites;
    private final AuditLogRoutes auditLog;

    /// @param plans the plan catalog; a new workspace gets the catalog's first plan
    MembersAssembly(
            ApiContext api,
            IdempotencyKeys idempotency,
            InviteMailer inviteMailer,
            PlanCatalog plans,
            SecretGenerator random) {
        var db = api.db();
        var authenticator = api.authenticator();
        var ids = api.ids();
        var clock = api.clock();
        var access = new WorkspaceAccess(db, authenticator);
        String firstPlan = plans.names().getFirst();
        workspaces =
                new WorkspaceRoutes(db, authenticator, access, idempotency, firstPlan, ids, clock);
        members = new MemberRoutes(db, access);
        auditLog = new AuditLogRoutes(db);
        invites =
                new InviteRoutes(
                        db, authenticator, access, idempotency, inviteMailer, ids, random, clock);
    }

    void addTo(Api api) {
        workspaces.addTo(api);
        members.addTo(api);
        invites.addTo(api);
        auditLog.addTo(api);
    }
}
