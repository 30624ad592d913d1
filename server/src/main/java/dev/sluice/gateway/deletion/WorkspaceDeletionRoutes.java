package dev.sluice.gateway.deletion;

import dev.sluice.account.access.Api;
import dev.sluice.account.access.Budget;
import dev.sluice.account.members.WorkspaceAccess;
import dev.sluice.account.workspace.Role;
import dev.sluice.gateway.ConfigurationWriter;
import dev.sluice.platform.http.Reply;
import dev.sluice.platform.http.Request;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.time.InstantSource;
import java.util.Set;

/// The route `DELETE /api/v1/workspaces/{id}`, which lets an owner delete a workspace.
public final class WorkspaceDeletionRoutes {

    private static final Logger log = LoggerFactory.getLogger(WorkspaceDeletionRoutes.class);

    private final WorkspaceAccess access;
    private final WorkspaceDeletion deletion;
    private final ConfigurationWriter configuration;
    private final InstantSource clock;

    public WorkspaceDeletionRoutes(
            WorkspaceAccess access,
            WorkspaceDeletion deletion,
            ConfigurationWriter configuration,
            InstantSource clock) {
        this.access = access;
        this.deletion = deletion;
        this.configuration = configuration;
        this.clock = clock;
    }

    public void addTo(Api api) {
        api.delete(
                "/api/v1/workspaces/{id}",
                access.atLeast(Role.OWNER),
                Set.of(Budget.DATABASE),
                this::delete);
    }

    private Reply delete(WorkspaceAccess.Access who, Request request) {
        var condition = request.ifMatch();
        configuration.write((tx, version) -> {
            who.lock(tx, Role.OWNER);
            condition.require(WorkspaceAccess.tag(tx, who.workspace()), "workspace");
            deletion.delete(tx, who.workspace(), clock.instant(), version);
            return true;
        });
        log.atInfo()
                .addKeyValue("workspace_id", who.workspace())
                .addKeyValue("account_id", who.account())
                .log("workspace.deleted");
        return Reply.noContent();
    }
}
