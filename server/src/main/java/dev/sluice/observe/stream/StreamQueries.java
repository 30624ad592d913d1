package dev.sluice.observe.stream;

import dev.sluice.account.workspace.WorkspaceId;
import dev.sluice.gateway.source.SourceId;
import dev.sluice.observe.events.EventSummary;
import dev.sluice.platform.db.Row;
import dev.sluice.platform.db.Tx;
import dev.sluice.platform.db.TxSnapshot;
import dev.sluice.relay.EventId;
import dev.sluice.relay.EventVerification;
import dev.sluice.relay.Payload;
import dev.sluice.relay.VerificationReason;
import dev.sluice.relay.VerificationStatus;

import java.sql.SQLException;
import java.time.Instant;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;

/// Reads what streams send: the log of commits, and the events themselves.
final class StreamQueries {

    /// What is visible now, and where to look for what became visible since an earlier snapshot.
    ///
    /// @param eventsFrom when the earliest such event arrived; empty if there is none
    record FeedPosition(TxSnapshot snapshot, Optional<Instant> eventsFrom) {}

    /// The row of an event, without its payload.
    ///
    /// @param xidLow the low 32 bits of the transaction that stored it
    record EventRow(EventSummary summary, long xidLow) {}

    private StreamQueries() {}

    /// Returns a name that this database has, and neither a copy of it nor another one.
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

    /// Returns the first transaction after which the log has every commit.
    static long logBegin(Tx tx) {
        return tx.single(
                "select xid from commit_log order by xid limit 1", row -> row.number("xid"));
    }

    /// Returns the sources of these workspaces that are not in the trash.
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

    /// Returns the first events of these sources after an id, in the order of their ids.
    static List<EventRow> events(Tx tx, Collection<SourceId> sources, UUID after, int limit) {
        return tx.query(
                """
                select found.*
                  from unnest(?) as wanted (source_id),
                       lateral (select id, source_id, xmin::text::bigint as xid_low, method, content_type,
                                       verification, verification_reason, body_size,
                                       coalesce(cardinality(filtered), 0) as filtered
                                  from event
                                 where event.source_id = wanted.source_id and event.id > ?
                                 order by event.id
                                 limit ?) as found
                 order by found.id
                 limit ?
                """,
                row -> new EventRow(summary(row), row.number("xid_low")),
                sources.stream().map(SourceId::value).toList(),
                after,
                limit,
                limit);
    }

    private static EventSummary summary(Row row) throws SQLException {
        return new EventSummary(
                new EventId(row.uuid("id")),
                new SourceId(row.uuid("source_id")),
                row.text("method"),
                row.textOrNone("content_type"),
                new EventVerification(
                        VerificationStatus.fromNumber(row.integer("verification")),
                        row.integerOrNone("verification_reason")
                                .map(VerificationReason::fromNumber)),
                row.integer("body_size"),
                row.integer("filtered"));
    }

    /// Returns the payloads of these events. One whose day was just dropped is missing.
    static Map<UUID, Payload> payloads(Tx tx, List<EventSummary> events) {
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
                        events.stream().map(event -> event.source().value()).toList(),
                        events.stream().map(event -> event.id().value()).toList())
                .forEach(entry -> payloads.put(entry.getKey(), entry.getValue()));
        return payloads;
    }

    /// Returns the low 32 bits of the transaction that stored an event of these sources.
    static Optional<Long> transactionOf(Tx tx, Collection<SourceId> sources, UUID event) {
        return tx.findOne(
                "select xmin::text::bigint as xid_low from event where source_id = any (?) and id ="
                        + " ?",
                row -> row.number("xid_low"),
                sources.stream().map(SourceId::value).toList(),
                event);
    }

    /// Returns how many transactions back another one may still have run when this one ended. If
    /// the log has the row of its minute only, this is the largest of that minute.
    static long overlap(Tx tx, long xid) {
        return tx.findOne(
                        "select overlap from commit_log where xid >= ? order by xid limit 1",
                        row -> row.number("overlap"),
                        xid)
                .orElse(0L);
    }
}
