package dev.sluice.engine.commit;

import java.time.Duration;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.function.Function;

/// The days whose partitions a group commit could not create.
///
/// While a group commit creates a day's partitions, it writes nothing, so the rows of all other
/// days have to wait. If a day's partitions cannot be created, the group commit therefore gives up
/// on that day for [#GIVE_UP_DURATION]. During that time, each batch with rows for that day costs
/// one failed commit, but no wait. Used only by the writer thread.
final class GivenUpDays {

    /// This is short, so that the writer soon notices when the database has been repaired.
    private static final Duration GIVE_UP_DURATION = Duration.ofSeconds(5);

    private final Set<LocalDate> days = new HashSet<>();
    private long sinceNanos;

    boolean containsAny(List<UUID> ids, long nowNanos) {
        if (nowNanos - sinceNanos >= GIVE_UP_DURATION.toNanos()) {
            days.clear();
        }
        return ids.stream().anyMatch(id -> days.contains(PartitionStore.dayOf(id)));
    }

    /// Adds the day of this id.
    void add(UUID id, long nowNanos) {
        if (days.isEmpty()) {
            sinceNanos = nowNanos;
        }
        days.add(PartitionStore.dayOf(id));
    }

    /// Groups the items by day, in ascending order.
    static <T> List<List<T>> byDay(Collection<T> items, Function<T, UUID> id) {
        var days = new TreeMap<LocalDate, List<T>>();
        for (var item : items) {
            days.computeIfAbsent(PartitionStore.dayOf(id.apply(item)), _ -> new ArrayList<>())
                    .add(item);
        }
        return List.copyOf(days.values());
    }
}
