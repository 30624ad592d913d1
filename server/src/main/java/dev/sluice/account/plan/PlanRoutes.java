package dev.sluice.account.plan;

import dev.sluice.platform.http.Reply;
import dev.sluice.platform.http.Router;

/// The public route `GET /api/v1/plans`, which needs no API key.
public final class PlanRoutes {

    private PlanRoutes() {}

    public static void addTo(Router router, PlanCatalog plans) {
        router.get("/api/v1/plans", _ -> Reply.ok(plans.json()));
    }
}
