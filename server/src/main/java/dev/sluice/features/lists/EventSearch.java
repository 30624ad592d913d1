package dev.sluice.features.lists;

import dev.sluice.engine.DeliveryId;
import dev.sluice.features.lists.EventQueries.EventKey;
import dev.sluice.gateway.source.SourceId;
import dev.sluice.gateway.source.VerificationStatus;
import dev.sluice.history.EventIdPattern;
import dev.sluice.history.ListPage;
import dev.sluice.history.ResultPage;
import dev.sluice.history.counts.BudgetedScan;
import dev.sluice.history.counts.ListPager;
import dev.sluice.history.counts.PageLocator;
import dev.sluice.history.counts.UsageQueries;
import dev.sluice.history.counts.UsageSum;
import dev.sluice.history.events.EventSummary;
import dev.sluice.platform.db.Tx;
import dev.sluice.platform.id.IdRange;

import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/// Finds one page of the events that match a filter. The filter must not have any conditions on
/// deliveries. Each instance belongs to one transaction. The caller must start the transaction with
/// [dev.sluice.platform.db.Db#snapshot], so that all queries see the same data.
final class EventSearch {

    private static final List<Integer> ALL_VERIFICATIONS =
            Arrays.stream(VerificationStatus.values()).map(one -> (int) one.number()).toList();

    private final Tx tx;
    private final List<SourceId> sources;
    private final EventFilter filter;
    private final Instant now;
    private final Duration budget;
    private final IdRange range;

    /// @param since events received before this time have expired
    EventSearch(Tx tx, List<SourceId> sources, EventFilter filter, Instant since, Instant now) {
        this(tx, sources, filter, since, now, BudgetedScan.SCAN_TIME_BUDGET);
    }

    /// @param budget the time limit for a scan
    EventSearch(
            Tx tx,
            List<SourceId> sources,
            EventFilter filter,
            Instant since,
            Instant now,
            Duration budget) {
        this.tx = tx;
        this.sources = sources;
        this.filter = filter;
        this.now = now;
        this.budget = budget;
        range = filter.received().ids(since);
    }

    ResultPage<EventSummary> page(ListPage page) {
        if (sources.isEmpty() || range.isEmpty()) {
            return ResultPage.empty();
        }
        if (filter.q().isEmpty()) {
            return countedPage(range, page);
        }
        return switch (EventIdPattern.parse(filter.q().get(), now)) {
            case EventIdPattern.FullId(UUID id) -> singleEventPage(id, page);
            case EventIdPattern.IdPrefix(IdRange ids) -> countedPage(ids.intersect(range), page);
            case EventIdPattern.IdSubstring substring -> scannedPage(substring, page);
            case EventIdPattern.ImpossibleId() -> ResultPage.empty();
        };
    }

    private ListPager<EventKey> pager(IdRange ids, ListPage page) {
        return new ListPager<>(
                pageLocator(tx, sources, filter.verification(), ids), ids, page, EventKey::id);
    }

    static PageLocator pageLocator(
            Tx tx, List<SourceId> sources, Optional<VerificationStatus> verification, IdRange ids) {
        var wanted = verification.map(one -> List.of((int) one.number())).orElse(ALL_VERIFICATIONS);
        var keys = sources.stream().map(SourceId::value).toList();
        return new PageLocator(
                UsageSum.of(new UsageQueries(tx, UsageQueries.UsageSeries.EVENTS, keys, wanted)),
                ids,
                source -> source,
                windows -> EventQueries.count(tx, windows, verification));
    }

    private ResultPage<EventSummary> countedPage(IdRange ids, ListPage page) {
        return pager(ids, page)
                .counted(tx, location -> EventQueries.keys(tx, location, filter.verification()))
                .with(keys -> EventQueries.summaries(tx, keys));
    }

    /// Returns a page with at most one event: the one that has this id, or that has a delivery with
    /// this id.
    private ResultPage<EventSummary> singleEventPage(UUID id, ListPage page) {
        var eventId = new DeliveryId(id).event().value();
        if (!range.contains(eventId)) {
            return ResultPage.empty();
        }
        var events =
                EventQueries.summary(tx, sources, eventId)
                        .filter(found ->
                                eventId.equals(id)
                                        || EventQueries.hasDelivery(
                                                tx, found.source(), new DeliveryId(id)))
                        .filter(event ->
                                filter.verification().isEmpty()
                                        || filter.verification().get()
                                                == event.verification().status())
                        .stream()
                        .toList();
        return new ResultPage<>(
                page.seen() == 0 ? events : List.of(), events.size(), true, Optional.empty());
    }

    /// Scans events for ids that contain the text, because no index can be used to find them. The
    /// scan stops when its time budget is used up.
    private ResultPage<EventSummary> scannedPage(
            EventIdPattern.IdSubstring substring, ListPage page) {
        return pager(range, page)
                .scanned(
                        budget,
                        location ->
                                EventQueries.scan(tx, location, filter.verification(), substring))
                .with(keys -> EventQueries.summaries(tx, keys));
    }
}
