package dev.sluice.engine.lanes;

import dev.sluice.account.workspace.WorkspaceId;
import dev.sluice.engine.EventId;
import dev.sluice.engine.Payload;
import dev.sluice.engine.UnfinishedDelivery;
import dev.sluice.gateway.destination.DestinationId;
import dev.sluice.gateway.source.SourceId;
import dev.sluice.platform.db.PlannerFeature;
import dev.sluice.platform.db.Row;
import dev.sluice.platform.db.Tx;

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

/// Reads and writes lanes, and reads the deliveries that wait in them.
///
/// A lane's `wake_at` is only a hint. It may be too late or missing, and is then corrected with the
/// help of [#sweep]. A lane and its deliveries therefore need not change in the same transaction,
/// and never do.
public final class LaneStore {

    /// A delivery that is waiting for its next attempt.
    ///
    /// @param recoveries the recorded number of process deaths during attempts of the delivery; see
    ///   [dev.sluice.engine.PoisonPolicy]
    public record WaitingDelivery(UnfinishedDelivery delivery, Instant nextAt, int recoveries) {}

    /// A lane with waiting deliveries, and the time at which it must wake.
    public record LaneWake(Lane lane, Instant at) {}

    /// A lane with its workspace, because leases are counted per workspace.
    public record LeasedLane(Lane lane, WorkspaceId workspace) {}

    /// A lane with a wake-up time.
    ///
    /// @param isLeased whether the node that made the query has already leased the lane
    public record DueLane(LeasedLane leased, Instant wakeAt, boolean isLeased) {

        public boolean isDue(Instant now) {
            return !wakeAt.isAfter(now);
        }
    }

    /// A lane with waiting deliveries.
    ///
    /// @param firstDue when the lane's first delivery is due
    /// @param wakeAt the lane's current wake-up time; empty if it has none
    public record WaitingLane(Lane lane, Instant firstDue, Optional<Instant> wakeAt) {

        /// Returns the wake-up that the lane needs: at the time when its first delivery is due.
        public LaneWake needed() {
            return new LaneWake(lane, firstDue);
        }

        /// Whether the lane wakes at `at` or earlier.
        public boolean wakesBy(Instant at) {
            return wakeAt.isPresent() && !wakeAt.get().isAfter(at);
        }
    }

    private LaneStore() {}

    /// Makes each lane wake at the given time, unless it is already due to wake earlier. Creates a
    /// row for each lane that has none. If a node has leased the lane, that node reads the lane
    /// again at that time.
    public static void wake(Tx tx, Collection<LaneWake> wakes) {
        wake(tx, wakes, false);
    }

    /// Makes each lane wake at the given time, unless it is already due to wake earlier or a node
    /// has leased it. Creates a row for each lane that has none.
    public static void wakeUnleased(Tx tx, Collection<LaneWake> wakes) {
        wake(tx, wakes, true);
    }

    /// Sets the wake-up times. Writes only rows that change, and does not even lock the row of a
    /// lane whose wake-up time can stay as it is.
    private static void wake(Tx tx, Collection<LaneWake> wakes, boolean isLeasedLeftAlone) {
        tx.updateEach(
                """
                insert into lane (connection_id, trigger, source_id, workspace_id, wake_at)
                select wake.connection_id, wake.trigger, wake.source_id,
                       coalesce((select workspace_id from source where source.id = wake.source_id),
                                '00000000-0000-0000-0000-000000000000'),
                       wake.at
                  from (values (?::uuid, ?::smallint, ?::uuid, ?::timestamptz))
                       as wake (connection_id, trigger, source_id, at)
                 where not exists (
                       select from lane
                        where lane.connection_id = wake.connection_id
                          and lane.trigger = wake.trigger
                          and (lane.wake_at <= wake.at or (? and lane.owner is not null)))
                on conflict (connection_id, trigger)
                   do update set wake_at = excluded.wake_at, workspace_id = excluded.workspace_id
                       where lane.wake_at > excluded.wake_at
                """,
                // Every transaction locks rows in this order, which prevents deadlocks.
                wakes.stream()
                        .sorted(
                                Comparator.comparing(
                                                (LaneWake wake) -> wake.lane().connection().value())
                                        .thenComparing(wake -> wake.lane().trigger()))
                        .map(wake ->
                                List.of(
                                        wake.lane().connection().value(),
                                        (int) wake.lane().trigger().number(),
                                        wake.lane().source().value(),
                                        wake.at(),
                                        isLeasedLeftAlone))
                        .toList());
    }

    /// Makes a destination's sleeping lanes wake at `at`, unless they are already due to wake
    /// earlier. Skips lanes without a wake-up time, because those are leased, empty or on hold.
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

    /// Returns up to `limit` lanes that are due by `until` and that no node has leased, ordered by
    /// wake-up time. Also returns all lanes that the node with this epoch has leased and that are
    /// due again by then.
    ///
    /// @param excluded workspaces whose lanes are not returned, unless the node has already leased
    ///   them
    public static List<DueLane> dueFor(
            Tx tx, long epoch, Instant until, Collection<WorkspaceId> excluded, int limit) {
        return tx.query(
                """
                (select connection_id, trigger, source_id, workspace_id, wake_at, false as is_leased
                   from lane
                  where owner is null and wake_at <= ? and workspace_id <> all (?::uuid[])
                  order by wake_at
                  limit ?)
                union all
                (select connection_id, trigger, source_id, workspace_id, wake_at, true
                   from lane
                  where owner = ? and wake_at <= ?)
                """,
                row ->
                        new DueLane(
                                new LeasedLane(
                                        WorkRowReader.lane(row),
                                        new WorkspaceId(row.uuid("workspace_id"))),
                                row.instant("wake_at"),
                                row.bool("is_leased")),
                until,
                excluded.stream().map(WorkspaceId::value).toList(),
                limit,
                epoch,
                until);
    }

    /// Leases the given lanes and clears their wake-up times. Skips lanes that are no longer due,
    /// that another node has leased, or that another transaction has locked. A lane that this node
    /// has already leased stays leased, and is not skipped for that reason. Returns the lanes that
    /// were not skipped.
    public static List<Lane> lease(Tx tx, long epoch, Instant now, Collection<Lane> lanes) {
        if (lanes.isEmpty()) {
            return List.of();
        }
        return tx.query(
                """
                with due as materialized (
                  select found.connection_id, found.trigger
                    from unnest(?::uuid[], ?::integer[]) as wanted (connection_id, trigger)
                   cross join lateral (
                         select connection_id, trigger
                           from lane
                          where lane.connection_id = wanted.connection_id
                            and lane.trigger = wanted.trigger
                            and (owner is null or owner = ?) and wake_at <= ?
                          limit 1
                            for update skip locked) as found)
                update lane
                   set owner = ?, wake_at = 'infinity'
                  from due
                 where lane.connection_id = due.connection_id and lane.trigger = due.trigger
                returning lane.connection_id, lane.trigger, lane.source_id
                """,
                WorkRowReader::lane,
                lanes.stream().map(lane -> lane.connection().value()).toList(),
                lanes.stream().map(lane -> (int) lane.trigger().number()).toList(),
                epoch,
                now,
                epoch);
    }

    /// Returns up to `limit` lanes that are due by `until` and that no node has leased, ordered by
    /// wake-up time.
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

    /// Returns all lanes leased by the node with this epoch (see [dev.sluice.engine.Lease]).
    public static List<LeasedLane> leased(Tx tx, long epoch) {
        return tx.query(
                """
                select connection_id, trigger, source_id, workspace_id
                  from lane
                 where owner = ?
                """,
                row ->
                        new LeasedLane(
                                WorkRowReader.lane(row), new WorkspaceId(row.uuid("workspace_id"))),
                epoch);
    }

    /// Returns the epochs of all nodes that have leased a lane. The query steps from one owner to
    /// the next in the index, so the cost does not grow with the number of lanes.
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

    /// Releases the lease on a lane, if the node with this epoch still holds it. The lane wakes at
    /// `wakeAt`, or earlier if an earlier wake was requested during the lease.
    ///
    /// @param wakeAt when the lane must wake; empty if no delivery is waiting in it, or if
    ///   something else will wake it
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

    /// Returns up to `limit` deliveries in a lane that are due by `until`, ordered by due time and
    /// id, beginning after the position (`afterNextAt`, `afterId`).
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
                LaneStore::waitingDelivery,
                lane.source().value(),
                lane.connection().value(),
                (int) lane.trigger().number(),
                until,
                afterNextAt,
                afterId,
                limit);
    }

    static WaitingDelivery waitingDelivery(Row row) throws SQLException {
        return new WaitingDelivery(
                WorkRowReader.delivery(row).withUndecided(row.bool("undecided")),
                row.instant("next_at"),
                row.integer("recoveries"));
    }

    /// Returns the due time of the first waiting delivery in the lane, or empty if there is none.
    ///
    /// Disables bitmap scans. The table `delivery_work` is never analyzed, so PostgreSQL might
    /// otherwise collect and sort the whole lane.
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

    /// Returns the payloads of these events, all of which belong to one source. Events that no
    /// longer exist are missing from the map.
    ///
    /// The query looks up each event separately. Otherwise, PostgreSQL versions before 17 may read
    /// all of the source's rows for a day. They do so if the statistics for that day's partition
    /// still say that the partition is empty.
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

    /// Returns every lane that has waiting deliveries, with the due time of its first delivery.
    /// Also returns the lanes' wake-up times, which may be wrong, unlike the due times.
    ///
    /// The query steps from one lane to the next in the index, so the cost grows with the number of
    /// lanes, not with the number of rows.
    public static List<WaitingLane> sweep(Tx tx) {
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
                select step.*, nullif(lane.wake_at, 'infinity') as wake_at
                  from step
                  left join lane on lane.connection_id = step.connection_id and lane.trigger = step.trigger
                """,
                row ->
                        new WaitingLane(
                                WorkRowReader.lane(row),
                                row.instant("next_at"),
                                row.instantOrNone("wake_at")));
    }
}
