package dev.sluice.features.transfer;

import dev.sluice.engine.commit.PartitionStore;

import java.time.LocalDate;
import java.util.ArrayList;
import java.util.List;

/// A range of days whose partitions a single transaction can lock.
///
/// @param from the first day
/// @param until the day after the last one
/// @param isFirst whether no rows come before those of these days
/// @param isLast whether no rows come after those of these days
record DayRange(LocalDate from, LocalDate until, boolean isFirst, boolean isLast) {

    static final int MAX_DAYS = 100;

    /// Divides the days that have partitions. Returns at least one range.
    ///
    /// @param days sorted
    static List<DayRange> of(List<LocalDate> days) {
        if (days.isEmpty()) {
            return List.of(new DayRange(LocalDate.EPOCH, LocalDate.EPOCH, true, true));
        }
        var ranges = new ArrayList<DayRange>();
        for (int from = 0; from < days.size(); from += MAX_DAYS) {
            int last = Math.min(days.size(), from + MAX_DAYS) - 1;
            ranges.add(
                    new DayRange(
                            days.get(from),
                            days.get(last).plusDays(1),
                            from == 0,
                            last == days.size() - 1));
        }
        return ranges;
    }

    /// @param column the column whose id decides the day
    String condition(String column) {
        return "%s >= '%s' and %s < '%s'"
                .formatted(
                        column,
                        PartitionStore.boundary(from),
                        column,
                        PartitionStore.boundary(until));
    }
}
