package dev.sluice.account.plan;

import dev.sluice.platform.db.Tx;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// Stores the plans of the catalog, so that workspaces keep their limits when their plan is removed
/// from the catalog.
public final class PlanStore {

    private static final Logger log = LoggerFactory.getLogger(PlanStore.class);

    /// A plan that at least one workspace has.
    ///
    /// @param definition the plan as it was last stored; empty if it was never stored
    private record UsedPlan(String name, long workspaces, Optional<String> definition) {}

    private PlanStore() {}

    /// Stores the plans that the catalog offers.
    public static void save(Tx tx, PlanCatalog plans, Instant now) {
        for (var plan : plans.offered()) {
            tx.update(
                    """
                    insert into plan (name, definition, updated_at)
                    values (?, ?, ?)
                    on conflict (name)
                       do update set definition = excluded.definition, updated_at = excluded.updated_at
                           where plan.definition <> excluded.definition
                    """,
                    plan.name(),
                    PlanCatalog.text(plan),
                    now);
        }
    }

    /// Returns the catalog, extended with the plans that it no longer offers but that some
    /// workspaces still have. Logs a warning for each such plan. A plan that was never stored or
    /// cannot be read is not added; its workspaces get the limits of the last offered plan.
    public static PlanCatalog withVanished(Tx tx, PlanCatalog plans) {
        var vanished = new ArrayList<Plan>();
        for (var used : usedPlans(tx)) {
            if (plans.find(used.name()).isEmpty()) {
                var known = used.definition().flatMap(PlanStore::parse);
                known.ifPresent(vanished::add);
                log.atWarn()
                        .addKeyValue("plan", used.name())
                        .addKeyValue("workspaces", used.workspaces())
                        .addKeyValue(
                                "limits_of", known.map(Plan::name).orElse(plans.names().getLast()))
                        .log("plan.vanished");
            }
        }
        return plans.withVanished(vanished);
    }

    private static List<UsedPlan> usedPlans(Tx tx) {
        return tx.query(
                """
                select used.plan, used.n, plan.definition
                  from (select plan, count(*) as n
                          from workspace
                         where erased_at is null
                         group by plan) as used
                  left join plan on plan.name = used.plan
                 order by used.plan
                """,
                row ->
                        new UsedPlan(
                                row.text("plan"), row.number("n"), row.textOrNone("definition")));
    }

    private static Optional<Plan> parse(String definition) {
        try {
            return Optional.of(PlanCatalog.parse(definition));
        } catch (IllegalArgumentException e) {
            return Optional.empty();
        }
    }
}
