package dev.sluice.features.stats;

import dev.sluice.account.plan.UsageKind;
import dev.sluice.engine.DeliveryStatus;
import dev.sluice.platform.db.PlannerFeature;
import dev.sluice.platform.db.Tx;
import dev.sluice.platform.id.Uuid7;

import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.function.UnaryOperator;

/// Finds out how many deliveries are waiting, and when the event of the oldest one arrived.
///
/// The usage counts give the exact number of waiting deliveries, and the hour in which the event of
/// the oldest one arrived. A search then looks for that delivery's row among all unfinished
/// deliveries from that hour or later, including those of other workspaces. If the row is not among
/// the first 20,000, the time that the search has reached is returned instead. This time is too
/// early by at most an hour, or by at most a day if the hourly counts are no longer kept.
///
/// Each instance belongs to one transaction. The caller must start the transaction with
/// [dev.sluice.platform.db.Db#snapshot], so that all queries see the same data.
final class WaitingQueries {

    private static final int STEP_ROWS = 5_000;
    private static final int MAX_STEPS = 4;
    private static final int HOURS_PER_DAY = 24;
    private static final int NO_END = Integer.MAX_VALUE;

    /// The number of waiting deliveries in a group, and the hour in which the first of their events
    /// arrived.
    ///
    /// @param firstHour the number of hours since 1970
    private record WaitingGroup(long count, int firstHour) {
        Instant firstHourStart() {
            return Instant.EPOCH.plus(Duration.ofHours(firstHour));
        }
    }

    /// The number of a connection's unfinished deliveries whose events arrived in one period, which
    /// is an hour or a day.
    ///
    /// @param period the number of hours or days since 1970
    private record UnfinishedCount(UUID connection, int period, long n) {}

    private record OldestRow(UUID connection, UUID id, UUID lastRead) {}

    private final Tx tx;
    private final Collection<UUID> connections;
    private final UnaryOperator<UUID> groupOf;

    /// @param groupOf maps a connection to the group to which its deliveries are added
    WaitingQueries(Tx tx, Collection<UUID> connections, UnaryOperator<UUID> groupOf) {
        this.tx = tx;
        this.connections = connections;
        this.groupOf = groupOf;
    }

    /// Returns the waiting deliveries for each group. Groups without waiting deliveries are
    /// omitted.
    Map<UUID, WaitingDeliveries> byGroup() {
        // The planner's statistics on `delivery_work` are usually out of date and would mislead it.
        tx.disable(PlannerFeature.SEQUENTIAL_SCAN, PlannerFeature.SORT, PlannerFeature.JIT);
        var firstWork = firstWork();
        if (firstWork.isEmpty() || connections.isEmpty()) {
            return Map.of();
        }
        var groups = groups(firstWork.get());
        var oldest = oldest(groups);
        Map<UUID, WaitingDeliveries> waiting = new HashMap<>();
        groups.forEach((group, found) ->
                waiting.put(
                        group,
                        new WaitingDeliveries(
                                found.count(), Optional.ofNullable(oldest.get(group)))));
        return waiting;
    }

    /// Returns the arrival time of the oldest event that still has an unfinished delivery, across
    /// all workspaces. Returns empty if no delivery is unfinished.
    private Optional<Instant> firstWork() {
        return tx.findOne(
                "select id from delivery_work order by id limit 1",
                row -> Uuid7.timeOf(row.uuid("id")));
    }

    private Map<UUID, WaitingGroup> groups(Instant since) {
        int firstDay = (int) Math.floorDiv(since.getEpochSecond(), Duration.ofDays(1).toSeconds());
        Map<UUID, Integer> firstDays = new HashMap<>();
        Map<UUID, Long> counts = new HashMap<>();
        for (var unfinished : unfinishedByDay(firstDay)) {
            var group = groupOf.apply(unfinished.connection());
            counts.merge(group, unfinished.n(), Long::sum);
            firstDays.merge(group, unfinished.period(), Math::min);
        }
        Map<UUID, Integer> firstHours = new HashMap<>();
        if (!firstDays.isEmpty()) {
            var days = firstDays.values().stream().distinct().toList();
            for (var unfinished : unfinishedByHour(days)) {
                var group = groupOf.apply(unfinished.connection());
                firstHours.merge(group, unfinished.period(), Math::min);
            }
        }
        Map<UUID, WaitingGroup> groups = new HashMap<>();
        counts.forEach((group, count) -> {
            int dayStart = firstDays.getOrDefault(group, firstDay) * HOURS_PER_DAY;
            int firstHour = firstHours.getOrDefault(group, dayStart);
            groups.put(group, new WaitingGroup(count, firstHour));
        });
        return groups;
    }

    private List<UnfinishedCount> unfinishedByDay(int firstDay) {
        return unfinished("rollup_day", "day", HOURS_PER_DAY, List.of(firstDay), List.of(NO_END));
    }

    private List<UnfinishedCount> unfinishedByHour(List<Integer> days) {
        return unfinished(
                "rollup_hour",
                "hour",
                1,
                days.stream().map(day -> day * HOURS_PER_DAY).toList(),
                days.stream().map(day -> (day + 1) * HOURS_PER_DAY).toList());
    }

    /// Counts each connection's unfinished deliveries by period, within the given ranges of
    /// periods.
    ///
    /// @param hours the length of a period in hours
    /// @param firsts the first period of each range
    /// @param ends the first period after each range
    private List<UnfinishedCount> unfinished(
            String table, String column, int hours, List<Integer> firsts, List<Integer> ends) {
        return tx.query(
                """
                select key, period, sum(case kind when %3$d then n else -n end)::bigint as unfinished
                  from (select kind, key, %2$s as period, dim, n
                          from unnest(?, ?) as span (first, past)
                          join %1$s on %2$s >= first and %2$s < past
                         where kind in (%3$d, %4$d) and key = any (?)
                        union all
                        select kind, key, hour / %5$d as period, dim, n
                          from ledger, unnest(kinds, keys, hours, dims, counts)
                                         as unfolded (kind, key, hour, dim, n)
                         where kind in (%3$d, %4$d) and key = any (?)
                           and exists (select from unnest(?, ?) as span (first, past)
                                        where hour / %5$d >= first and hour / %5$d < past)) as entry
                 where kind = %3$d or dim <> %6$d
                 group by key, period
                having sum(case kind when %3$d then n else -n end) > 0
                """
                        .formatted(
                                table,
                                column,
                                UsageKind.DELIVERIES.number(),
                                UsageKind.OUTCOMES.number(),
                                hours,
                                (int) DeliveryStatus.FILTERED.number()),
                row ->
                        new UnfinishedCount(
                                row.uuid("key"), row.integer("period"), row.number("unfinished")),
                firsts,
                ends,
                connections,
                connections,
                firsts,
                ends);
    }

    /// Returns, for each group, when the event of its oldest waiting delivery arrived.
    private Map<UUID, Instant> oldest(Map<UUID, WaitingGroup> groups) {
        Map<UUID, Instant> oldest = new HashMap<>();
        var searched = new HashMap<>(groups);
        var cursor = start(searched);
        for (int step = 0; step < MAX_STEPS && !searched.isEmpty(); step++) {
            var rows = oldestRows(cursor);
            for (var row : rows) {
                if (connections.contains(row.connection())) {
                    var group = groupOf.apply(row.connection());
                    if (searched.containsKey(group)) {
                        oldest.merge(group, Uuid7.timeOf(row.id()), WaitingQueries::earlier);
                    }
                }
            }
            searched.keySet().removeAll(oldest.keySet());
            if (rows.isEmpty() || searched.isEmpty()) {
                break;
            }
            cursor = Uuid7.max(rows.getFirst().lastRead(), start(searched));
        }
        var reached = Uuid7.timeOf(cursor);
        searched.forEach((group, found) ->
                oldest.put(
                        group,
                        found.firstHourStart().isBefore(reached)
                                ? reached
                                : found.firstHourStart()));
        return oldest;
    }

    private static UUID start(Map<UUID, WaitingGroup> searched) {
        return searched.values().stream()
                .map(WaitingGroup::firstHourStart)
                .min(Comparator.naturalOrder())
                .map(Uuid7::floor)
                .orElse(Uuid7.floor(Instant.EPOCH));
    }

    private static Instant earlier(Instant one, Instant other) {
        return one.isBefore(other) ? one : other;
    }

    /// Returns each connection's first row among the next [#STEP_ROWS] rows, starting at the id
    /// `from`.
    private List<OldestRow> oldestRows(UUID from) {
        return tx.query(
                """
                with step as materialized (
                  select id, connection_id from delivery_work where id >= ? order by id limit ?)
                select connection_id, (array_agg(id order by id))[1] as id,
                       (select id from step order by id desc limit 1) as last_read
                  from step
                 group by connection_id
                """,
                row ->
                        new OldestRow(
                                row.uuid("connection_id"), row.uuid("id"), row.uuid("last_read")),
                from,
                STEP_ROWS);
    }
}
