package dev.sluice.features.audit;

import dev.sluice.engine.DeliveryId;
import dev.sluice.engine.ErrorCode;
import dev.sluice.engine.EventId;
import dev.sluice.features.audit.AuditedDelivery.AuditedEvent;
import dev.sluice.features.audit.AuditedDelivery.DeliveryTable;
import dev.sluice.history.IngestOrdinals;
import dev.sluice.platform.db.PlannerFeature;
import dev.sluice.platform.db.Tx;
import dev.sluice.platform.id.Uuid7;

import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/// Reads the events and deliveries in a time slice. All statements for a slice run in one database
/// snapshot.
final class AuditQueries {

    private AuditQueries() {}

    /// Limits the cost of the audit's statements until the transaction ends.
    static void limit(Tx tx) {
        tx.update("set local statement_timeout = '20s'");
        // All statements read primary key ranges. The statistics on these tables are out of date,
        // so the planner might otherwise choose a full scan.
        tx.disable(PlannerFeature.SEQUENTIAL_SCAN, PlannerFeature.JIT);
    }

    /// Returns the sources that have events on the UTC day containing `on`.
    ///
    /// The primary key of `event` consists of the source and the id, so the query uses its index to
    /// jump from one source to the next.
    static List<UUID> sources(Tx tx, Instant on) {
        var day = on.truncatedTo(ChronoUnit.DAYS);
        var low = Uuid7.floor(day);
        var high = Uuid7.floor(day.plus(Duration.ofDays(1)));
        return tx.query(
                """
                with recursive step (source_id) as (
                  (select source_id from event where id >= ? and id < ? order by source_id limit 1)
                  union all
                  select (select event.source_id
                            from event
                           where event.source_id > step.source_id and id >= ? and id < ?
                           order by event.source_id
                           limit 1)
                    from step
                   where step.source_id is not null)
                select source_id from step where source_id is not null
                """,
                row -> row.uuid("source_id"),
                low,
                high,
                low,
                high);
    }

    /// Returns the ids of events whose delivery rows look wrong. This includes the ids of events
    /// that have delivery rows but are not stored under the source that those rows name.
    ///
    /// An event looks right if all of the following are true. Ingest created the expected number of
    /// deliveries for it, and that number is also the highest ordinal (a delivery's number within
    /// its event) among them. The ordinals of its resends have no gaps. No delivery id occurs
    /// twice.
    ///
    /// @param limit the maximum number of events to return
    static List<EventId> suspects(Tx tx, List<UUID> sources, UUID low, UUID high, int limit) {
        return tx.query(
                """
                with stored as (
                  select id, source_id, %s as owed
                    from event
                   where source_id = any (?) and id >= ? and id < ?),
                row_ids as (
                  select id, source_id, left(id::text, 33) as event, right(id::text, 3) as ordinal
                    from (select id, source_id from delivery_work where id >= ? and id < ?
                          union all
                          select id, source_id from delivery where id >= ? and id < ?) as place),
                placed as (
                  select (event || '000')::uuid as event, source_id,
                         count(*) as places,
                         count(distinct id) as deliveries,
                         count(distinct id) filter (where ordinal collate "C" < '400') as made,
                         max(ordinal collate "C") filter (where ordinal collate "C" < '400') as last,
                         count(distinct id) filter (where ordinal collate "C" >= '400') as resent,
                         max(ordinal collate "C") filter (where ordinal collate "C" >= '400') as last_resent
                    from row_ids
                   group by event, source_id)
                select distinct coalesce(stored.id, placed.event) as event
                  from stored
                  full join placed on placed.event = stored.id and placed.source_id = stored.source_id
                 where stored.id is null
                    or places <> deliveries
                    or coalesce(made, 0) <> owed
                    or coalesce(last, '000') <> lpad(to_hex(owed), 3, '0')
                    or coalesce(last_resent, '3ff') <> to_hex(coalesce(resent, 0) + 1023)
                 order by event
                 limit ?
                """
                        .formatted(IngestOrdinals.ROW_COUNT_SQL),
                row -> new EventId(row.uuid("event")),
                sources,
                low,
                high,
                low,
                high,
                low,
                high,
                limit);
    }

    /// Returns up to `limit` deliveries with ids from `low` up to but not including `high` that
    /// ended because their event's payload could not be read.
    static List<DeliveryId> withUnreadablePayload(Tx tx, UUID low, UUID high, int limit) {
        return tx.query(
                """
                select id
                  from delivery
                 where id >= ? and id < ? and error_code = ?
                 order by id
                 limit ?
                """,
                row -> new DeliveryId(row.uuid("id")),
                low,
                high,
                (int) ErrorCode.PAYLOAD_UNREADABLE.number(),
                limit);
    }

    static Map<EventId, AuditedEvent> events(Tx tx, List<UUID> sources, List<EventId> events) {
        Map<EventId, AuditedEvent> found = new HashMap<>();
        tx.query(
                        """
                        select id, source_id, fanout, coalesce(cardinality(filtered), 0) as filtered
                          from event
                         where source_id = any (?) and id = any (?)
                        """,
                        row ->
                                new AuditedEvent(
                                        new EventId(row.uuid("id")),
                                        row.uuid("source_id"),
                                        row.integer("fanout"),
                                        row.integer("filtered")),
                        sources,
                        events.stream().map(EventId::value).toList())
                .forEach(event -> found.put(event.event(), event));
        return found;
    }

    static Map<EventId, List<AuditedDelivery>> deliveries(Tx tx, List<EventId> events) {
        Map<EventId, List<AuditedDelivery>> byEvent = new HashMap<>();
        tx.query(
                        """
                        select place.id, place.source_id, place.is_work
                          from unnest(?, ?) as range (low, high)
                          join (select id, source_id, true as is_work from delivery_work
                                union all
                                select id, source_id, false from delivery) as place
                            on place.id > range.low and place.id <= range.high
                         order by place.id, place.is_work desc
                        """,
                        row ->
                                new AuditedDelivery(
                                        new DeliveryId(row.uuid("id")),
                                        row.uuid("source_id"),
                                        row.bool("is_work")
                                                ? DeliveryTable.WORK
                                                : DeliveryTable.HISTORY),
                        events.stream().map(EventId::value).toList(),
                        events.stream().map(DeliveryId::maxIdOf).toList())
                .forEach(delivery ->
                        byEvent.computeIfAbsent(delivery.delivery().event(), _ -> new ArrayList<>())
                                .add(delivery));
        return byEvent;
    }
}
