package dev.sluice.observe.metrics;

import dev.sluice.observe.alerts.AlertMeter;
import dev.sluice.observe.audit.AuditLoop;
import dev.sluice.observe.audit.Invariant;
import dev.sluice.platform.db.Db;
import dev.sluice.platform.http.Reply;
import dev.sluice.platform.http.Router;
import dev.sluice.relay.RelayGauges;
import dev.sluice.relay.RelayMeters;

import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/// The route `GET /metrics`, which is served on its own port and needs no API key.
public final class MetricsRoutes {

    private final RelayMetrics relay;
    private final DatabaseMetrics database;
    private final AlertMetrics alerts;
    private final AuditLoop audit;
    private final String version;

    /// @param pools all pools of this process; the first one runs the queries for the metrics
    public MetricsRoutes(
            RelayMeters meters,
            RelayGauges gauges,
            List<Db> pools,
            AuditLoop audit,
            AlertMeter alerts,
            InstantSource clock,
            String version) {
        this.relay = new RelayMetrics(meters, gauges);
        this.database = new DatabaseMetrics(pools, clock);
        this.alerts = new AlertMetrics(alerts);
        this.audit = audit;
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
        alerts.addTo(metrics);
        metrics.counters(
                "sluice_audit_violations",
                "Contradictions that the audit has found on this node since it started.",
                "invariant",
                violations());
        JvmMetrics.addTo(metrics);
        return Reply.text(200, MetricList.CONTENT_TYPE, metrics.text());
    }

    private Map<String, Long> violations() {
        Map<String, Long> violations = new TreeMap<>();
        for (var invariant : Invariant.values()) {
            violations.put(invariant.word(), audit.violationsOf(invariant));
        }
        return violations;
    }
}
