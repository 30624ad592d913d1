package dev.sluice.observe.status;

import dev.sluice.platform.db.Db;
import dev.sluice.platform.http.Reply;
import dev.sluice.platform.http.Router;
import dev.sluice.platform.json.JsonObject;

import java.time.InstantSource;
import java.util.function.BooleanSupplier;

/// The routes that report whether the service works. They need no API key.
///
/// `GET /api/v1/status` responds with 503 if the service is down. `GET /healthz/ready` does the
/// same for load balancers, without details. `GET /healthz/live` responds with 200 as long as the
/// process can answer at all; whoever restarts processes should ask that, because a restart does
/// not bring the database back.
///
/// The service is down if the database cannot be reached or the server is shutting down. It is
/// degraded if only ingest or only delivery does not work.
public final class StatusRoutes {

    private final Db db;
    private final BooleanSupplier isIngesting;
    private final BooleanSupplier isDelivering;
    private final BooleanSupplier isStopping;
    private final InstantSource clock;
    private final String version;

    public StatusRoutes(
            Db db,
            BooleanSupplier isIngesting,
            BooleanSupplier isDelivering,
            BooleanSupplier isStopping,
            InstantSource clock,
            String version) {
        this.db = db;
        this.isIngesting = isIngesting;
        this.isDelivering = isDelivering;
        this.isStopping = isStopping;
        this.clock = clock;
        this.version = version;
    }

    public void addTo(Router router) {
        router.get("/api/v1/status", _ -> status());
        router.get("/healthz/live", _ -> health(true));
        router.get("/healthz/ready", _ -> health(isUp(db.isReachable())));
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
        String status = isUp ? (ingest && delivery ? "ok" : "degraded") : "down";
        var components =
                new JsonObject()
                        .put("database", statusText(database))
                        .put("ingest", statusText(ingest))
                        .put("delivery", statusText(delivery));
        var json =
                new JsonObject()
                        .put("status", status)
                        .put("version", version)
                        .put("time", clock.instant())
                        .put("components", components);
        return Reply.json(isUp ? 200 : 503, json);
    }

    private static String statusText(boolean works) {
        return works ? "ok" : "down";
    }
}
