package dev.sluice.observe.events;

import dev.sluice.gateway.source.SourceId;
import dev.sluice.observe.events.EventQueries.EventKey;
import dev.sluice.platform.db.Tx;
import dev.sluice.platform.http.Page;

import java.time.Instant;
import java.util.List;
import java.util.UUID;

/// Answers one request for a list of events. Belongs to one transaction, which must be a snapshot.
final class EventQuery {

    /// A page of the events that pass.
    ///
    /// @param total of all pages
    /// @param isExact false when only the newest events were looked through for `q`
    record Found(List<EventSummary> events, long total, boolean isExact) {
        private static final Found NONE = new Found(List.of(), 0, true);
    }

    private final Tx tx;
    private final List<SourceId> sources;
    private final EventFilter filter;
    private final Instant now;
    private final IdRange range;

    /// @param since what came in before is expired
    EventQuery(Tx tx, List<SourceId> sources, EventFilter filter, Instant since, Instant now) {
        this.tx = tx;
        this.sources = sources;
        this.filter = filter;
        this.now = now;
        range =
                IdRange.between(since, IdRange.FOREVER)
                        .and(
                                IdRange.between(
                                        filter.after().orElse(since),
                                        filter.before().orElse(IdRange.FOREVER)));
    }

    Found page(Page page) {
        if (sources.isEmpty() || range.isEmpty()) {
            return Found.NONE;
        }
        if (filter.q().isEmpty()) {
            return listed(range, page);
        }
        return switch (IdText.of(filter.q().get(), now)) {
            case IdText.Whole(UUID id) -> one(id, page);
            case IdText.Prefix(IdRange ids) -> listed(ids.and(range), page);
            case IdText.Within text -> searched(text, page);
            case IdText.Nowhere() -> Found.NONE;
        };
    }

    private Found listed(IdRange ids, Page page) {
        var list = new EventList(tx, sources, filter.verification(), ids);
        long total = list.total();
        if (page.offset() >= total) {
            return new Found(List.of(), total, true);
        }
        var place = list.find(page.offset(), page.limit());
        var keys = EventQueries.keys(tx, place, filter.verification());
        return new Found(EventQueries.summaries(tx, keys), total, true);
    }

    private Found one(UUID id, Page page) {
        if (!range.contains(id)) {
            return Found.NONE;
        }
        var events =
                EventQueries.summary(tx, sources, id)
                        .filter(event ->
                                filter.verification().isEmpty()
                                        || filter.verification().get()
                                                == event.verification().status())
                        .stream()
                        .toList();
        return new Found(page.offset() == 0 ? events : List.of(), events.size(), true);
    }

    private Found searched(IdText.Within text, Page page) {
        var list = new EventList(tx, sources, filter.verification(), range);
        var found = EventSearch.run(tx, list, filter.verification(), text, EventSearch.BUDGET);
        List<EventKey> keys =
                found.matches().stream().skip(page.offset()).limit(page.limit()).toList();
        return new Found(EventQueries.summaries(tx, keys), found.matches().size(), found.isWhole());
    }
}
