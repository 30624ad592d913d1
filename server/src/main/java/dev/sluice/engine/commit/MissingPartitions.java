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

/// Creates missing partitions for the writer of a group commit, and remembers the days whose
/// partitions cannot be created.
///
/// While the writer creates a day's partitions, it writes nothing, so the rows of all other days
/// have to wait. If a day's partitions cannot be created, the writer therefore gives up on that day
/// for [#GIVE_UP_DURATION]. During that time, each batch with rows for that day costs one failed
/// commit, but no wait. Used only by the writer thread.
final class MissingPartitions {

    /// How long the writer stops trying to create a day's partitions after giving up on that day.
    /// This is short, so that the writer soon notices when the database has been repaired.
    static final Duration GIVE_UP_DURATION = Duration.ofSeconds(5);

    /// If a batch fails again after this many failed commits, its days are committed one at a time.
    private static final int MAX_FAILURES = 5;

    private final PartitionStore partitions;
    private final Set<LocalDate> givenUp = new HashSet<>();
    private long givenUpAtNanos;

    MissingPartitions(PartitionStore partitions) {
        this.partitions = partitions;
    }

    /// Decides whether the batch with these ids should be tried again. If so, tries to create the
    /// missing partitions and returns true.
    ///
    /// @param failures how many earlier commits of the batch failed because of a missing partition
    /// @param isPart whether the batch is a part of one that failed before, or was set aside after
    ///   a failure; such a batch is tried only once more
    boolean repair(Collection<UUID> ids, int failures, boolean isPart) {
        if (System.nanoTime() - givenUpAtNanos >= GIVE_UP_DURATION.toNanos()) {
            givenUp.clear();
        }
        boolean isGivenUp = ids.stream().anyMatch(id -> givenUp.contains(PartitionStore.dayOf(id)));
        if (isGivenUp || failures >= (isPart ? 1 : MAX_FAILURES)) {
            return false;
        }
        partitions.makeMissing(ids.stream());
        return true;
    }

    /// Records that the partitions for this id's day cannot be created.
    void giveUp(UUID id) {
        if (givenUp.isEmpty()) {
            givenUpAtNanos = System.nanoTime();
        }
        givenUp.add(PartitionStore.dayOf(id));
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
