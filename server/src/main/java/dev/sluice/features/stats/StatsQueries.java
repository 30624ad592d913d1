package dev.sluice.features.stats;

import dev.sluice.account.plan.UsageKind;
import dev.sluice.platform.db.PlannerFeature;
import dev.sluice.platform.db.Row;
import dev.sluice.platform.db.Tx;

import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.UnaryOperator;

/// Reads the counts for a time window from the usage tables, and from the ledger rows that have not
/// yet been folded (added) into these tables.
///
/// Reads only the rows for the wanted keys and for the hours or days in the window. A window that
/// is counted by hour has at most 49 hours, and one that is counted by day has at most 91 days. If
/// the window is counted by month, the rows are read by day, for at most about ten years.
///
/// Each instance belongs to one transaction. The caller must start the transaction with
/// [dev.sluice.platform.db.Db#snapshot], so that all queries see the same data.
final class StatsQueries {

    private static final List<UsageKind> SOURCE_KINDS =
            List.of(UsageKind.EVENTS, UsageKind.REFUSALS);
    private static final List<UsageKind> CONNECTION_KINDS =
            List.of(UsageKind.OUTCOMES, UsageKind.DELIVERIES, UsageKind.LATENCIES);

    private final Tx tx;
    private final StatsWindow window;

    StatsQueries(Tx tx, StatsWindow window) {
        this.tx = tx;
        this.window = window;
        tx.disable(PlannerFeature.SEQUENTIAL_SCAN, PlannerFeature.JIT);
    }

    /// Returns the counts for each bucket, keyed by the bucket's start. Empty buckets are omitted.
    Map<Instant, StatsCounts> byBucket(StatsScope scope) {
        Map<Instant, StatsCounts> buckets = new HashMap<>();
        sumByTime(SOURCE_KINDS, scope.sourceIds(), buckets);
        sumByTime(CONNECTION_KINDS, scope.connectionIds(), buckets);
        return buckets;
    }

    private void sumByTime(
            List<UsageKind> kinds, Collection<UUID> keys, Map<Instant, StatsCounts> buckets) {
        tx.query(
                """
                select kind, at, dim, sum(n)::bigint as n, sum(size)::bigint as size
                  from (%s) as entry
                 group by kind, at, dim
                """
                        .formatted(entries()),
                row -> {
                    var start = window.unit().floor(timeOf(row.integer("at")));
                    add(row, buckets.computeIfAbsent(start, _ -> new StatsCounts()));
                    return true;
                },
                arguments(kinds, keys));
    }

    /// Returns the event and refusal counts by source.
    Map<UUID, StatsCounts> eventsBySource(StatsScope scope) {
        return byKey(SOURCE_KINDS, scope.sourceIds(), UnaryOperator.identity());
    }

    /// Returns the delivery counts by group.
    ///
    /// @param groupOf maps a connection to the group to which its deliveries are added
    Map<UUID, StatsCounts> deliveriesBy(UnaryOperator<UUID> groupOf, StatsScope scope) {
        return byKey(CONNECTION_KINDS, scope.connectionIds(), groupOf);
    }

    /// Returns all counts for each source.
    Map<UUID, StatsCounts> bySource(StatsScope scope) {
        var counts = eventsBySource(scope);
        addByKey(CONNECTION_KINDS, scope.connectionIds(), scope::sourceOf, counts);
        return counts;
    }

    private Map<UUID, StatsCounts> byKey(
            List<UsageKind> kinds, Collection<UUID> keys, UnaryOperator<UUID> groupOf) {
        Map<UUID, StatsCounts> counts = new HashMap<>();
        addByKey(kinds, keys, groupOf, counts);
        return counts;
    }

    private void addByKey(
            List<UsageKind> kinds,
            Collection<UUID> keys,
            UnaryOperator<UUID> groupOf,
            Map<UUID, StatsCounts> counts) {
        tx.query(
                """
                select kind, key, dim, sum(n)::bigint as n, sum(size)::bigint as size
                  from (%s) as entry
                 group by kind, key, dim
                """
                        .formatted(entries()),
                row -> {
                    var group = groupOf.apply(row.uuid("key"));
                    add(row, counts.computeIfAbsent(group, _ -> new StatsCounts()));
                    return true;
                },
                arguments(kinds, keys));
    }

    private static void add(Row row, StatsCounts counts) throws SQLException {
        counts.add(
                UsageKind.fromNumber(row.integer("kind")),
                row.integer("dim"),
                row.number("n"),
                row.number("size"));
    }

    /// Returns the SQL that selects the rows with the counts. Their column `at` contains the hour
    /// or day, as the number of hours or days since the start of 1970.
    private String entries() {
        return """
        select kind, key, %2$s as at, dim, n, size
          from %1$s
         where kind = any (?) and key = any (?) and %2$s >= ? and %2$s < ?
        union all
        select kind, key, hour / ? as at, dim, n, size
          from ledger, unnest(kinds, keys, hours, dims, counts, sizes)
                         as unfolded (kind, key, hour, dim, n, size)
         where kind = any (?) and key = any (?) and hour >= ? and hour < ?
        """
                .formatted(isHourly() ? "rollup_hour" : "rollup_day", isHourly() ? "hour" : "day");
    }

    private Object[] arguments(List<UsageKind> kinds, Collection<UUID> keys) {
        var numbers = kinds.stream().map(UsageKind::number).toList();
        return new Object[] {
            numbers,
            keys,
            unitsUntil(window.after(), storedUnit()),
            unitsUntil(window.before(), storedUnit()),
            (int) storedUnit().toHours(),
            numbers,
            keys,
            unitsUntil(window.after(), Duration.ofHours(1)),
            unitsUntil(window.before(), Duration.ofHours(1))
        };
    }

    private boolean isHourly() {
        return window.unit() == StatsUnit.HOUR;
    }

    private Duration storedUnit() {
        return isHourly() ? Duration.ofHours(1) : Duration.ofDays(1);
    }

    private static int unitsUntil(Instant time, Duration unit) {
        return (int) Math.floorDiv(time.getEpochSecond(), unit.toSeconds());
    }

    private Instant timeOf(int units) {
        return Instant.EPOCH.plus(storedUnit().multipliedBy(units));
    }
}
