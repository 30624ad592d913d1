package dev.sluice.engine.commit;

import dev.sluice.engine.DeliveryId;
import dev.sluice.engine.EventId;
import dev.sluice.engine.Trigger;
import dev.sluice.engine.ledger.LedgerRow;
import dev.sluice.engine.ledger.LedgerStore;
import dev.sluice.gateway.connection.ConnectionId;
import dev.sluice.gateway.source.SourceId;
import dev.sluice.platform.db.NewRows;
import dev.sluice.platform.db.Row;
import dev.sluice.platform.db.Tx;

import java.sql.SQLException;
import java.time.Instant;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;

/// Stores resends, which are new deliveries of stored events. Each call stores resends for one
/// source's events, in the caller's transaction.
///
/// A delivery's ordinal is its number within its event. The event's row is locked while ordinals
/// are assigned, so concurrent resends of one event get different ordinals, without gaps.
public final class ResendStore {

    /// A resend of one event to one connection.
    public record EventResend(EventId event, ConnectionId connection) {}

    private ResendStore() {}

    /// Locks these events until the transaction ends. Locks them in id order, so that concurrent
    /// calls do not deadlock. Returns the events that exist.
    public static List<EventId> lockEvents(Tx tx, SourceId source, Collection<EventId> events) {
        return tx.query(
                """
                select id
                  from event
                 where source_id = ? and id = any (?)
                 order by id
                   for update
                """,
                row -> new EventId(row.uuid("id")),
                source.value(),
                events.stream().map(EventId::value).toList());
    }

    /// Stores resends of events that the caller has locked, and the usage ledger row that counts
    /// these resends.
    ///
    /// @param createdAt the deliveries' creation time
    /// @param dueAt the time from which the deliveries may be sent; not in the past
    /// @return the events for which at least one resend was not stored, because the event already
    ///   has the maximum number of deliveries
    public static Set<EventId> add(
            Tx tx,
            SourceId source,
            List<EventResend> resends,
            Instant createdAt,
            Instant dueAt,
            UUID batch) {
        Set<EventId> events = new LinkedHashSet<>();
        resends.forEach(resend -> events.add(resend.event()));
        var ordinals = lastOrdinals(tx, source, events);
        Set<EventId> full = new LinkedHashSet<>();
        var rows = NewRows.of(resends.size());
        var ledger = new LedgerRow();
        for (var resend : resends) {
            int ordinal =
                    ordinals.getOrDefault(resend.event(), DeliveryId.MIN_RESEND_ORDINAL - 1) + 1;
            if (ordinal > DeliveryId.MAX_ORDINAL) {
                full.add(resend.event());
                continue;
            }
            ordinals.put(resend.event(), ordinal);
            rows.row(6)
                    .uuid(DeliveryId.of(resend.event(), ordinal).value())
                    .instant(dueAt)
                    .instant(createdAt)
                    .uuid(source.value())
                    .uuid(resend.connection().value())
                    .int2(Trigger.RESEND.number());
            ledger.addDelivery(resend.connection(), resend.event(), Trigger.RESEND);
        }
        if (!rows.isEmpty()) {
            tx.insert(
                    LedgerStore.statements(ledger, batch, source),
                    List.of(
                            new Tx.Insertion(
                                    "delivery_work (id, next_at, created_at, source_id,"
                                            + " connection_id, trigger)",
                                    rows)));
        }
        return full;
    }

    /// Returns the ordinal of each event's newest resend. Events that were never resent are missing
    /// from the map.
    private static Map<EventId, Integer> lastOrdinals(
            Tx tx, SourceId source, Collection<EventId> events) {
        Map<EventId, Integer> ordinals = new HashMap<>();
        tx.query(
                        """
                        select greatest(
                                 (select id
                                    from delivery_work
                                   where id >= wanted.first and id <= wanted.last and source_id = ?
                                   order by id desc
                                   limit 1),
                                 (select id
                                    from delivery
                                   where id >= wanted.first and id <= wanted.last and source_id = ?
                                   order by id desc
                                   limit 1)) as id
                          from unnest(?, ?) as wanted (first, last)
                        """,
                        row -> row.isNull("id") ? List.<DeliveryId>of() : List.of(id(row)),
                        source.value(),
                        source.value(),
                        events.stream()
                                .map(event ->
                                        DeliveryId.of(event, DeliveryId.MIN_RESEND_ORDINAL).value())
                                .toList(),
                        events.stream().map(DeliveryId::maxIdOf).toList())
                .forEach(found -> found.forEach(id -> ordinals.put(id.event(), id.ordinal())));
        return ordinals;
    }

    private static DeliveryId id(Row row) throws SQLException {
        return new DeliveryId(row.uuid("id"));
    }
}
