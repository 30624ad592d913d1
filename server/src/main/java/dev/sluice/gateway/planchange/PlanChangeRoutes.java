package dev.sluice.gateway.planchange;

import dev.sluice.account.access.Api;
import dev.sluice.account.access.Budget;
import dev.sluice.account.members.WorkspaceAccess;
import dev.sluice.account.members.WorkspaceAccess.Access;
import dev.sluice.account.plan.Plan;
import dev.sluice.account.plan.PlanCatalog;
import dev.sluice.account.plan.PlanChange;
import dev.sluice.account.plan.PlanChangePolicy;
import dev.sluice.account.workspace.Role;
import dev.sluice.gateway.ConfigurationWriter;
import dev.sluice.platform.db.Tx;
import dev.sluice.platform.http.ApiErrorCode;
import dev.sluice.platform.http.ApiException;
import dev.sluice.platform.http.IfMatch;
import dev.sluice.platform.http.Reply;
import dev.sluice.platform.http.Request;

import java.io.IOException;
import java.time.InstantSource;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;

/// The route `PUT /api/v1/workspaces/{id}/plan`, which lets a workspace's owner change the plan.
/// The request is refused if only the server's operator may change plans. This node applies the new
/// limits before it responds.
public final class PlanChangeRoutes {

    private final WorkspaceAccess access;
    private final PlanCatalog plans;
    private final PlanChangePolicy policy;
    private final ConfigurationWriter configuration;
    private final InstantSource clock;

    public PlanChangeRoutes(
            WorkspaceAccess access,
            PlanCatalog plans,
            PlanChangePolicy policy,
            ConfigurationWriter configuration,
            InstantSource clock) {
        this.access = access;
        this.plans = plans;
        this.policy = policy;
        this.configuration = configuration;
        this.clock = clock;
    }

    public void addTo(Api api) {
        api.put(
                "/api/v1/workspaces/{id}/plan",
                access.atLeast(Role.OWNER),
                Set.of(Budget.DATABASE),
                this::change);
    }

    private Reply change(WorkspaceAccess.Access who, Request request) throws IOException {
        if (policy == PlanChangePolicy.OPERATOR) {
            throw new ApiException(
                    ApiErrorCode.FORBIDDEN,
                    "On this server only the operator changes plans, with `sluice set-plan`.");
        }
        var condition = request.ifMatch();
        var input = request.jsonBody();
        var plan = input.required("plan", input.oneOf("plan", plansByName()));
        var confirm = input.bool("confirm");
        input.rejectNull("confirm", confirm);
        input.check();
        Plan next = plan.toOptional().orElseThrow();
        boolean isConfirmed = confirm.orElse(false);
        return configuration.writeUncapped(
                who.workspace(),
                (tx, version) -> change(tx, version, who, condition, next, isConfirmed));
    }

    private Reply change(
            Tx tx, long version, Access who, IfMatch condition, Plan next, boolean isConfirmed) {
        var present = who.lock(tx, Role.OWNER);
        condition.require(WorkspaceAccess.tag(tx, who.workspace()), "workspace");
        var change =
                PlanChange.apply(
                                tx,
                                plans,
                                who.workspace(),
                                next,
                                isConfirmed,
                                clock.instant(),
                                version)
                        .orElseThrow(WorkspaceAccess::notFound);
        change.recordTo(tx, who.trail());
        return switch (change) {
            case PlanChange.Changed(var workspace) ->
                    Reply.ok(workspace.json().put("role", present.role().text()))
                            .with(WorkspaceAccess.tag(tx, workspace.id()));
            case PlanChange.Unconfirmed unconfirmed ->
                    throw new ApiException(
                            ApiErrorCode.CONFLICT,
                            unconfirmed.message() + " Send \"confirm\": true to change it anyway.");
        };
    }

    private Map<String, Plan> plansByName() {
        return plans.names().stream()
                .collect(
                        Collectors.toMap(
                                Function.identity(), name -> plans.find(name).orElseThrow()));
    }
}
