package dev.sluice.observe.deadletters;

import dev.sluice.observe.sums.IdRange;
import dev.sluice.observe.sums.Look;
import dev.sluice.observe.sums.Sums;
import dev.sluice.observe.sums.Timeline;
import dev.sluice.platform.db.Tx;
import dev.sluice.platform.http.Page;
import dev.sluice.platform.id.Uuid7;
import dev.sluice.relay.DeliveryStatus;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/// Finds the deliveries that pass a filter. Belongs to one transaction, which must be a snapshot.
final class DeadLetterQuery {

    /// A page of them, newest event first.
    ///
    /// @param total of all pages
    /// @param isExact false when only the newest were looked through
    record Found(List<Rows.Key> keys, long total, boolean isExact) {
        private static final Found NONE = new Found(List.of(), 0, true);
    }

    private final Tx tx;
    private final Scope scope;
    private final DeadLetterFilter filter;
    private final Rows rows;
    private final IdRange range;
    private final Duration budget;

    /// @param since what came in before is expired
    /// @param budget for looking through what the sums do not tell
    DeadLetterQuery(Tx tx, Scope scope, DeadLetterFilter filter, Instant since, Duration budget) {
        this.tx = tx;
        this.scope = scope;
        this.filter = filter;
        this.budget = budget;
        rows = new Rows(filter.statuses(), scope.connections(), scope.isWhole());
        range =
                IdRange.between(since, Uuid7.FOREVER)
                        .and(
                                IdRange.between(
                                        filter.after().orElse(since),
                                        filter.before().orElse(Uuid7.FOREVER)));
    }

    private boolean isEmpty() {
        return scope.targets().isEmpty() || range.isEmpty();
    }

    private Timeline timeline() {
        List<UUID> connections = scope.connections();
        var statuses =
                filter.statuses().stream()
                        .map(DeliveryStatus::number)
                        .map(Short::intValue)
                        .toList();
        return new Timeline(
                new Sums(tx, Sums.Kind.OUTCOMES, connections, statuses),
                range,
                connection -> scope.target(connection).source().value(),
                windows -> rows.count(tx, windows));
    }

    Found page(Page page) {
        if (isEmpty()) {
            return Found.NONE;
        }
        var timeline = timeline();
        return filter.isCounted() ? counted(timeline, page) : searched(timeline, page);
    }

    private Found counted(Timeline timeline, Page page) {
        long total = timeline.total();
        if (page.offset() >= total) {
            return new Found(List.of(), total, true);
        }
        var place = timeline.find(page.offset(), page.limit());
        return new Found(rows.keys(tx, place), total, true);
    }

    private Found searched(Timeline timeline, Page page) {
        var matches = new ArrayList<Rows.Key>();
        long seen =
                Look.through(
                        timeline, budget, place -> matches.addAll(rows.matches(tx, place, filter)));
        return new Found(
                matches.stream().skip(page.offset()).limit(page.limit()).toList(),
                matches.size(),
                seen == timeline.total());
    }

    FailureGroups groups() {
        var groups = new FailureGroups(scope);
        if (!isEmpty()) {
            var timeline = timeline();
            long seen =
                    Look.through(
                            timeline, budget, place -> groups.add(rows.alike(tx, place, filter)));
            groups.looked(seen, seen == timeline.total());
        }
        return groups;
    }
}
