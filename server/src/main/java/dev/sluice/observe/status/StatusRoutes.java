package dev.sluice.observe.status;

import dev.sluice.platform.db.Db;
import dev.sluice.platform.db.DbException;
import dev.sluice.platform.http.Reply;
import dev.sluice.platform.http.Router;
import dev.sluice.platform.json.JsonObject;

import java.time.InstantSource;
import java.util.function.BooleanSupplier;

/// `GET /api/v1/status`: public, 503 when the service is down.
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
    }

    private Reply status() {
        boolean database = isDatabaseThere();
        boolean delivery = database && isDelivering.getAsBoolean();
        boolean ingest = database && isIngesting.getAsBoolean();
        boolean isUp = database && !isStopping.getAsBoolean();
        String status = isUp ? (ingest && delivery ? "ok" : "degraded") : "down";
        var components =
                new JsonObject()
                        .put("database", word(database))
                        .put("ingest", word(ingest))
                        .put("delivery", word(delivery));
        var json =
                new JsonObject()
                        .put("status", status)
                        .put("version", version)
                        .put("time", clock.instant())
                        .put("components", components);
        return Reply.json(isUp ? 200 : 503, json);
    }

    private boolean isDatabaseThere() {
        try {
            return db.call(tx -> tx.single("select true as there", row -> row.bool("there")));
        } catch (DbException e) {
            return false;
        }
    }

    private static String word(boolean works) {
        return works ? "ok" : "down";
    }
}
