package dev.sluice.features.metrics;

import dev.sluice.account.plan.Retention;
import dev.sluice.engine.RelayGauges;
import dev.sluice.engine.RelayMeters;
import dev.sluice.platform.db.Db;
import dev.sluice.platform.http.Reply;
import dev.sluice.platform.http.Router;
import dev.sluice.platform.meter.CounterFamily;
import dev.sluice.platform.meter.WorkspaceGauge;

import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/// The route `GET /metrics`, which is served on its own port and needs no API key.
public final class MetricsRoutes {

    private final RelayMetrics relay;
    private final DatabaseMetrics database;
    private final List<CounterFamily> counters;
    private final List<WorkspaceGauge> workspaceGauges;
    private final String version;

    /// @param pools all pools of this process; the first one runs the queries for the metrics
    /// @param longestRetention returns the longest retention of all plans
    /// @param counters what other rooms count
    /// @param workspaceGauges what each workspace holds of the resources that workspaces share
    public MetricsRoutes(
            RelayMeters meters,
            RelayGauges gauges,
            List<Db> pools,
            Supplier<Retention> longestRetention,
            List<CounterFamily> counters,
            List<WorkspaceGauge> workspaceGauges,
            InstantSource clock,
            String version) {
        this.relay = new RelayMetrics(meters, gauges);
        this.database = new DatabaseMetrics(pools, longestRetention, clock);
        this.counters = List.copyOf(counters);
        this.workspaceGauges = List.copyOf(workspaceGauges);
        this.version = version;
    }

    public void addTo(Router router) {
        router.get("/metrics", _ -> metrics());
    }

    private Reply metrics() {
        var metrics = new MetricList();
        metrics.gauges(
                "sluice_build_info",
                "The version of this server; always 1.",
                "version",
                Map.of(version, 1));
        relay.addTo(metrics);
        database.addTo(metrics);
        counters.forEach(family ->
                metrics.counters(
                        family.name(), family.help(), family.label(), family.values().get()));
        workspaceGauges.forEach(gauge ->
                metrics.gauges(
                        gauge.name(),
                        gauge.help(),
                        "workspace",
                        TopWorkspaces.of(gauge.byWorkspace().get())));
        JvmMetrics.addTo(metrics);
        return Reply.text(200, MetricList.CONTENT_TYPE, metrics.text());
    }
}
