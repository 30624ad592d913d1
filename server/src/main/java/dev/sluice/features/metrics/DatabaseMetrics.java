package dev.sluice.features.metrics;

import dev.sluice.account.plan.Retention;
import dev.sluice.platform.db.Db;
import dev.sluice.platform.db.DbException;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.UUID;
import java.util.function.Supplier;

/// Collects the metrics about the database and the connection pools.
///
/// The database is queried at most once every five seconds, no matter how often the metrics are
/// requested. While the database is not responding, the metrics read from it are omitted and
/// `sluice_database_up` is 0. Thread-safe.
final class DatabaseMetrics {

    private static final Duration READ_INTERVAL = Duration.ofSeconds(5);

    /// How often the received bytes are summed, which takes a row for each source and day.
    private static final Duration BYTES_INTERVAL = Duration.ofMinutes(10);

    private record ReadState(Instant at, Optional<DatabaseState> state) {}

    private record ReadBytes(Instant at, Map<UUID, Long> byWorkspace) {}

    private final Db db;
    private final List<Db> pools;
    private final InstantSource clock;
    private final Supplier<Retention> longestRetention;
    private ReadBytes lastBytes = new ReadBytes(Instant.EPOCH, Map.of());
    private ReadState last = new ReadState(Instant.EPOCH, Optional.empty());

    /// @param pools all pools of this process; the first one runs the queries for the metrics
    /// @param longestRetention returns the longest retention of all plans
    DatabaseMetrics(List<Db> pools, Supplier<Retention> longestRetention, InstantSource clock) {
        this.db = pools.getFirst();
        this.pools = List.copyOf(pools);
        this.clock = clock;
        this.longestRetention = longestRetention;
    }

    void addTo(MetricList metrics) {
        addPools(metrics);
        var now = clock.instant();
        var state = state(now);
        metrics.gauge(
                "sluice_database_up",
                "Whether the database answers: 1 or 0.",
                state.isPresent() ? 1 : 0);
        state.ifPresent(present -> {
            add(metrics, present, now);
            metrics.gauges(
                    "sluice_workspace_stored_bytes",
                    "Bytes of the workspace's events that are kept, as they arrived.",
                    "workspace",
                    TopWorkspaces.of(bytes(now)));
        });
    }

    private synchronized Map<UUID, Long> bytes(Instant now) {
        if (Duration.between(lastBytes.at(), now).abs().compareTo(BYTES_INTERVAL) >= 0) {
            long today = Duration.between(Instant.EPOCH, now).toDays();
            var kept = longestRetention.get().days();
            long firstDay = kept.isPresent() ? today - kept.getAsInt() : 0;
            try {
                lastBytes =
                        new ReadBytes(
                                now,
                                db.snapshot(
                                        tx -> WorkspaceTotalsQueries.receivedBytes(tx, firstDay)));
            } catch (DbException e) {
                return lastBytes.byWorkspace(); // the next request tries again
            }
        }
        return lastBytes.byWorkspace();
    }

    private synchronized Optional<DatabaseState> state(Instant now) {
        if (Duration.between(last.at(), now).abs().compareTo(READ_INTERVAL) >= 0) {
            last = new ReadState(now, read());
        }
        return last.state();
    }

    private Optional<DatabaseState> read() {
        try {
            return Optional.of(db.snapshot(DatabaseStateQueries::read));
        } catch (DbException e) {
            return Optional.empty();
        }
    }

    private static void add(MetricList metrics, DatabaseState state, Instant now) {
        metrics.gauge(
                "sluice_deliveries_unfinished",
                "Deliveries of all nodes that are not finished.",
                state.workspaces().allUnfinished());
        metrics.gauge(
                "sluice_deliveries_oldest_age_seconds",
                "Age of the oldest unfinished delivery of all nodes; 0 if there is none.",
                state.oldestUnfinished()
                        .map(oldest -> Math.max(0, seconds(oldest, now)))
                        .orElse(0.0));
        metrics.gauges(
                "sluice_circuits",
                "Destinations whose circuit is not closed.",
                "state",
                state.circuits());
        metrics.gauges(
                "sluice_lanes",
                "Lanes of waiting deliveries that a node has leased, or that wait for their time.",
                "state",
                state.lanes());
        metrics.gauge(
                "sluice_nodes_live",
                "Nodes that have joined and have neither left nor been declared dead.",
                state.liveNodes());
        metrics.gauge(
                "sluice_workspaces_suspended",
                "Workspaces that the operator has suspended.",
                state.suspendedWorkspaces());
        add(metrics, state.workspaces());
        state.auditedUntil()
                .ifPresent(until ->
                        metrics.gauge(
                                "sluice_audit_checked_until_timestamp_seconds",
                                "End of the last hour that the audit has checked.",
                                until.getEpochSecond()));
    }

    private static void add(MetricList metrics, WorkspaceTotals state) {
        metrics.gauges(
                "sluice_workspace_deliveries_unfinished",
                "Deliveries of the workspace that are not finished.",
                "workspace",
                TopWorkspaces.of(state.unfinished()));
        metrics.gauges(
                "sluice_workspace_streams",
                "Streams of the workspace that are open.",
                "workspace",
                TopWorkspaces.of(state.streams()));
        metrics.gauges(
                "sluice_workspace_replays",
                "Replays of the workspace that are not finished.",
                "workspace",
                TopWorkspaces.of(state.replays()));
    }

    private static double seconds(Instant from, Instant to) {
        return Duration.between(from, to).toMillis() / 1e3;
    }

    private void addPools(MetricList metrics) {
        Map<String, Integer> active = new TreeMap<>();
        Map<String, Integer> idle = new TreeMap<>();
        Map<String, Integer> waiting = new TreeMap<>();
        Map<String, Integer> max = new TreeMap<>();
        Map<String, Long> refused = new TreeMap<>();
        for (var pool : pools) {
            var use = pool.use();
            active.put(use.name(), use.active());
            idle.put(use.name(), use.idle());
            waiting.put(use.name(), use.waiting());
            max.put(use.name(), use.max());
            refused.put(use.name(), use.refused());
        }
        metrics.gauges("sluice_pool_active_connections", "Connections in use.", "pool", active);
        metrics.gauges("sluice_pool_idle_connections", "Connections not in use.", "pool", idle);
        metrics.gauges(
                "sluice_pool_waiting_threads",
                "Threads that wait for a connection.",
                "pool",
                waiting);
        metrics.gauges(
                "sluice_pool_max_connections", "Connections that a pool may have.", "pool", max);
        metrics.counters(
                "sluice_pool_refused",
                "Statements refused because their workspace had its share of the pool.",
                "pool",
                refused);
    }
}
