package dev.sluice.history.counts;

import dev.sluice.history.counts.RangeSplitter.BucketUnit;
import dev.sluice.history.counts.UsageQueries.ActiveUnits;
import dev.sluice.history.counts.UsageQueries.UsageBucket;

import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;

/// Counts that are computed from other counts, by adding some and subtracting others. For example,
/// the number of unfinished deliveries is the number of created deliveries minus the number of
/// those that have ended.
public final class UsageSum {

    private final List<UsageQueries> added;
    private final List<UsageQueries> subtracted;

    /// @param added the counts to add, at least one; all have the same smallest unit
    /// @param subtracted the counts to subtract; everything that they count is also counted by
    ///   `added`
    public UsageSum(List<UsageQueries> added, List<UsageQueries> subtracted) {
        this.added = List.copyOf(added);
        this.subtracted = List.copyOf(subtracted);
    }

    public static UsageSum of(UsageQueries only) {
        return new UsageSum(List.of(only), List.of());
    }

    BucketUnit smallestUnit() {
        return added.getFirst().smallestUnit();
    }

    /// Returns the non-empty units from minute `from` up to but not including minute `to`, newest
    /// first. Both must be the start of a unit.
    List<UsageBucket> buckets(BucketUnit unit, long from, long to) {
        var counts = new TreeMap<Long, Long>();
        for (var usage : added) {
            usage.buckets(unit, from, to)
                    .forEach(bucket -> counts.merge(bucket.from(), bucket.n(), Long::sum));
        }
        for (var usage : subtracted) {
            usage.buckets(unit, from, to)
                    .forEach(bucket -> counts.merge(bucket.from(), -bucket.n(), Long::sum));
        }
        return counts.descendingMap().entrySet().stream()
                .filter(entry -> entry.getValue() > 0)
                .map(entry -> new UsageBucket(unit, entry.getKey(), entry.getValue()))
                .toList();
    }

    /// Returns, for each key, the units of the smallest size for which there are counts to add,
    /// from minute `from` up to but not including minute `to`. Both must be the start of a unit of
    /// that size. A key may occur once for each of the added [UsageQueries].
    List<ActiveUnits> activeUnits(long from, long to) {
        var units = new ArrayList<ActiveUnits>();
        added.forEach(usage -> units.addAll(usage.activeUnits(from, to)));
        return units;
    }
}
