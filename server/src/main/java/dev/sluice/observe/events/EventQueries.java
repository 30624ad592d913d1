package dev.sluice.observe.events;

import dev.sluice.account.workspace.WorkspaceId;
import dev.sluice.gateway.connection.ConnectionId;
import dev.sluice.gateway.source.SourceId;
import dev.sluice.platform.db.Row;
import dev.sluice.platform.db.Tx;
import dev.sluice.platform.id.Uuid7;
import dev.sluice.relay.Checked;
import dev.sluice.relay.DeliveryId;
import dev.sluice.relay.EventId;
import dev.sluice.relay.Payload;
import dev.sluice.relay.Verification;
import dev.sluice.relay.VerificationReason;

import java.sql.SQLException;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// Reads events. Each statement names the sources, which are the workspace's own and not trashed.
final class EventQueries {

    /// How many of an event's deliveries stand where.
    record Counts(int filtered, int delivered, int failed, int pending) {
        static final Counts NONE = new Counts(0, 0, 0, 0);

        int all() {
            return filtered + delivered + failed + pending;
        }
    }

    private static final long HOUR_MILLIS = 3_600_000;

    private EventQueries() {}

    static List<SourceId> sources(Tx tx, WorkspaceId workspace) {
        return tx.query(
                "select id from source where workspace_id = ? and trashed_at is null",
                row -> new SourceId(row.uuid("id")),
                workspace.value());
    }

    /// Newest first. Each source's part is read from its end, so the cost grows with the page.
    ///
    /// @param since what came in before is expired
    static List<EventSummary> list(
            Tx tx, List<SourceId> sources, Instant since, long offset, int limit) {
        return tx.query(
                """
                select event.*
                  from unnest(?) as wanted (source_id),
                       lateral (select id, source_id, method, content_type, verification, verification_reason,
                                       body_size, fanout, coalesce(cardinality(filtered), 0) as filtered
                                  from event
                                 where event.source_id = wanted.source_id and event.id >= ?
                                 order by event.id desc
                                 limit ?) as event
                 order by event.id desc
                offset ? limit ?
                """,
                EventQueries::summary,
                sources.stream().map(SourceId::value).toList(),
                Uuid7.floor(since),
                offset + limit,
                offset,
                limit);
    }

    /// Exactly how many there are since `since`: whole hours from the sums and the part of the
    /// first hour counted, with what the ledger holds still unfolded. One statement, so one moment.
    static long count(Tx tx, List<SourceId> sources, Instant since) {
        int firstWholeHour = (int) (since.toEpochMilli() / HOUR_MILLIS) + 1;
        var ids = sources.stream().map(SourceId::value).toList();
        return tx.single(
                """
                select (select coalesce(sum(n), 0)
                          from rollup_hour
                         where kind = 1 and key = any (?) and hour >= ?)
                     + (select coalesce(sum(n), 0)
                          from ledger, unnest(kinds, keys, hours, counts) as entry (kind, key, hour, n)
                         where kind = 1 and key = any (?) and hour >= ?)
                     + (select count(*)
                          from event
                         where source_id = any (?) and id >= ? and id < ?) as n
                """,
                row -> row.number("n"),
                ids,
                firstWholeHour,
                ids,
                firstWholeHour,
                ids,
                Uuid7.floor(since),
                Uuid7.floor(Instant.ofEpochMilli(firstWholeHour * HOUR_MILLIS)));
    }

    /// The counts of each of these events, from their ranges of delivery ids.
    static Map<EventId, Counts> counts(Tx tx, List<EventSummary> events) {
        var counts = new HashMap<EventId, Counts>();
        tx.query(
                        """
                        select wanted.id,
                               (select count(*) filter (where status = 3)
                                  from delivery
                                 where delivery.id > wanted.id and delivery.id <= wanted.last
                                   and delivery.source_id = wanted.source_id) as delivered,
                               (select count(*) filter (where status in (4, 5))
                                  from delivery
                                 where delivery.id > wanted.id and delivery.id <= wanted.last
                                   and delivery.source_id = wanted.source_id) as failed,
                               (select count(*)
                                  from delivery_work as work
                                 where work.id > wanted.id and work.id <= wanted.last
                                   and work.source_id = wanted.source_id) as pending
                          from unnest(?, ?, ?) as wanted (id, last, source_id)
                        """,
                        row ->
                                Map.entry(
                                        new EventId(row.uuid("id")),
                                        new Counts(
                                                0,
                                                row.integer("delivered"),
                                                row.integer("failed"),
                                                row.integer("pending"))),
                        events.stream().map(event -> event.id().value()).toList(),
                        events.stream().map(event -> DeliveryId.lastOf(event.id())).toList(),
                        events.stream().map(event -> event.source().value()).toList())
                .forEach(entry -> counts.put(entry.getKey(), entry.getValue()));
        return counts;
    }

    /// One event with what came in.
    record Found(EventSummary summary, Payload payload, List<ConnectionId> filtered) {}

    static Optional<Found> find(Tx tx, List<SourceId> sources, EventId id) {
        return tx.one(
                """
                select id, source_id, method, content_type, verification, verification_reason, body_size, fanout,
                       coalesce(cardinality(filtered), 0) as filtered, filtered as filtered_ids, headers, body
                  from event
                 where id = ? and source_id = any (?)
                """,
                row ->
                        new Found(
                                summary(row),
                                Payload.stored(row.bytes("headers"), row.bytes("body")),
                                row.uuids("filtered_ids").stream().map(ConnectionId::new).toList()),
                id.value(),
                sources.stream().map(SourceId::value).toList());
    }

    private static EventSummary summary(Row row) throws SQLException {
        return new EventSummary(
                new EventId(row.uuid("id")),
                new SourceId(row.uuid("source_id")),
                row.text("method"),
                row.textOrNone("content_type"),
                new Checked(
                        Verification.numbered(row.integer("verification")),
                        row.integerOrNone("verification_reason").map(VerificationReason::numbered)),
                row.integer("body_size"),
                row.integer("filtered"));
    }
}
