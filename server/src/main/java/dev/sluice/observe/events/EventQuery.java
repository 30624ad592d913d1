package dev.sluice.observe.events;

import dev.sluice.gateway.source.SourceId;
import dev.sluice.observe.events.EventQueries.EventKey;
import dev.sluice.observe.sums.IdRange;
import dev.sluice.observe.sums.Look;
import dev.sluice.observe.sums.Sums;
import dev.sluice.observe.sums.Timeline;
import dev.sluice.platform.db.Tx;
import dev.sluice.platform.http.Page;
import dev.sluice.platform.id.Uuid7;
import dev.sluice.relay.Verification;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
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

    private static final List<Integer> ANY =
            Arrays.stream(Verification.values()).map(one -> (int) one.number()).toList();

    private final Tx tx;
    private final List<SourceId> sources;
    private final EventFilter filter;
    private final Instant now;
    private final Duration budget;
    private final IdRange range;

    /// @param since what came in before is expired
    EventQuery(Tx tx, List<SourceId> sources, EventFilter filter, Instant since, Instant now) {
        this(tx, sources, filter, since, now, Look.BUDGET);
    }

    /// @param budget of a search
    EventQuery(
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
        range =
                IdRange.between(since, Uuid7.FOREVER)
                        .and(
                                IdRange.between(
                                        filter.after().orElse(since),
                                        filter.before().orElse(Uuid7.FOREVER)));
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

    static Timeline timeline(
            Tx tx, List<SourceId> sources, Optional<Verification> verification, IdRange ids) {
        var wanted = verification.map(one -> List.of((int) one.number())).orElse(ANY);
        var keys = sources.stream().map(SourceId::value).toList();
        return new Timeline(
                new Sums(tx, Sums.Kind.EVENTS, keys, wanted),
                ids,
                source -> source,
                windows -> EventQueries.count(tx, windows, verification));
    }

    private Found listed(IdRange ids, Page page) {
        var list = timeline(tx, sources, filter.verification(), ids);
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

    /// No index serves that, so it ends when its time is up.
    private Found searched(IdText.Within text, Page page) {
        var list = timeline(tx, sources, filter.verification(), range);
        var matches = new ArrayList<EventKey>();
        long seen =
                Look.through(
                        list,
                        budget,
                        place ->
                                matches.addAll(
                                        EventQueries.matches(
                                                tx, place, filter.verification(), text)));
        var keys = matches.stream().skip(page.offset()).limit(page.limit()).toList();
        return new Found(EventQueries.summaries(tx, keys), matches.size(), seen == list.total());
    }
}
