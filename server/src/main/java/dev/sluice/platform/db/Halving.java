package dev.sluice.platform.db;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.SequencedMap;
import java.util.function.Consumer;
import java.util.function.Predicate;

/// Runs a step on a batch so that one bad item does not keep it from the others.
///
/// If the step fails on a batch, it runs on the batch's halves, and so on, until each item on which
/// it fails is alone. Among n items, one bad one costs about two steps for each doubling of n.
public final class Halving {

    private Halving() {}

    /// Returns the items on which the step failed, each with its last failure.
    ///
    /// A failure that passes, such as a lost connection, is thrown: it says nothing about an item.
    ///
    /// @param step runs in a transaction of its own, so that it changes nothing when it fails
    public static <T> SequencedMap<T, RuntimeException> run(List<T> items, Consumer<List<T>> step) {
        return run(
                items,
                step,
                e -> !(e instanceof DbException refused && refused.failure().isPassing()));
    }

    /// @param isOfItem whether a failure may be due to an item; any other is thrown
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
