package dev.sluice.features.streams;

import dev.sluice.account.workspace.WorkspaceId;
import dev.sluice.engine.Payload;
import dev.sluice.gateway.source.SourceId;
import dev.sluice.history.events.EventSummary;
import dev.sluice.platform.db.Tx;
import dev.sluice.platform.db.TxSnapshot;

import java.time.Instant;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;

/// Reads the events that streams send, and the commit log (`commit_log`), which shows where to look
/// for new events.
final class StreamQueries {

    /// The current snapshot, and where to start looking for the events that have become visible
    /// since an earlier snapshot.
    ///
    /// @param eventsFrom a time at or before the arrival of the earliest of these events, or empty
    ///   if there are none
    public record FeedPosition(TxSnapshot snapshot, Optional<Instant> eventsFrom) {}

    /// The row of an event, without its payload.
    ///
    /// @param xidLow the low 32 bits of the id of the transaction that stored the event
    /// @param headersSize the size of the stored headers in bytes
    record EventRow(EventSummary summary, long xidLow, int headersSize) {}

    private StreamQueries() {}

    /// Returns a name that identifies this database. A database that was restored from a dump gets
    /// a different name.
    static String databaseName(Tx tx) {
        return tx.single(
                """
                select (select system_identifier from pg_control_system())
                       || '-' || (select oid from pg_database where datname = current_database()) as name
                """,
                row -> row.text("name"));
    }

    static FeedPosition position(Tx tx, TxSnapshot since) {
        return tx.single(
                """
                select pg_current_snapshot()::text as snapshot,
                       (select min(events_from)
                          from commit_log
                         where xid >= ?
                           and (compacted_at is not null
                                or not pg_visible_in_snapshot(xid::text::xid8, ?::pg_snapshot))
                       ) as events_from
                """,
                row ->
                        new FeedPosition(
                                TxSnapshot.parse(row.text("snapshot")),
                                row.isNull("events_from")
                                        ? Optional.empty()
                                        : Optional.of(
                                                Instant.ofEpochMilli(row.number("events_from")))),
                since.oldestRunning(),
                since.toString());
    }

    /// Returns the id of the first transaction in the log. The log contains every later commit.
    static long logBegin(Tx tx) {
        return tx.single(
                "select xid from commit_log order by xid limit 1", row -> row.number("xid"));
    }

    /// Returns these workspaces' sources, except for those in the trash.
    static Map<SourceId, WorkspaceId> sources(Tx tx, Collection<WorkspaceId> workspaces) {
        var sources = new HashMap<SourceId, WorkspaceId>();
        tx.query(
                        """
                        select id, workspace_id
                          from source
                         where workspace_id = any (?) and trashed_at is null
                        """,
                        row ->
                                Map.entry(
                                        new SourceId(row.uuid("id")),
                                        new WorkspaceId(row.uuid("workspace_id"))),
                        workspaces.stream().map(WorkspaceId::value).toList())
                .forEach(entry -> sources.put(entry.getKey(), entry.getValue()));
        return sources;
    }

    /// Returns up to `limit` events from these sources with ids greater than `after`, ordered by
    /// id.
    static List<EventRow> events(Tx tx, Collection<SourceId> sources, UUID after, int limit) {
        return tx.query(
                """
                select found.*
                  from unnest(?) as wanted (source_id),
                       lateral (select id, source_id, xmin::text::bigint as xid_low, method, content_type,
                                       verification, verification_reason, body_size,
                                       coalesce(cardinality(filtered), 0) as filtered,
                                       octet_length(headers) as headers_size
                                  from event
                                 where event.source_id = wanted.source_id and event.id > ?
                                 order by event.id
                                 limit ?) as found
                 order by found.id
                 limit ?
                """,
                row ->
                        new EventRow(
                                EventSummary.read(row),
                                row.number("xid_low"),
                                row.integer("headers_size")),
                sources.stream().map(SourceId::value).toList(),
                after,
                limit,
                limit);
    }

    /// Returns each event's payload. Omits events whose rows have been removed in the meantime.
    static Map<UUID, Payload> payloads(Tx tx, List<StreamEvent> events) {
        var payloads = new HashMap<UUID, Payload>();
        tx.query(
                        """
                        select event.id, event.method, event.headers, event.body
                          from unnest(?, ?) as wanted (source_id, id),
                               lateral (select id, method, headers, body
                                          from event
                                         where event.source_id = wanted.source_id
                                           and event.id = wanted.id
                                        offset 0) as event
                        """,
                        row ->
                                Map.entry(
                                        row.uuid("id"),
                                        Payload.fromStored(row.bytes("headers"), row.bytes("body"))
                                                .withMethod(row.text("method"))),
                        events.stream().map(event -> event.summary().source().value()).toList(),
                        events.stream().map(StreamEvent::id).toList())
                .forEach(entry -> payloads.put(entry.getKey(), entry.getValue()));
        return payloads;
    }

    /// Returns the low 32 bits of the id of the transaction that stored the event, or empty if none
    /// of these sources has the event.
    static Optional<Long> transactionOf(Tx tx, Collection<SourceId> sources, UUID event) {
        return tx.findOne(
                "select xmin::text::bigint as xid_low from event where source_id = any (?) and id ="
                        + " ?",
                row -> row.number("xid_low"),
                sources.stream().map(SourceId::value).toList(),
                event);
    }

    /// Returns the maximum difference between `xid` and the id of an older transaction that was
    /// still running when `xid` committed. If that commit's log row has been compacted, this is the
    /// maximum for all commits from about the same minute. Returns 0 if the log has no row for that
    /// commit or a later one.
    static long overlap(Tx tx, long xid) {
        return tx.findOne(
                        "select overlap from commit_log where xid >= ? order by xid limit 1",
                        row -> row.number("overlap"),
                        xid)
                .orElse(0L);
    }
}
