package dev.sluice.features.status;

import dev.sluice.account.access.Api;
import dev.sluice.engine.HealthProblem;
import dev.sluice.engine.HealthProblem.Component;
import dev.sluice.platform.db.Db;
import dev.sluice.platform.http.Reply;
import dev.sluice.platform.json.JsonObject;

import java.time.InstantSource;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/// The routes that report whether the service works. They need no API key.
///
/// `GET /api/v1/status` responds with 503 if the service is down. `GET /healthz/ready` responds
/// with the same status code, but without details; it is meant for load balancers. `GET
/// /healthz/live` responds with 200 as long as the process can respond at all. A supervisor that
/// restarts processes should use `live`, because a restart does not repair the database.
///
/// The service is down if the database cannot be reached or the server is shutting down. Otherwise,
/// it is degraded if ingest or delivery does not work, or if there is another problem. Problems are
/// recorded when they occur, so a request costs only one trivial query.
public final class StatusRoutes {

    private final Db db;
    private final BooleanSupplier isIngesting;
    private final BooleanSupplier isDelivering;
    private final BooleanSupplier isStopping;
    private final Supplier<List<HealthProblem>> problems;
    private final InstantSource clock;
    private final String version;
    private final boolean isRegistrationOpen;

    /// @param problems returns the current problems; must not query the database
    /// @param isRegistrationOpen whether anyone may register an account
    public StatusRoutes(
            Db db,
            BooleanSupplier isIngesting,
            BooleanSupplier isDelivering,
            BooleanSupplier isStopping,
            Supplier<List<HealthProblem>> problems,
            InstantSource clock,
            String version,
            boolean isRegistrationOpen) {
        this.db = db;
        this.isIngesting = isIngesting;
        this.isDelivering = isDelivering;
        this.isStopping = isStopping;
        this.problems = problems;
        this.clock = clock;
        this.version = version;
        this.isRegistrationOpen = isRegistrationOpen;
    }

    public void addTo(Api api) {
        api.openGet("/api/v1/status", Set.of(), _ -> status());
        api.openGet("/healthz/live", Set.of(), _ -> health(true));
        api.openGet("/healthz/ready", Set.of(), _ -> health(isUp(db.isReachable())));
    }

    private static Reply health(boolean isUp) {
        return Reply.json(isUp ? 200 : 503, new JsonObject().put("status", isUp ? "ok" : "down"));
    }

    private boolean isUp(boolean database) {
        return database && !isStopping.getAsBoolean();
    }

    private Reply status() {
        boolean database = db.isReachable();
        boolean delivery = database && isDelivering.getAsBoolean();
        boolean ingest = database && isIngesting.getAsBoolean();
        boolean isUp = isUp(database);
        var found = problems.get();
        boolean isWell = ingest && delivery && found.isEmpty();
        String status = isUp ? (isWell ? "ok" : "degraded") : "down";
        var components =
                new JsonObject()
                        .put("database", statusText(database))
                        .put("ingest", statusText(ingest, Component.INGEST, found))
                        .put("delivery", statusText(delivery, Component.DELIVERY, found))
                        .put("background", statusText(database, Component.BACKGROUND, found));
        var json =
                new JsonObject()
                        .put("status", status)
                        .put("version", version)
                        .put("time", clock.instant())
                        .put("components", components)
                        .put("registration", isRegistrationOpen ? "open" : "closed")
                        .put("reasons", found.stream().map(StatusRoutes::json).toList());
        return Reply.json(isUp ? 200 : 503, json);
    }

    private static JsonObject json(HealthProblem problem) {
        return new JsonObject()
                .put("component", name(problem.component()))
                .put("reason", problem.reason());
    }

    private static String name(Component component) {
        return component.name().toLowerCase(Locale.ROOT);
    }

    private static String statusText(boolean works) {
        return works ? "ok" : "down";
    }

    private static String statusText(
            boolean works, Component component, List<HealthProblem> problems) {
        boolean isDegraded =
                works && problems.stream().anyMatch(one -> one.component() == component);
        return isDegraded ? "degraded" : statusText(works);
    }
}
