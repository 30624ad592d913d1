package dev.sluice.observe.events;

import dev.sluice.gateway.source.SourceId;
import dev.sluice.observe.events.EventQueries.EventKey;
import dev.sluice.observe.usage.BudgetedScan;
import dev.sluice.observe.usage.PageLocator;
import dev.sluice.observe.usage.UsageQueries;
import dev.sluice.platform.db.Tx;
import dev.sluice.platform.http.Page;
import dev.sluice.platform.id.IdRange;
import dev.sluice.relay.DeliveryId;
import dev.sluice.relay.VerificationStatus;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/// Finds one page of events that match a filter. Each instance is used within one transaction,
/// which must read a snapshot.
final class EventSearch {

    /// A page of matching events.
    ///
    /// @param total the number of matching events on all pages
    /// @param isExact false if only the newest events were scanned for `q`
    record EventPage(List<EventSummary> events, long total, boolean isExact) {
        private static final EventPage EMPTY = new EventPage(List.of(), 0, true);
    }

    private static final List<Integer> ALL_VERIFICATIONS =
            Arrays.stream(VerificationStatus.values()).map(one -> (int) one.number()).toList();

    private final Tx tx;
    private final List<SourceId> sources;
    private final EventFilter filter;
    private final Instant now;
    private final Duration budget;
    private final IdRange range;

    /// @param since events received before this time are expired
    EventSearch(Tx tx, List<SourceId> sources, EventFilter filter, Instant since, Instant now) {
        this(tx, sources, filter, since, now, BudgetedScan.SCAN_TIME_BUDGET);
    }

    /// @param budget the time that a scan may take
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

    EventPage page(Page page) {
        if (sources.isEmpty() || range.isEmpty()) {
            return EventPage.EMPTY;
        }
        if (filter.q().isEmpty()) {
            return countedPage(range, page);
        }
        return switch (EventIdPattern.parse(filter.q().get(), now)) {
            case EventIdPattern.FullId(UUID id) -> singleEventPage(id, page);
            case EventIdPattern.IdPrefix(IdRange ids) -> countedPage(ids.intersect(range), page);
            case EventIdPattern.IdSubstring substring -> scannedPage(substring, page);
            case EventIdPattern.ImpossibleId() -> EventPage.EMPTY;
        };
    }

    static PageLocator pageLocator(
            Tx tx, List<SourceId> sources, Optional<VerificationStatus> verification, IdRange ids) {
        var wanted = verification.map(one -> List.of((int) one.number())).orElse(ALL_VERIFICATIONS);
        var keys = sources.stream().map(SourceId::value).toList();
        return new PageLocator(
                new UsageQueries(tx, UsageQueries.UsageSeries.EVENTS, keys, wanted),
                ids,
                source -> source,
                windows -> EventQueries.count(tx, windows, verification));
    }

    private EventPage countedPage(IdRange ids, Page page) {
        var locator = pageLocator(tx, sources, filter.verification(), ids);
        long total = locator.total();
        if (page.offset() >= total) {
            return new EventPage(List.of(), total, true);
        }
        var location = locator.locate(page.offset(), page.limit());
        var keys = EventQueries.keys(tx, location, filter.verification());
        return new EventPage(EventQueries.summaries(tx, keys), total, true);
    }

    /// Returns the event with this id, or the one that has a delivery with this id.
    private EventPage singleEventPage(UUID id, Page page) {
        var eventId = new DeliveryId(id).event().value();
        if (!range.contains(eventId)) {
            return EventPage.EMPTY;
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
        return new EventPage(page.offset() == 0 ? events : List.of(), events.size(), true);
    }

    /// Scans events for the text, because no index covers it. The scan stops when it has used up
    /// its time budget.
    private EventPage scannedPage(EventIdPattern.IdSubstring substring, Page page) {
        var locator = pageLocator(tx, sources, filter.verification(), range);
        var matches = new ArrayList<EventKey>();
        long seen =
                BudgetedScan.scan(
                        locator,
                        budget,
                        location ->
                                matches.addAll(
                                        EventQueries.matches(
                                                tx, location, filter.verification(), substring)));
        var keys = matches.stream().skip(page.offset()).limit(page.limit()).toList();
        return new EventPage(
                EventQueries.summaries(tx, keys), matches.size(), seen == locator.total());
    }
}
