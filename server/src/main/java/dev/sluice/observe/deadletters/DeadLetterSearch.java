package dev.sluice.observe.deadletters;

import dev.sluice.observe.usage.BudgetedScan;
import dev.sluice.observe.usage.PageLocator;
import dev.sluice.observe.usage.UsageQueries;
import dev.sluice.platform.db.Tx;
import dev.sluice.platform.http.Page;
import dev.sluice.platform.id.IdRange;
import dev.sluice.relay.DeliveryStatus;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/// Finds the deliveries that match a filter, and returns one page of them or their failure groups.
///
/// Each instance is used within one transaction, which must read a snapshot.
final class DeadLetterSearch {

    /// A page of matching deliveries, starting with those of the newest event.
    ///
    /// @param total the number of matching deliveries on all pages
    /// @param isExact false if only the newest deliveries were scanned
    record DeadLetterPage(
            List<DeadLetterQueries.FinishedDeliveryKey> keys, long total, boolean isExact) {
        private static final DeadLetterPage EMPTY = new DeadLetterPage(List.of(), 0, true);
    }

    private final Tx tx;
    private final DeadLetterScope scope;
    private final DeadLetterFilter filter;
    private final DeadLetterQueries queries;
    private final IdRange range;
    private final Duration budget;

    /// @param since events received before this time are expired
    /// @param budget the time that a scan may take if the usage counts are not sufficient
    DeadLetterSearch(
            Tx tx, DeadLetterScope scope, DeadLetterFilter filter, Instant since, Duration budget) {
        this.tx = tx;
        this.scope = scope;
        this.filter = filter;
        this.budget = budget;
        queries =
                new DeadLetterQueries(
                        filter.statuses(), scope.connections(), scope.includesAllConnections());
        range = filter.received().ids(since);
    }

    private boolean isEmpty() {
        return scope.targets().isEmpty() || range.isEmpty();
    }

    private PageLocator pageLocator() {
        List<UUID> connections = scope.connections();
        var statuses =
                filter.statuses().stream()
                        .map(DeliveryStatus::number)
                        .map(Short::intValue)
                        .toList();
        return new PageLocator(
                new UsageQueries(tx, UsageQueries.UsageSeries.OUTCOMES, connections, statuses),
                range,
                connection -> scope.target(connection).source().value(),
                windows -> queries.count(tx, windows));
    }

    DeadLetterPage page(Page page) {
        if (isEmpty()) {
            return DeadLetterPage.EMPTY;
        }
        var locator = pageLocator();
        return filter.isCountable() ? countedPage(locator, page) : scannedPage(locator, page);
    }

    private DeadLetterPage countedPage(PageLocator locator, Page page) {
        long total = locator.total();
        if (page.offset() >= total) {
            return new DeadLetterPage(List.of(), total, true);
        }
        var location = locator.locate(page.offset(), page.limit());
        return new DeadLetterPage(queries.keys(tx, location), total, true);
    }

    private DeadLetterPage scannedPage(PageLocator locator, Page page) {
        var matches = matches(locator);
        return new DeadLetterPage(
                matches.keys().stream().skip(page.offset()).limit(page.limit()).toList(),
                matches.total(),
                matches.isExact());
    }

    /// Returns the matching deliveries, as many as can be found in the time budget.
    DeadLetterPage matches() {
        return isEmpty() ? DeadLetterPage.EMPTY : matches(pageLocator());
    }

    private DeadLetterPage matches(PageLocator locator) {
        var keys = new ArrayList<DeadLetterQueries.FinishedDeliveryKey>();
        long seen =
                BudgetedScan.scan(
                        locator,
                        budget,
                        location -> keys.addAll(queries.matches(tx, location, filter)));
        return new DeadLetterPage(keys, keys.size(), seen == locator.total());
    }

    FailureGroups groups() {
        var groups = new FailureGroups(scope);
        if (!isEmpty()) {
            var locator = pageLocator();
            long seen =
                    BudgetedScan.scan(
                            locator,
                            budget,
                            location -> groups.add(queries.failureGroups(tx, location, filter)));
            groups.setScanned(seen, seen == locator.total());
        }
        return groups;
    }
}
