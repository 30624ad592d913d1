package dev.sluice.observe.stream;

import dev.sluice.account.workspace.WorkspaceId;
import dev.sluice.gateway.routing.ConfigurationCache;
import dev.sluice.gateway.source.SourceId;
import dev.sluice.platform.db.Db;
import dev.sluice.platform.db.Tx;
import dev.sluice.platform.db.TxSnapshot;
import dev.sluice.platform.id.Uuid7;

import org.jspecify.annotations.Nullable;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;

/// Reads the events of a round, page by page. Thread-safe.
public final class StreamReader {

    private static final int PAGE_EVENTS = 500;
    private static final int MAX_PAGE_BYTES = 4 << 20;

    /// A snapshot this many transactions old can no longer be compared with rows, which have only
    /// 32 bits of a transaction's number.
    private static final long MAX_AGE_TRANSACTIONS = 1L << 30;

    /// Events of a round, in the order of their ids.
    ///
    /// @param next the cursor behind them
    record StreamPage(List<StreamEvent> events, StreamCursor next) {}

    private final Db db;
    private final ConfigurationCache configuration;
    private volatile @Nullable String databaseName;

    public StreamReader(Db db, ConfigurationCache configuration) {
        this.db = db;
        this.configuration = configuration;
    }

    String databaseName() {
        @Nullable String name = databaseName;
        if (name == null) {
            name = db.call(StreamQueries::databaseName);
            databaseName = name;
        }
        return name;
    }

    StreamQueries.FeedPosition position(TxSnapshot since) {
        return db.call(tx -> StreamQueries.position(tx, since));
    }

    Map<SourceId, WorkspaceId> sources(Collection<WorkspaceId> workspaces) {
        return db.call(tx -> StreamQueries.sources(tx, workspaces));
    }

    /// Reads the next events of the cursor's round. The round is over when the returned cursor is
    /// between two rounds.
    ///
    /// @param from events that arrived earlier are not in this round, or have expired
    StreamPage page(
            Collection<SourceId> sources, StreamCursor cursor, Instant from, boolean withPayload) {
        return db.snapshot(tx -> {
            UUID after = Uuid7.max(cursor.after(), Uuid7.lowerBound(from));
            var rows = StreamQueries.events(tx, sources, after, PAGE_EVENTS);
            var events = new ArrayList<StreamEvent>();
            long bytes = 0;
            boolean isWhole = true;
            UUID last = after;
            for (var row : rows) {
                long xid = cursor.until().fullXid(row.xidLow());
                UUID id = row.summary().id().value();
                if (cursor.isMissing(xid, id)) {
                    bytes += row.summary().bodySize();
                    if (withPayload && bytes > MAX_PAGE_BYTES && !events.isEmpty()) {
                        isWhole = false;
                        break;
                    }
                    events.add(new StreamEvent(row.summary(), xid, null, Optional.empty()));
                }
                last = id;
            }
            boolean isEnd = isWhole && rows.size() < PAGE_EVENTS;
            return new StreamPage(
                    withPayload ? withPayloads(tx, events) : events,
                    isEnd ? cursor.endOfRound() : cursor.after(last));
        });
    }

    private List<StreamEvent> withPayloads(Tx tx, List<StreamEvent> events) {
        var payloads =
                StreamQueries.payloads(tx, events.stream().map(StreamEvent::summary).toList());
        return events.stream()
                .filter(event -> payloads.containsKey(event.id()))
                .map(event ->
                        event.with(payloads.get(event.id()), credential(event.summary().source())))
                .toList();
    }

    private Optional<String> credential(SourceId source) {
        return configuration.source(source).flatMap(from -> from.verification().credentialHeader());
    }

    /// Returns the cursor behind an event of these sources; empty if there is no such event.
    Optional<StreamCursor> cursorAfter(Collection<SourceId> sources, UUID event) {
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

    /// Returns where a client continues that has got everything up to this cursor.
    ///
    /// @param cutoff events that arrived up to then have expired
    StreamStart resume(StreamCursor cursor, Instant cutoff) {
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
        if (next - oldest >= MAX_AGE_TRANSACTIONS || oldest <= db.call(StreamQueries::logBegin)) {
            return fromOldest();
        }
        boolean hasLost = position.eventsFrom().filter(first -> !first.isAfter(cutoff)).isPresent();
        return new StreamStart(
                Optional.of(cursor), hasLost ? Optional.of("retention") : Optional.empty());
    }

    /// Returns the start of a client whose place is no longer known: all events that are kept.
    StreamStart fromOldest() {
        return new StreamStart(
                Optional.of(StreamCursor.at(databaseName(), TxSnapshot.before(1))),
                Optional.of("retention"));
    }
}
