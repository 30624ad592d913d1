package dev.sluice.observe.deadletters;

import dev.sluice.observe.deliveries.DeliveryFilter;
import dev.sluice.observe.deliveries.DeliveryKey;
import dev.sluice.observe.deliveries.DeliveryScope;
import dev.sluice.observe.deliveries.DeliverySearch;
import dev.sluice.observe.usage.BudgetedScan;
import dev.sluice.platform.db.Tx;

import java.util.ArrayList;
import java.util.List;

/// Searches dead letters, newest first, until the search has used up its time budget.
///
/// Each instance belongs to one transaction, which must be begun with
/// [dev.sluice.platform.db.Db#snapshot], so that all its queries see the same data.
record DeadLetterSearch(
        Tx tx, DeliveryScope scope, DeliveryFilter filter, DeliverySearch deliveries) {

    /// The matching dead letters that were found within the time budget.
    ///
    /// @param isExact whether the search was completed, so that `keys` contains all matching dead
    ///   letters
    record FoundDeadLetters(List<DeliveryKey> keys, boolean isExact) {}

    FoundDeadLetters matches() {
        var keys = new ArrayList<DeliveryKey>();
        boolean isExact =
                scan(location -> {
                    var step = deliveries.scan(location);
                    keys.addAll(step.matches());
                    return step.last();
                });
        return new FoundDeadLetters(keys, isExact);
    }

    FailureGroups groups() {
        var groups = new FailureGroups(scope);
        boolean isExact =
                scan(location -> {
                    var found =
                            DeadLetterQueries.failureGroups(
                                    tx, location, deliveries.queries(), filter);
                    groups.add(found);
                    return found.last();
                });
        groups.setExact(isExact);
        return groups;
    }

    /// Scans the dead letters. Returns whether the scan was completed within the time budget.
    private boolean scan(BudgetedScan.PageVisitor visitor) {
        return deliveries.isEmpty()
                || BudgetedScan.scan(
                                deliveries.locator(),
                                deliveries.range().high(),
                                deliveries.budget(),
                                visitor)
                        .isEmpty();
    }
}
