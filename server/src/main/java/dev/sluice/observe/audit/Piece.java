package dev.sluice.observe.audit;

import dev.sluice.observe.audit.Standing.Made;
import dev.sluice.observe.audit.Standing.Place;
import dev.sluice.platform.db.Tx;
import dev.sluice.platform.id.Uuid7;
import dev.sluice.relay.DeliveryId;
import dev.sluice.relay.EventId;

import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;

/// What came in within a stretch of time, looked at in one snapshot: rows move between work and
/// history all the time, and in a snapshot each delivery stands where it stood at one moment.
///
/// @param cutShort more events looked wrong than were looked at one by one
record Piece(Usage rows, List<Finding> findings, boolean cutShort) {

    /// Of events looked at one by one; those that look right are only counted.
    private static final int MOST_SUSPECTS = 1_000;

    /// @param tx a snapshot
    /// @param to not later than the end of the day (UTC) in which `from` lies
    static Piece read(Tx tx, Instant from, Instant to) {
        tx.update("set local statement_timeout = '20s'");
        tx.update("set local jit = off");
        // Ids are ranges of the primary keys, and the statistics of these tables are out of date.
        tx.update("set local enable_seqscan = off");
        var low = Uuid7.floor(from);
        var high = Uuid7.floor(to);
        var sources = sources(tx, from);
        var suspects = suspects(tx, sources, low, high);
        boolean isCut = suspects.size() > MOST_SUSPECTS;
        return new Piece(
                Usage.rows(tx, sources, low, high),
                suspects.isEmpty()
                        ? List.of()
                        : judge(tx, sources, isCut ? suspects.subList(0, MOST_SUSPECTS) : suspects),
                isCut);
    }

    /// All that have events on that day, one step of the index for each: events are found by source
    /// and id.
    private static List<UUID> sources(Tx tx, Instant on) {
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

    /// Events whose deliveries look wrong, and those that are not stored and have deliveries.
    ///
    /// An event is well when its deliveries from ingest are as many as it owes and the last ordinal
    /// is that number too, when its resends have no gap, and no id comes twice.
    private static List<EventId> suspects(Tx tx, List<UUID> sources, UUID low, UUID high) {
        return tx.query(
                """
                with stored as (
                  select id, source_id, fanout - coalesce(cardinality(filtered), 0) as owed
                    from event
                   where source_id = any (?) and id >= ? and id < ?),
                standing as (
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
                    from standing
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
                """,
                row -> new EventId(row.uuid("event")),
                sources,
                low,
                high,
                low,
                high,
                low,
                high,
                MOST_SUSPECTS + 1);
    }

    private static List<Finding> judge(Tx tx, List<UUID> sources, List<EventId> suspects) {
        var made = made(tx, sources, suspects);
        var standings = standings(tx, suspects);
        var findings = new ArrayList<Finding>();
        for (var suspect : suspects) {
            findings.addAll(
                    Standing.judge(
                            Optional.ofNullable(made.get(suspect)),
                            standings.getOrDefault(suspect, List.of())));
        }
        return findings;
    }

    private static Map<EventId, Made> made(Tx tx, List<UUID> sources, List<EventId> events) {
        Map<EventId, Made> made = new HashMap<>();
        tx.query(
                        """
                        select id, source_id, fanout, coalesce(cardinality(filtered), 0) as filtered
                          from event
                         where source_id = any (?) and id = any (?)
                        """,
                        row ->
                                new Made(
                                        new EventId(row.uuid("id")),
                                        row.uuid("source_id"),
                                        row.integer("fanout"),
                                        row.integer("filtered")),
                        sources,
                        events.stream().map(EventId::value).toList())
                .forEach(event -> made.put(event.event(), event));
        return made;
    }

    private static Map<EventId, List<Standing>> standings(Tx tx, List<EventId> events) {
        Map<EventId, List<Standing>> standings = new HashMap<>();
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
                                new Standing(
                                        new DeliveryId(row.uuid("id")),
                                        row.uuid("source_id"),
                                        row.bool("is_work") ? Place.WORK : Place.HISTORY),
                        events.stream().map(EventId::value).toList(),
                        events.stream().map(DeliveryId::lastOf).toList())
                .forEach(standing ->
                        standings
                                .computeIfAbsent(
                                        standing.delivery().event(), _ -> new ArrayList<>())
                                .add(standing));
        return standings;
    }
}
