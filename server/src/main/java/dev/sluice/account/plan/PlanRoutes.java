package dev.sluice.account.plan;

import dev.sluice.platform.http.Reply;
import dev.sluice.platform.http.Router;

/// `GET /api/v1/plans`: public.
public final class PlanRoutes {

    private PlanRoutes() {}

    public static void addTo(Router router, PlanCatalog plans) {
        router.get("/api/v1/plans", _ -> Reply.ok(plans.json()));
    }
}
