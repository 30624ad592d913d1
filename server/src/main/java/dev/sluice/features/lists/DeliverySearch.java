package dev.sluice.features.lists;

import dev.sluice.engine.DeliveryId;
import dev.sluice.engine.DeliveryStatus;
import dev.sluice.engine.Trigger;
import dev.sluice.history.EventIdPattern;
import dev.sluice.history.EventIdPattern.IdSubstring;
import dev.sluice.history.ListPage;
import dev.sluice.history.ResultPage;
import dev.sluice.history.counts.BudgetedScan;
import dev.sluice.history.counts.ListPager;
import dev.sluice.history.counts.ListPager.ScanStep;
import dev.sluice.history.counts.PageLocator;
import dev.sluice.history.counts.UsageQueries;
import dev.sluice.history.counts.UsageQueries.UsageSeries;
import dev.sluice.history.counts.UsageSum;
import dev.sluice.platform.db.Tx;
import dev.sluice.platform.id.IdRange;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;

/// Finds the deliveries that match a filter, starting with those of the newest event.
///
/// Each instance belongs to one transaction. The caller must start the transaction with
/// [dev.sluice.platform.db.Db#snapshot], so that all queries see the same data.
public final class DeliverySearch {

    private static final List<Integer> TRIGGERS =
            Arrays.stream(Trigger.values()).map(trigger -> (int) trigger.number()).toList();

    /// The statuses of deliveries that are counted both when they are created and when they end. A
    /// filtered delivery does not count as created.
    private static final Set<DeliveryStatus> CREATED_AND_ENDED =
            EnumSet.of(DeliveryStatus.SUCCEEDED, DeliveryStatus.FAILED, DeliveryStatus.EXHAUSTED);

    private final Tx tx;
    private final DeliveryScope scope;
    private final DeliveryFilter filter;
    private final Duration budget;
    private final DeliveryKeyQueries queries;
    private final IdRange range;
    private final Optional<IdSubstring> text;

    /// @param since events received before this time have expired
    /// @param now the current time, which affects how the filter's `q` is parsed
    public DeliverySearch(
            Tx tx,
            DeliveryScope scope,
            DeliveryFilter filter,
            DeliveryKeyQueries.UnfinishedStatus statusOf,
            Instant since,
            Instant now) {
        this(tx, scope, filter, statusOf, since, now, BudgetedScan.SCAN_TIME_BUDGET);
    }

    /// @param budget the time limit for a scan of the deliveries; a scan is necessary if the usage
    ///   counts cannot show where the page is
    public DeliverySearch(
            Tx tx,
            DeliveryScope scope,
            DeliveryFilter filter,
            DeliveryKeyQueries.UnfinishedStatus statusOf,
            Instant since,
            Instant now,
            Duration budget) {
        this.tx = tx;
        this.scope = scope;
        this.filter = filter;
        this.budget = budget;
        queries = new DeliveryKeyQueries(statusesToRead(filter), scope, statusOf);
        var pattern = filter.q().map(q -> EventIdPattern.parse(q, now));
        var received = filter.received().ids(since);
        range = pattern.map(id -> received.intersect(rangeOf(id))).orElse(received);
        text = pattern.filter(IdSubstring.class::isInstance).map(IdSubstring.class::cast);
    }

    private static Set<DeliveryStatus> statusesToRead(DeliveryFilter filter) {
        var statuses = EnumSet.copyOf(filter.statuses());
        if (filter.wantsUnfinished()) {
            statuses.addAll(DeliveryFilter.UNFINISHED_STATUSES);
        }
        return statuses;
    }

    private static IdRange rangeOf(EventIdPattern pattern) {
        return switch (pattern) {
            case EventIdPattern.FullId(UUID id) -> rangeOf(new DeliveryId(id));
            case EventIdPattern.IdPrefix(IdRange ids) -> ids;
            case EventIdPattern.IdSubstring _ -> IdRange.ALL;
            case EventIdPattern.ImpossibleId() -> IdRange.NONE;
        };
    }

    /// Returns the range that contains only this id. If it is the id of an event, the range also
    /// contains the ids of all deliveries of that event.
    private static IdRange rangeOf(DeliveryId id) {
        return id.ordinal() == 0
                ? IdRange.closed(id.value(), DeliveryId.maxIdOf(id.event()))
                : IdRange.closed(id.value(), id.value());
    }

    public boolean isEmpty() {
        return scope.targets().isEmpty() || range.isEmpty();
    }

    public IdRange range() {
        return range;
    }

    public Duration budget() {
        return budget;
    }

    public DeliveryKeyQueries queries() {
        return queries;
    }

    public PageLocator locator() {
        return locator(range);
    }

    /// Returns a locator for the deliveries with these ids.
    public PageLocator locator(IdRange ids) {
        return new PageLocator(
                usage(),
                ids,
                connection -> scope.target(connection).source().value(),
                windows -> queries.count(tx, windows));
    }

    private UsageSum usage() {
        var statuses = queries.statuses();
        if (!filter.wantsUnfinished()) {
            return UsageSum.of(outcomes(statuses));
        }
        var added = new ArrayList<UsageQueries>();
        added.add(new UsageQueries(tx, UsageSeries.DELIVERIES, scope.connections(), TRIGGERS));
        if (statuses.contains(DeliveryStatus.FILTERED)) {
            added.add(outcomes(Set.of(DeliveryStatus.FILTERED)));
        }
        var others = EnumSet.copyOf(CREATED_AND_ENDED);
        others.removeAll(statuses);
        return new UsageSum(added, others.isEmpty() ? List.of() : List.of(outcomes(others)));
    }

    private UsageQueries outcomes(Collection<DeliveryStatus> statuses) {
        return new UsageQueries(
                tx,
                UsageSeries.OUTCOMES,
                scope.connections(),
                statuses.stream().map(status -> (int) status.number()).toList());
    }

    /// Returns the keys of the deliveries on one page.
    public ResultPage<DeliveryKey> page(ListPage page) {
        if (isEmpty()) {
            return ResultPage.empty();
        }
        var pager = new ListPager<>(locator(), range, page, DeliveryKey::id);
        return filter.isCountable() && text.isEmpty()
                ? pager.counted(tx, location -> queries.keys(tx, location))
                : pager.scanned(budget, this::scan);
    }

    /// Reads the matching deliveries at a location.
    public ScanStep<DeliveryKey> scan(PageLocator.PageLocation location) {
        return queries.scan(tx, location, filter, text);
    }
}
