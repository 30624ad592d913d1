package dev.sluice.relay.store;

import dev.sluice.gateway.connection.ConnectionId;
import dev.sluice.gateway.destination.DestinationId;
import dev.sluice.gateway.source.SourceId;
import dev.sluice.platform.db.Row;
import dev.sluice.platform.db.Tx;
import dev.sluice.relay.DeliveryId;
import dev.sluice.relay.EventId;
import dev.sluice.relay.Payload;
import dev.sluice.relay.Trigger;
import dev.sluice.relay.Work;

import java.sql.SQLException;
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

/// Waiting deliveries and the lanes they wait in.
///
/// A lane's `wake_at` is a hint that may come late or be lost; the sweep is the truth. So a lane is
/// never changed in one transaction with its deliveries.
public final class LaneStore {

    /// A delivery that waits.
    ///
    /// @param recoveries see [dev.sluice.relay.Recoveries]
    public record Waiting(Work work, Instant nextAt, int recoveries) {}

    /// A lane with waiting deliveries, and when the first of them is due.
    public record Wake(Lane lane, Instant at) {}

    private LaneStore() {}

    /// Lets these lanes wake no later than said.
    public static void wake(Tx tx, Collection<Wake> wakes) {
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
                                                (Wake wake) -> wake.lane().connection().value())
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

    /// Lets the lanes of a destination that sleep until some time wake no later than said. Those
    /// that sleep for good have nothing to send, or are on hold.
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

    /// Takes lanes that are due and free, at most `limit`.
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
                LaneStore::lane,
                now,
                limit,
                epoch);
    }

    /// All lanes that a node has leased.
    public static List<Lane> leased(Tx tx, long epoch) {
        return tx.query(
                "select connection_id, trigger, source_id from lane where owner = ?",
                LaneStore::lane,
                epoch);
    }

    /// Epochs that hold a lane.
    public static Set<Long> owners(Tx tx) {
        return new HashSet<>(
                tx.query(
                        "select distinct owner from lane where owner is not null",
                        row -> row.number("owner")));
    }

    /// Frees a lane, to wake at `wakeAt`, or when it was asked to wake while it was leased; empty
    /// when nothing waits there.
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

    /// Due deliveries of a lane after a position, in line.
    public static List<Waiting> due(
            Tx tx, Lane lane, Instant until, Instant afterNextAt, UUID afterId, int limit) {
        return tx.query(
                """
                select id, source_id, connection_id, trigger, attempts, created_at, next_at, recoveries
                  from delivery_work
                 where source_id = ? and connection_id = ? and trigger = ? and next_at <= ?
                   and (next_at, id) > (?, ?)
                 order by next_at, id
                 limit ?
                """,
                row -> new Waiting(work(row), row.instant("next_at"), row.integer("recoveries")),
                lane.source().value(),
                lane.connection().value(),
                (int) lane.trigger().number(),
                until,
                afterNextAt,
                afterId,
                limit);
    }

    /// When the first delivery of the lane is due.
    ///
    /// Work is never analysed, and from its guess of a lane PostgreSQL may prefer to collect all of
    /// it and sort: so that is forbidden.
    public static Optional<Instant> firstDue(Tx tx, Lane lane) {
        tx.update("set local enable_bitmapscan = off");
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

    /// What came in with each of these events of one source. Looked up one by one: until 17
    /// PostgreSQL would rather read all that a source has in a day that was empty when it was last
    /// counted.
    public static Map<EventId, Payload> payloads(
            Tx tx, SourceId source, Collection<EventId> events) {
        var payloads = new HashMap<EventId, Payload>();
        tx.query(
                        """
                        select wanted.id, found.headers, found.body
                          from unnest(?::uuid[]) as wanted (id)
                         cross join lateral (
                               select headers, body from event
                                where source_id = ? and event.id = wanted.id
                                limit 1) as found
                        """,
                        row ->
                                Map.entry(
                                        new EventId(row.uuid("id")),
                                        Payload.stored(row.bytes("headers"), row.bytes("body"))),
                        events.stream().map(EventId::value).distinct().toList(),
                        source.value())
                .forEach(entry -> payloads.put(entry.getKey(), entry.getValue()));
        return payloads;
    }

    /// Every lane in which something waits, with its first due time: the truth behind the hints.
    /// Steps from lane to lane in the index, so it costs by the lane and not by the row.
    public static List<Wake> sweep(Tx tx) {
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
                row -> new Wake(lane(row), row.instant("next_at")));
    }

    private static Lane lane(Row row) throws SQLException {
        return new Lane(
                new ConnectionId(row.uuid("connection_id")),
                Trigger.numbered(row.integer("trigger")),
                new SourceId(row.uuid("source_id")));
    }

    private static Work work(Row row) throws SQLException {
        return new Work(
                new DeliveryId(row.uuid("id")),
                new SourceId(row.uuid("source_id")),
                new ConnectionId(row.uuid("connection_id")),
                Trigger.numbered(row.integer("trigger")),
                row.integer("attempts"),
                row.instantOrNone("created_at"));
    }
}
