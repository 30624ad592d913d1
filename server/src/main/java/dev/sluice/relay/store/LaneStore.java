package dev.sluice.relay.store;

import dev.sluice.gateway.destination.DestinationId;
import dev.sluice.gateway.source.SourceId;
import dev.sluice.platform.db.PlannerFeature;
import dev.sluice.platform.db.Tx;
import dev.sluice.relay.EventId;
import dev.sluice.relay.Payload;
import dev.sluice.relay.UnfinishedDelivery;

import java.time.Instant;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;

/// Reads and writes lanes, and reads the deliveries that wait in them.
///
/// A lane's `wake_at` is only a hint. It may be late or lost, and [#sweep] repairs it. A lane and
/// its deliveries therefore need not change in the same transaction, and never do.
public final class LaneStore {

    /// A delivery that waits for its next attempt.
    ///
    /// @param recoveries number of process deaths during its attempts; see
    ///   [dev.sluice.relay.PoisonPolicy]
    public record WaitingDelivery(UnfinishedDelivery delivery, Instant nextAt, int recoveries) {}

    /// A lane with waiting deliveries, and the time at which it must wake.
    public record LaneWake(Lane lane, Instant at) {}

    private LaneStore() {}

    /// Makes each lane wake at the given time, unless it already wakes earlier.
    public static void wake(Tx tx, Collection<LaneWake> wakes) {
        tx.updateEach(
                """
                insert into lane (connection_id, trigger, source_id, wake_at)
                values (?, ?, ?, ?)
                on conflict (connection_id, trigger)
                   do update set wake_at = excluded.wake_at
                       where lane.wake_at > excluded.wake_at
                """,
                wakes.stream()
                        .sorted(
                                Comparator.comparing(
                                                (LaneWake wake) -> wake.lane().connection().value())
                                        .thenComparing(wake ->
                                                wake.lane().trigger())) // one order, so no deadlock
                        .map(wake ->
                                List.of(
                                        wake.lane().connection().value(),
                                        (int) wake.lane().trigger().number(),
                                        wake.lane().source().value(),
                                        wake.at()))
                        .toList());
    }

    /// Makes the sleeping lanes of a destination wake at `at`, unless they already wake earlier.
    /// Skips lanes that sleep forever, because those are empty or on hold.
    public static void wake(Tx tx, DestinationId destination, Instant at) {
        tx.update(
                """
                with asleep as materialized (
                  select connection_id, trigger
                    from lane
                   where connection_id in (select id from connection
                                            where destination_id = ? and deleted_at is null)
                     and wake_at > ? and wake_at < 'infinity'
                   order by connection_id, trigger
                     for update)
                update lane
                   set wake_at = ?
                  from asleep
                 where lane.connection_id = asleep.connection_id and lane.trigger = asleep.trigger
                """,
                destination.value(),
                at,
                at);
    }

    /// Leases up to `limit` lanes that are due and that no node leases.
    public static List<Lane> lease(Tx tx, long epoch, Instant now, int limit) {
        return tx.query(
                """
                with due as materialized (
                  select connection_id, trigger
                    from lane
                   where owner is null and wake_at <= ?
                   order by wake_at
                   limit ?
                     for update skip locked)
                update lane
                   set owner = ?, wake_at = 'infinity'
                  from due
                 where lane.connection_id = due.connection_id and lane.trigger = due.trigger
                returning lane.connection_id, lane.trigger, lane.source_id
                """,
                WorkRowReader::lane,
                now,
                limit,
                epoch);
    }

    /// Returns lanes that were due by `until` and that no node leases, the longest due first.
    public static List<Lane> due(Tx tx, Instant until, int limit) {
        return tx.query(
                """
                select connection_id, trigger, source_id
                  from lane
                 where owner is null and wake_at <= ?
                 order by wake_at
                 limit ?
                """,
                WorkRowReader::lane,
                until,
                limit);
    }

    /// Returns all lanes leased by the node with this epoch. An epoch is the number of a node's
    /// registration.
    public static List<Lane> leased(Tx tx, long epoch) {
        return tx.query(
                "select connection_id, trigger, source_id from lane where owner = ?",
                WorkRowReader::lane,
                epoch);
    }

    /// Returns the epochs of all nodes that lease a lane. Steps from owner to owner in the index.
    public static Set<Long> owners(Tx tx) {
        return new HashSet<>(
                tx.query(
                        """
                        with recursive step as (
                          (select owner from lane where owner is not null order by owner limit 1)
                          union all
                          select following.*
                            from step,
                                 lateral (select owner from lane
                                           where owner > step.owner
                                           order by owner
                                           limit 1) as following)
                        select owner from step
                        """,
                        row -> row.number("owner")));
    }

    /// Releases the lease of a lane. The lane wakes at `wakeAt`, or earlier if an earlier wake was
    /// requested during the lease.
    ///
    /// @param wakeAt empty when nothing waits in the lane
    public static void release(Tx tx, Lane lane, long epoch, Optional<Instant> wakeAt) {
        tx.update(
                """
                update lane
                   set owner = null, wake_at = least(wake_at, coalesce(?, timestamptz 'infinity'))
                 where connection_id = ? and trigger = ? and owner = ?
                """,
                wakeAt.orElse(null),
                lane.connection().value(),
                (int) lane.trigger().number(),
                epoch);
    }

    /// Returns deliveries in a lane that are due by `until`, ordered by due time and id, beginning
    /// after the given position.
    public static List<WaitingDelivery> due(
            Tx tx, Lane lane, Instant until, Instant afterNextAt, UUID afterId, int limit) {
        return tx.query(
                """
                select id, source_id, connection_id, trigger, attempts, created_at, next_at, recoveries,
                       undecided
                  from delivery_work
                 where source_id = ? and connection_id = ? and trigger = ? and next_at <= ?
                   and (next_at, id) > (?, ?)
                 order by next_at, id
                 limit ?
                """,
                row ->
                        new WaitingDelivery(
                                WorkRowReader.delivery(row).withUndecided(row.bool("undecided")),
                                row.instant("next_at"),
                                row.integer("recoveries")),
                lane.source().value(),
                lane.connection().value(),
                (int) lane.trigger().number(),
                until,
                afterNextAt,
                afterId,
                limit);
    }

    /// Returns the due time of the first delivery in the lane.
    ///
    /// Disables bitmap scans. The work table is never analysed, so PostgreSQL might otherwise
    /// collect and sort the whole lane.
    public static Optional<Instant> firstDue(Tx tx, Lane lane) {
        tx.disable(PlannerFeature.BITMAP_SCAN);
        return tx
                .query(
                        """
                        select next_at
                          from delivery_work
                         where source_id = ? and connection_id = ? and trigger = ? and next_at is not null
                         order by next_at
                         limit 1
                        """,
                        row -> row.instant("next_at"),
                        lane.source().value(),
                        lane.connection().value(),
                        (int) lane.trigger().number())
                .stream()
                .findFirst();
    }

    /// Returns the payloads of these events, which all belong to one source. Events that no longer
    /// exist are missing from the map.
    ///
    /// Looks the events up one by one. Otherwise, PostgreSQL before version 17 may read all rows
    /// that a source has in a day, if the statistics of that day still say that it is empty.
    public static Map<EventId, Payload> payloads(
            Tx tx, SourceId source, Collection<EventId> events) {
        var payloads = new HashMap<EventId, Payload>();
        tx.query(
                        """
                        select wanted.id, found.method, found.headers, found.body
                          from unnest(?::uuid[]) as wanted (id)
                         cross join lateral (
                               select method, headers, body from event
                                where source_id = ? and event.id = wanted.id
                                limit 1) as found
                        """,
                        row ->
                                Map.entry(
                                        new EventId(row.uuid("id")),
                                        Payload.fromStored(row.bytes("headers"), row.bytes("body"))
                                                .withMethod(row.text("method"))),
                        events.stream().map(EventId::value).distinct().toList(),
                        source.value())
                .forEach(entry -> payloads.put(entry.getKey(), entry.getValue()));
        return payloads;
    }

    /// Returns every lane that has waiting deliveries, with the due time of its first one. This is
    /// exact, unlike the `wake_at` hints.
    ///
    /// Steps from lane to lane in the index, so the cost grows with the number of lanes and not
    /// with the number of rows.
    public static List<LaneWake> sweep(Tx tx) {
        return tx.query(
                """
                with recursive step as (
                  (select connection_id, trigger, next_at, source_id
                     from delivery_work
                    where next_at is not null
                    order by connection_id, trigger, next_at, id
                    limit 1)
                  union all
                  select following.*
                    from step,
                         lateral (select connection_id, trigger, next_at, source_id
                                    from delivery_work
                                   where next_at is not null
                                     and (connection_id, trigger) > (step.connection_id, step.trigger)
                                   order by connection_id, trigger, next_at, id
                                   limit 1) as following)
                select * from step
                """,
                row -> new LaneWake(WorkRowReader.lane(row), row.instant("next_at")));
    }
}
