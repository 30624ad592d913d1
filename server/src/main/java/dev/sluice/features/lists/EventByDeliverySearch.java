package dev.sluice.features.lists;

import dev.sluice.engine.DeliveryId;
import dev.sluice.features.lists.EventQueries.EventKey;
import dev.sluice.gateway.source.SourceId;
import dev.sluice.history.EventIdPattern;
import dev.sluice.history.ListPage;
import dev.sluice.history.ResultPage;
import dev.sluice.history.counts.ListPager;
import dev.sluice.history.counts.ListPager.ScanStep;
import dev.sluice.history.counts.PageLocator;
import dev.sluice.history.events.EventSummary;
import dev.sluice.platform.db.Tx;
import dev.sluice.platform.id.IdRange;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Optional;
import java.util.UUID;

/// Finds one page of the events that have at least one delivery matching a filter. Scans the
/// deliveries, newest first, until all are scanned or the time budget is used up.
///
/// Each instance is used once and belongs to one transaction. The caller must start the transaction
/// with [dev.sluice.platform.db.Db#snapshot], so that all queries see the same data.
final class EventByDeliverySearch {

    private final Tx tx;
    private final EventFilter filter;
    private final DeliverySearch deliveries;
    private final Optional<EventIdPattern> pattern;

    /// The event to which the last matching delivery belongs. The next scan may find more of this
    /// event's deliveries.
    private Optional<UUID> lastEvent = Optional.empty();

    /// @param deliveries the search for deliveries that match the filter
    EventByDeliverySearch(Tx tx, EventFilter filter, DeliverySearch deliveries, Instant now) {
        this.tx = tx;
        this.filter = filter;
        this.deliveries = deliveries;
        pattern = filter.q().map(q -> EventIdPattern.parse(q, now));
    }

    /// Returns the range of ids that deliveries of matching events can have.
    private static IdRange deliveryIds(EventIdPattern pattern) {
        return switch (pattern) {
            case EventIdPattern.FullId(UUID id) -> deliveriesOf(id, id);
            case EventIdPattern.IdPrefix(IdRange ids) -> deliveriesOf(ids.low(), ids.high());
            case EventIdPattern.IdSubstring _ -> IdRange.ALL;
            case EventIdPattern.ImpossibleId() -> IdRange.NONE;
        };
    }

    /// Returns a range that contains the ids of all deliveries of the events from `first` to
    /// `last`. Both arguments may be ids of events or of deliveries.
    private static IdRange deliveriesOf(UUID first, UUID last) {
        return IdRange.closed(
                new DeliveryId(first).event().value(),
                DeliveryId.maxIdOf(new DeliveryId(last).event()));
    }

    ResultPage<EventSummary> page(ListPage page) {
        var range =
                pattern.map(EventByDeliverySearch::deliveryIds)
                        .map(deliveries.range()::intersect)
                        .orElse(deliveries.range());
        if (deliveries.isEmpty() || range.isEmpty()) {
            return ResultPage.empty();
        }
        return new ListPager<>(deliveries.locator(range), range, page, EventKey::id)
                .scanned(deliveries.budget(), this::scan)
                .with(keys -> EventQueries.summaries(tx, keys));
    }

    private ScanStep<EventKey> scan(PageLocator.PageLocation location) {
        var found = deliveries.scan(location);
        var events = new ArrayList<EventKey>();
        for (DeliveryKey delivery : found.matches()) {
            var event = new DeliveryId(delivery.id()).event().value();
            if (!lastEvent.equals(Optional.of(event))) {
                lastEvent = Optional.of(event);
                events.add(new EventKey(delivery.source(), event));
            }
        }
        var matches =
                events.stream().filter(event -> isWanted(event.source(), event.id())).toList();
        return new ScanStep<>(
                filter.verification()
                        .map(status -> EventQueries.withVerification(tx, matches, status))
                        .orElse(matches),
                found.last().map(this::afterEvent));
    }

    /// Returns the id below which the scan continues after this delivery. If the delivery's event
    /// has already been found, the scan skips the rest of that event's deliveries.
    private UUID afterEvent(UUID delivery) {
        var event = new DeliveryId(delivery).event().value();
        return lastEvent.equals(Optional.of(event)) ? event : delivery;
    }

    private boolean isWanted(UUID source, UUID event) {
        return pattern.map(wanted ->
                        switch (wanted) {
                            case EventIdPattern.FullId(UUID id) ->
                                    isEventOrDelivery(source, event, id);
                            case EventIdPattern.IdPrefix prefix -> prefix.ids().contains(event);
                            case EventIdPattern.IdSubstring substring -> substring.isIn(event);
                            case EventIdPattern.ImpossibleId() -> false;
                        })
                .orElse(true);
    }

    private boolean isEventOrDelivery(UUID source, UUID event, UUID id) {
        return event.equals(id)
                || (event.equals(new DeliveryId(id).event().value())
                        && EventQueries.hasDelivery(tx, new SourceId(source), new DeliveryId(id)));
    }
}
