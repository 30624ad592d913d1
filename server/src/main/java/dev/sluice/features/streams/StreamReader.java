package dev.sluice.features.streams;

import dev.sluice.account.workspace.WorkspaceId;
import dev.sluice.engine.EventId;
import dev.sluice.engine.Payload;
import dev.sluice.gateway.routing.ConfigurationCache;
import dev.sluice.gateway.source.SourceId;
import dev.sluice.history.events.EventSummary;
import dev.sluice.history.events.EventTypeQueries;
import dev.sluice.platform.db.Db;
import dev.sluice.platform.db.DbException;
import dev.sluice.platform.db.Halving;
import dev.sluice.platform.db.TxSnapshot;
import dev.sluice.platform.id.Uuid7;

import org.jspecify.annotations.Nullable;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Predicate;
import java.util.stream.Stream;

/// Reads a round's events and outcomes page by page. Also finds the position from which a client
/// continues after it reconnects. Thread-safe.
public final class StreamReader {

    private static final int PAGE_EVENTS = 500;
    private static final int MAX_PAGE_BYTES = 1 << 20;

    /// The maximum age of a snapshot, in transactions. Rows contain only 32 bits of a transaction's
    /// id, so they cannot be compared with an older snapshot.
    private static final long MAX_AGE_TRANSACTIONS = 1L << 30;

    /// A page of a round's events or outcomes, in the order of their ids.
    ///
    /// @param next the cursor after this page
    public record StreamPage(List<? extends StreamItem> items, StreamCursor next) {}

    /// An event in a round, whose type and payload have not been read yet.
    ///
    /// @param xid the id of the transaction that stored the event
    private record UntypedEvent(EventSummary summary, long xid) {}

    /// A page of a round's events, whose types and payloads have not been read yet.
    ///
    /// @param next the cursor after these events
    private record EventPage(List<UntypedEvent> events, StreamCursor next) {}

    private final Db db;
    private final ConfigurationCache configuration;
    private volatile @Nullable String databaseName;

    public StreamReader(Db db, ConfigurationCache configuration) {
        this.db = db;
        this.configuration = configuration;
    }

    public String databaseName() {
        @Nullable String name = databaseName;
        if (name == null) {
            name = db.call(StreamQueries::databaseName);
            databaseName = name;
        }
        return name;
    }

    public StreamQueries.FeedPosition position(TxSnapshot since) {
        return db.call(tx -> StreamQueries.position(tx, since));
    }

    public Map<SourceId, WorkspaceId> sources(Collection<WorkspaceId> workspaces) {
        return db.call(tx -> StreamQueries.sources(tx, workspaces));
    }

    /// Reads the next events of the cursor's round. If these are the last events of the round, the
    /// page's `next` is [StreamCursor#endOfEvents].
    ///
    /// @param from the arrival time from which to read; events that arrived earlier are not in this
    ///   round or have expired
    /// @param needsPayload selects the sources whose payloads are read
    public StreamPage events(
            Collection<SourceId> sources,
            StreamCursor cursor,
            Instant from,
            Predicate<SourceId> needsPayload) {
        var page =
                db.snapshot(tx -> {
                    UUID after = Uuid7.max(cursor.after(), Uuid7.lowerBound(from));
                    var rows = StreamQueries.events(tx, sources, after, PAGE_EVENTS);
                    var events = new ArrayList<UntypedEvent>();
                    long bytes = 0;
                    boolean isWhole = true;
                    UUID last = after;
                    for (var row : rows) {
                        long xid = cursor.until().fullXid(row.xidLow());
                        UUID id = row.summary().id().value();
                        if (cursor.isMissing(xid, id)) {
                            if (needsPayload.test(row.summary().source())) {
                                bytes += row.summary().bodySize() + row.headersSize();
                            }
                            if (bytes > MAX_PAGE_BYTES && !events.isEmpty()) {
                                isWhole = false;
                                break;
                            }
                            events.add(new UntypedEvent(row.summary(), xid));
                        }
                        last = id;
                    }
                    boolean isEnd = isWhole && rows.size() < PAGE_EVENTS;
                    return new EventPage(events, isEnd ? cursor.endOfEvents() : cursor.after(last));
                });
        return new StreamPage(withPayloads(typed(page.events()), needsPayload), page.next());
    }

    /// Reads the next outcomes of the cursor's round. If these are the last outcomes of the round,
    /// the page's `next` is [StreamCursor#endOfRound].
    public StreamPage outcomes(Collection<SourceId> sources, StreamCursor cursor) {
        return db.snapshot(tx -> {
            var locations = OutcomeQueries.locations(tx, cursor.seen());
            if (locations.isEmpty()) {
                return new StreamPage(List.of(), cursor.endOfRound());
            }
            var rows = OutcomeQueries.outcomes(tx, sources, locations, cursor.after(), PAGE_EVENTS);
            var missing =
                    rows.stream()
                            .filter(row ->
                                    cursor.isMissing(
                                            cursor.until().fullXid(row.xidLow()),
                                            row.outcome().id()))
                            .map(OutcomeQueries.OutcomeRow::outcome)
                            .toList();
            return new StreamPage(
                    missing,
                    rows.size() < PAGE_EVENTS
                            ? cursor.endOfRound()
                            : cursor.after(rows.getLast().outcome().id()));
        });
    }

    /// Returns the events with the types that their senders gave them. An event has no type if the
    /// database cannot read its stored payload.
    private List<StreamEvent> typed(List<UntypedEvent> found) {
        var types = new HashMap<EventId, String>();
        var _ =
                Halving.run(
                        found.stream().map(UntypedEvent::summary).toList(),
                        part -> types.putAll(db.call(tx -> EventTypeQueries.of(tx, part))),
                        StreamReader::isUnreadable);
        return found.stream()
                .map(event ->
                        StreamEvent.withoutPayload(
                                event.summary(),
                                Optional.ofNullable(types.get(event.summary().id())),
                                event.xid()))
                .toList();
    }

    private static boolean isUnreadable(RuntimeException e) {
        return e instanceof DbException refused && refused.isUnreadableValue();
    }

    /// Returns the events, including the payloads of those whose source `needsPayload` selects.
    /// Omits events from selected sources if they have expired since they were read.
    ///
    /// If the database cannot read a stored payload, the whole query fails. The batch is then split
    /// in half and each half is read separately. This is repeated until the damaged payload is in a
    /// batch of its own.
    private List<StreamEvent> withPayloads(
            List<StreamEvent> events, Predicate<SourceId> needsPayload) {
        var needed =
                events.stream()
                        .filter(event -> needsPayload.test(event.summary().source()))
                        .toList();
        if (needed.isEmpty()) {
            return events;
        }
        var payloads = new HashMap<UUID, Optional<Payload>>();
        Halving.run(
                        needed,
                        part ->
                                db.call(tx -> StreamQueries.payloads(tx, part))
                                        .forEach((id, read) -> payloads.put(id, Optional.of(read))),
                        StreamReader::isUnreadable)
                .keySet()
                .forEach(event -> payloads.put(event.id(), Optional.empty()));
        return events.stream()
                .flatMap(event ->
                        needsPayload.test(event.summary().source())
                                ? Optional.ofNullable(payloads.get(event.id())).stream()
                                        .map(payload -> with(event, payload))
                                : Stream.of(event))
                .toList();
    }

    private StreamEvent with(StreamEvent event, Optional<Payload> payload) {
        return payload.map(read -> event.with(read, credential(event.summary().source())))
                .orElseGet(event::withUnreadablePayload);
    }

    private Optional<String> credential(SourceId source) {
        return configuration.source(source).flatMap(from -> from.verification().credentialHeader());
    }

    /// Returns the cursor after an event, for a client that knows only the event's id. Returns
    /// empty if none of these sources has the event.
    public Optional<StreamCursor> cursorAfter(Collection<SourceId> sources, UUID event) {
        String name = databaseName();
        return db.snapshot(tx ->
                StreamQueries.transactionOf(tx, sources, event)
                        .map(xidLow -> {
                            var now = StreamQueries.position(tx, TxSnapshot.before(1)).snapshot();
                            long xid = now.fullXid(xidLow);
                            return StreamCursor.after(
                                    name, event, xid, StreamQueries.overlap(tx, xid));
                        }));
    }

    /// Returns where a stream starts for a client that has received everything up to this cursor.
    ///
    /// @param cutoff events that arrived at this time or earlier have expired
    public StreamStart resume(StreamCursor cursor, Instant cutoff, boolean withDeliveries) {
        var position = position(cursor.seen());
        long next = position.snapshot().next();
        boolean isOfThisDatabase =
                cursor.database().equals(databaseName())
                        && cursor.seen().next() <= next
                        && cursor.until().next() <= next;
        if (!isOfThisDatabase) {
            return new StreamStart(Optional.empty(), Optional.of("database_replaced"));
        }
        long oldest = cursor.seen().oldestRunning();
        boolean isOfOldest = isOfOldest(cursor, next);
        if (!isOfOldest && (next - oldest >= MAX_AGE_TRANSACTIONS || !isInLog(cursor))) {
            return fromOldest();
        }
        boolean hasLost =
                isOfOldest
                        ? cursor.hasEventsBefore(cutoff)
                        : position.eventsFrom().filter(first -> !first.isAfter(cutoff)).isPresent();
        if (hasLost) {
            return new StreamStart(Optional.of(cursor), Optional.of("retention"));
        }
        boolean hasLostOutcomes = withDeliveries && oldest <= db.call(OutcomeQueries::compactedTo);
        return new StreamStart(
                Optional.of(cursor),
                hasLostOutcomes ? Optional.of("deliveries_compacted") : Optional.empty());
    }

    /// Returns whether the cursor is within a round that can be continued and that started with the
    /// oldest stored event. Such a round sends everything that the snapshot at its end sees, so the
    /// log only needs to contain the commits after that snapshot.
    private boolean isOfOldest(StreamCursor cursor, long next) {
        long end = cursor.until().oldestRunning();
        return cursor.seen().seesNothing()
                && !cursor.isBetweenRounds()
                && next - end < MAX_AGE_TRANSACTIONS
                && end > db.call(StreamQueries::logBegin);
    }

    /// Returns whether the commit log contains every commit after this cursor.
    public boolean isInLog(StreamCursor cursor) {
        return cursor.seen().oldestRunning() > db.call(StreamQueries::logBegin);
    }

    /// Returns where a stream starts for a client whose position is no longer known: with the
    /// oldest stored event.
    public StreamStart fromOldest() {
        return new StreamStart(
                Optional.of(StreamCursor.at(databaseName(), TxSnapshot.before(1))),
                Optional.of("retention"));
    }
}
