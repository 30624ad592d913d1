package dev.sluice.platform.db;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.SequencedMap;
import java.util.function.Consumer;
import java.util.function.Predicate;

/// Runs a step on a batch of items so that a bad item does not stop the rest from being processed.
///
/// If the step fails on a batch, it is run on each half of the batch. This is repeated until each
/// bad item is alone in its batch. One bad item among n costs about 2 log2(n) extra runs.
public final class Halving {

    private Halving() {}

    /// Runs the step on the items. Returns the items on which it failed, each with its last
    /// failure. A passing failure, such as a lost connection, is rethrown, because no item caused
    /// it.
    ///
    /// @param step must run each batch in a separate transaction, so that it changes nothing when
    ///   it fails
    public static <T> SequencedMap<T, RuntimeException> run(List<T> items, Consumer<List<T>> step) {
        return run(
                items,
                step,
                e -> !(e instanceof DbException refused && refused.failure().isPassing()));
    }

    /// Runs the step on the items. Returns the items on which it failed, each with its last
    /// failure.
    ///
    /// @param step must run each batch in a separate transaction, so that it changes nothing when
    ///   it fails
    /// @param isOfItem returns whether an item could have caused the failure; any other failure is
    ///   rethrown
    public static <T> SequencedMap<T, RuntimeException> run(
            List<T> items, Consumer<List<T>> step, Predicate<RuntimeException> isOfItem) {
        var failed = new LinkedHashMap<T, RuntimeException>();
        if (!items.isEmpty()) {
            run(items, step, isOfItem, failed);
        }
        return failed;
    }

    private static <T> void run(
            List<T> items,
            Consumer<List<T>> step,
            Predicate<RuntimeException> isOfItem,
            SequencedMap<T, RuntimeException> failed) {
        try {
            step.accept(items);
        } catch (RuntimeException e) {
            if (!isOfItem.test(e)) {
                throw e;
            }
            if (items.size() == 1) {
                failed.put(items.getFirst(), e);
                return;
            }
            int middle = items.size() / 2;
            run(items.subList(0, middle), step, isOfItem, failed);
            run(items.subList(middle, items.size()), step, isOfItem, failed);
        }
    }
}
