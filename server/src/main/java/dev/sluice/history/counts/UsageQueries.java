package dev.sluice.history.counts;

import dev.sluice.account.plan.UsageKind;
import dev.sluice.history.counts.RangeSplitter.BucketUnit;
import dev.sluice.platform.db.Tx;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.UUID;

/// Reads the exact number of events, created deliveries or finished deliveries, by key and unit of
/// time.
///
/// Adds up the counts in the usage tables (`rollup_hour`, `rollup_day`) and the ledger rows that
/// have not yet been folded (added) into these tables. Each instance belongs to one transaction.
/// The caller must start the transaction with [dev.sluice.platform.db.Db#snapshot], so that all
/// queries see the same data.
public final class UsageQueries {

    /// A kind of usage that can be read by unit of time.
    ///
    /// `EVENTS` is counted by source and verification status, in units as small as a minute.
    /// `OUTCOMES` is counted by connection and delivery status, and `DELIVERIES` by connection and
    /// trigger, both in units as small as an hour.
    public enum UsageSeries {
        EVENTS(UsageKind.EVENTS, BucketUnit.MINUTE),
        OUTCOMES(UsageKind.OUTCOMES, BucketUnit.HOUR),
        DELIVERIES(UsageKind.DELIVERIES, BucketUnit.HOUR);

        private final UsageKind kind;
        private final BucketUnit smallestUnit;

        UsageSeries(UsageKind kind, BucketUnit smallestUnit) {
            this.kind = kind;
            this.smallestUnit = smallestUnit;
        }
    }

    /// The count for one unit of time.
    ///
    /// @param from the start of the unit, in minutes since 1970
    record UsageBucket(BucketUnit unit, long from, long n) {
        long to() {
            return from + unit.minutes;
        }
    }

    /// The count for one key.
    ///
    /// @param dim the number that identifies the counted status or trigger
    public record UsageCount(UUID key, int dim, long n) {}

    /// The time units in which one key has counts of wanted statuses or triggers. The units are of
    /// the series' smallest size.
    ///
    /// @param units maps the start of each unit, in minutes since 1970, to a flag. The flag says
    ///   whether the key is known to have no other counts in the unit's hour
    record ActiveUnits(UUID key, SortedMap<Long, Boolean> units) {}

    private record ActiveUnit(UUID key, long since, boolean hasOnlyWanted) {}

    /// A count that is still in the ledger because it has not yet been folded into the usage
    /// tables.
    private record UnfoldedCount(UUID key, long minute, int dim, long n) {}

    private final Tx tx;
    private final UsageSeries series;
    private final List<UUID> keys;
    private final List<Integer> wantedDims;
    private final List<UnfoldedCount> unfoldedCounts;

    /// @param keys the sources or connections to count
    /// @param wantedDims the numbers of the statuses or triggers to count
    public UsageQueries(
            Tx tx, UsageSeries series, Collection<UUID> keys, Collection<Integer> wantedDims) {
        this.tx = tx;
        this.series = series;
        this.keys = List.copyOf(keys);
        this.wantedDims = List.copyOf(wantedDims);
        this.unfoldedCounts = unfoldedCounts();
    }

    private List<UnfoldedCount> unfoldedCounts() {
        return tx.query(
                """
                select key, hour::bigint * 60 + minute as since, dim, sum(n) as n
                  from ledger, unnest(kinds, keys, hours, minutes, dims, counts)
                                 as entry (kind, key, hour, minute, dim, n)
                 where kind = ? and key = any (?)
                 group by key, hour, minute, dim
                """,
                row ->
                        new UnfoldedCount(
                                row.uuid("key"),
                                row.number("since"),
                                row.integer("dim"),
                                row.number("n")),
                series.kind.number(),
                keys);
    }

    /// Returns the smallest unit for which this series has counts.
    BucketUnit smallestUnit() {
        return series.smallestUnit;
    }

    /// Returns the non-empty units from minute `from` up to but not including minute `to`, newest
    /// first. Both must be the start of a unit.
    List<UsageBucket> buckets(BucketUnit unit, long from, long to) {
        var counts = new TreeMap<Long, Long>();
        var read =
                switch (unit) {
                    case DAY, HOUR -> wholeUnitCounts(unit, from, to);
                    case MINUTE -> minuteCounts(from, to);
                };
        read.forEach(entry -> counts.put(entry.getKey(), entry.getValue()));
        for (var entry : unfoldedCounts) {
            if (isWanted(entry, from, to)) {
                counts.merge(RangeSplitter.floor(entry.minute(), unit), entry.n(), Long::sum);
            }
        }
        return counts.descendingMap().entrySet().stream()
                .map(entry -> new UsageBucket(unit, entry.getKey(), entry.getValue()))
                .toList();
    }

    private List<Map.Entry<Long, Long>> wholeUnitCounts(BucketUnit unit, long from, long to) {
        return tx.query(
                """
                select %2$s::bigint * ? as since, sum(n) as n
                  from %1$s
                 where kind = ? and key = any (?) and %2$s >= ? and %2$s < ? and dim = any (?)
                 group by %2$s
                """
                        .formatted(table(unit), column(unit)),
                row -> Map.entry(row.number("since"), row.number("n")),
                unit.minutes,
                series.kind.number(),
                keys,
                (int) (from / unit.minutes),
                (int) (to / unit.minutes),
                wantedDims);
    }

    private static String table(BucketUnit unit) {
        return unit == BucketUnit.DAY ? "rollup_day" : "rollup_hour";
    }

    private static String column(BucketUnit unit) {
        return unit == BucketUnit.DAY ? "day" : "hour";
    }

    private List<Map.Entry<Long, Long>> minuteCounts(long from, long to) {
        return tx.query(
                """
                select hour::bigint * 60 + number - 1 as since, sum(counted) as n
                  from rollup_hour, unnest(minutes) with ordinality as minute (counted, number)
                 where kind = ? and key = any (?) and hour >= ? and hour < ? and dim = any (?)
                   and counted > 0 and hour::bigint * 60 + number - 1 >= ?
                   and hour::bigint * 60 + number - 1 < ?
                 group by hour, number
                """,
                row -> Map.entry(row.number("since"), row.number("n")),
                series.kind.number(),
                keys,
                hourFloor(from),
                hourCeil(to),
                wantedDims,
                from,
                to);
    }

    private static int hourFloor(long minute) {
        return (int) (minute / BucketUnit.HOUR.minutes);
    }

    private static int hourCeil(long minute) {
        return (int) ((minute + BucketUnit.HOUR.minutes - 1) / BucketUnit.HOUR.minutes);
    }

    /// Returns the counts of the wanted statuses (or triggers), grouped by key and by status (or
    /// trigger), from minute `from` up to but not including minute `to`. Both must be the start of
    /// an hour, or of a day if `unit` is `DAY`. The list may contain several counts for the same
    /// group.
    public List<UsageCount> counts(BucketUnit unit, long from, long to) {
        var stored = unit == BucketUnit.DAY ? BucketUnit.DAY : BucketUnit.HOUR;
        var counts =
                new ArrayList<>(
                        tx.query(
                                """
                                select key, dim, sum(n) as n
                                  from %1$s
                                 where kind = ? and key = any (?) and %2$s >= ? and %2$s < ?
                                   and dim = any (?)
                                 group by key, dim
                                """
                                        .formatted(table(stored), column(stored)),
                                row ->
                                        new UsageCount(
                                                row.uuid("key"),
                                                row.integer("dim"),
                                                row.number("n")),
                                series.kind.number(),
                                keys,
                                (int) (from / stored.minutes),
                                (int) (to / stored.minutes),
                                wantedDims));
        for (var entry : unfoldedCounts) {
            if (isWanted(entry, from, to)) {
                counts.add(new UsageCount(entry.key(), entry.dim(), entry.n()));
            }
        }
        return counts;
    }

    /// Returns, for each key, the units of the series' smallest size that contain counts of wanted
    /// statuses or triggers, from minute `from` up to but not including minute `to`. Both must be
    /// the start of a unit of that size. Keys without such counts are omitted.
    List<ActiveUnits> activeUnits(long from, long to) {
        Map<UUID, SortedMap<Long, Boolean>> byKey = new HashMap<>();
        for (var one :
                series.smallestUnit == BucketUnit.HOUR
                        ? activeHours(from, to)
                        : activeMinutes(from, to)) {
            byKey.computeIfAbsent(one.key(), _ -> new TreeMap<>())
                    .put(one.since(), one.hasOnlyWanted());
        }
        for (var entry : unfoldedCounts) {
            if (isWanted(entry, from, to)) {
                byKey.computeIfAbsent(entry.key(), _ -> new TreeMap<>())
                        .putIfAbsent(
                                RangeSplitter.floor(entry.minute(), series.smallestUnit),
                                false); // the other counts in the hour are not checked
            }
        }
        return byKey.entrySet().stream()
                .map(entry -> new ActiveUnits(entry.getKey(), entry.getValue()))
                .toList();
    }

    private List<ActiveUnit> activeHours(long from, long to) {
        return tx.query(
                """
                select distinct key, hour::bigint * 60 as since
                  from rollup_hour
                 where kind = ? and key = any (?) and hour >= ? and hour < ? and dim = any (?)
                """,
                row -> new ActiveUnit(row.uuid("key"), row.number("since"), false),
                series.kind.number(),
                keys,
                hourFloor(from),
                hourCeil(to),
                wantedDims);
    }

    private List<ActiveUnit> activeMinutes(long from, long to) {
        return tx.query(
                """
                select key, hour::bigint * 60 + number - 1 as since,
                       (select count(*)
                          from rollup_hour as other
                         where other.kind = hours.kind and other.key = hours.key
                           and other.hour = hours.hour and other.dim <> all (?)) as others
                  from rollup_hour as hours,
                       unnest(minutes) with ordinality as minute (counted, number)
                 where kind = ? and key = any (?) and hour >= ? and hour < ? and dim = any (?)
                   and counted > 0 and hour::bigint * 60 + number - 1 >= ?
                   and hour::bigint * 60 + number - 1 < ?
                """,
                row -> {
                    var key = row.uuid("key");
                    long minute = row.number("since");
                    boolean isPure = row.number("others") == 0 && !hasOthersUnfolded(key, minute);
                    return new ActiveUnit(key, minute, isPure);
                },
                wantedDims,
                series.kind.number(),
                keys,
                hourFloor(from),
                hourCeil(to),
                wantedDims,
                from,
                to);
    }

    private boolean hasOthersUnfolded(UUID key, long minute) {
        long hour = RangeSplitter.floor(minute, BucketUnit.HOUR);
        return unfoldedCounts.stream()
                .anyMatch(entry ->
                        entry.key().equals(key)
                                && RangeSplitter.floor(entry.minute(), BucketUnit.HOUR) == hour
                                && !wantedDims.contains(entry.dim()));
    }

    private boolean isWanted(UnfoldedCount entry, long from, long to) {
        return wantedDims.contains(entry.dim()) && from <= entry.minute() && entry.minute() < to;
    }
}
