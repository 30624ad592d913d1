package dev.sluice.features.lists;

import dev.sluice.history.PageCursor;
import dev.sluice.history.counts.BudgetedScan;
import dev.sluice.platform.db.Tx;
import dev.sluice.platform.id.Uuid7;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/// Searches the dead letters, newest first, until all are scanned or the time budget is used up.
///
/// Each instance belongs to one transaction, which must be started with
/// [dev.sluice.platform.db.Db#snapshot], so that all its queries see the same data.
record DeadLetterSearch(
        Tx tx, DeliveryScope scope, DeliveryFilter filter, DeliverySearch deliveries) {

    /// The matching dead letters that were found within the time budget.
    ///
    /// @param isExact whether the search was completed; if so, `keys` contains all matching dead
    ///   letters
    record FoundDeadLetters(List<DeliveryKey> keys, boolean isExact) {}

    FoundDeadLetters matches() {
        var keys = new ArrayList<DeliveryKey>();
        var stopped =
                scan(
                        deliveries.range().high(),
                        location -> {
                            var step = deliveries.scan(location);
                            keys.addAll(step.matches());
                            return step.last();
                        });
        return new FoundDeadLetters(keys, stopped.isEmpty());
    }

    /// Groups the dead letters that can be found within the time budget.
    ///
    /// @param cursor where an earlier search stopped; dead letters that it scanned are not scanned
    ///   again
    FailureGroups groups(Optional<PageCursor> cursor) {
        var groups = new FailureGroups(scope, cursor.map(PageCursor::seen).orElse(0L));
        var high = deliveries.range().high();
        var stopped =
                scan(
                        cursor.map(place -> Uuid7.min(place.before(), high)).orElse(high),
                        location -> {
                            var found =
                                    DeadLetterQueries.failureGroups(
                                            tx, location, deliveries.queries(), filter);
                            groups.add(found);
                            return found.last();
                        });
        stopped.ifPresent(groups::setStopped);
        return groups;
    }

    /// Scans the dead letters with ids less than `before`. Returns the id at which the scan stopped
    /// because the time budget was used up, or empty if the scan reached its end.
    private Optional<UUID> scan(UUID before, BudgetedScan.PageVisitor visitor) {
        return deliveries.isEmpty()
                ? Optional.empty()
                : BudgetedScan.scan(deliveries.locator(), before, deliveries.budget(), visitor);
    }
}
