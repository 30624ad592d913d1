package dev.sluice.engine.lanes;

import dev.sluice.account.workspace.WorkspaceId;
import dev.sluice.engine.PoisonPolicy;
import dev.sluice.engine.Trigger;
import dev.sluice.gateway.destination.DestinationId;
import dev.sluice.platform.db.PlannerFeature;
import dev.sluice.platform.db.Row;
import dev.sluice.platform.db.Tx;

import java.sql.SQLException;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/// Chooses the delivery that tests a destination whose circuit is open, among all the destination's
/// lanes, and leases its lane.
public final class ProbeStore {

    /// A delivery to send as the probe, and its lane, which the node has leased.
    public record ProbeCandidate(LaneStore.LeasedLane leased, LaneStore.WaitingDelivery waiting) {}

    /// The lanes that may be chosen: those of this destination that no node has leased, and those
    /// that the caller may read.
    ///
    /// @param readable the lanes that the node has leased and the caller may read
    public record ProbeLanes(DestinationId destination, Collection<Lane> readable) {}

    private ProbeStore() {}

    /// Returns the delivery to send as the probe, and leases its lane for the node with this epoch.
    /// Returns empty if no delivery is due, or if another transaction has just taken the chosen one
    /// or its lane.
    ///
    /// A delivery without an attempt comes first: the newest or the oldest, live ones before
    /// resends. If there is none, it is one with the fewest attempts. Suspects of a crash (see
    /// [PoisonPolicy]) are never chosen.
    ///
    /// The cost grows with the number of the destination's lanes, not with the number of waiting
    /// deliveries. Disables bitmap scans and sequential scans, because `delivery_work` is never
    /// analyzed. The planner knows neither how few connections a destination has nor how many rows
    /// wait on each, so each step looks them up one by one, in a fixed order, and stops at the
    /// first hit.
    ///
    /// @param isNewest whether the newest delivery without an attempt is wanted, not the oldest
    public static Optional<ProbeCandidate> lease(
            Tx tx, long epoch, ProbeLanes lanes, boolean isNewest, Instant now) {
        tx.disable(PlannerFeature.BITMAP_SCAN, PlannerFeature.SEQUENTIAL_SCAN, PlannerFeature.JIT);
        return untried(tx, lanes, Trigger.INGEST, isNewest, now)
                .or(() -> untried(tx, lanes, Trigger.RESEND, isNewest, now))
                .or(() -> leastTried(tx, lanes, now))
                .filter(found -> lease(tx, epoch, found.leased().lane()))
                .flatMap(found -> readAgain(tx, found));
    }

    private record FoundDelivery(LaneStore.LeasedLane leased, UUID id, int attempts) {

        static FoundDelivery of(Row row) throws SQLException {
            return new FoundDelivery(
                    new LaneStore.LeasedLane(
                            WorkRowReader.lane(row), new WorkspaceId(row.uuid("workspace_id"))),
                    row.uuid("id"),
                    row.integer("attempts"));
        }
    }

    private static Optional<FoundDelivery> untried(
            Tx tx, ProbeLanes lanes, Trigger trigger, boolean isNewest, Instant now) {
        String order = isNewest ? "desc" : "asc";
        return tx.findOne(
                """
                with connected as materialized (
                  select id, source_id, enabled
                    from connection
                   where destination_id = ? and deleted_at is null)
                select lane.connection_id, lane.trigger, lane.source_id, lane.workspace_id,
                       found.id, 0 as attempts
                  from (select connected.id as connection_id, connected.source_id,
                               connected.enabled, one.id
                          from connected
                         cross join lateral (
                               select id
                                 from delivery_work
                                where source_id = connected.source_id
                                  and connection_id = connected.id and trigger = ?
                                  and next_at is not null and attempts = 0
                                  and next_at <= ? and recoveries < ?
                                order by id %s
                                limit 1) as one
                         order by one.id %s
                        offset 0) as found
                 cross join lateral (
                       select connection_id, trigger, source_id, workspace_id
                         from lane
                        where connection_id = found.connection_id and trigger = ?
                          and (owner is null or connection_id = any (?::uuid[]))
                        limit 1) as lane
                 cross join lateral (
                       select
                         from source
                        where source.id = found.source_id
                          and status = 'active' and trashed_at is null
                        limit 1) as source
                 where found.enabled or lane.trigger = 2
                 order by found.id %s
                 limit 1
                """
                        .formatted(order, order, order),
                FoundDelivery::of,
                lanes.destination().value(),
                (int) trigger.number(),
                now,
                PoisonPolicy.MAX_SHARED_RECOVERIES,
                (int) trigger.number(),
                connections(lanes, trigger));
    }

    /// Looks for a due delivery with one attempt, in one lane after the other, then for one with
    /// two, and so on up to ten, the limit on a destination's retry intervals, and stops at the
    /// first. Which lane is first does not matter: what was sent has one attempt more afterwards.
    private static Optional<FoundDelivery> leastTried(Tx tx, ProbeLanes lanes, Instant now) {
        return tx.findOne(
                """
                with connected as materialized (
                  select id, source_id, enabled
                    from connection
                   where destination_id = ? and deleted_at is null),
                candidate as materialized (
                  select lane.*
                    from connected
                   cross join lateral (
                         select connection_id, trigger, source_id, workspace_id
                           from lane
                          where connection_id = connected.id
                            and (owner is null
                                 or (trigger = 1 and connection_id = any (?::uuid[]))
                                 or (trigger = 2 and connection_id = any (?::uuid[])))
                          limit 2) as lane
                   cross join lateral (
                         select
                           from source
                          where source.id = connected.source_id
                            and status = 'active' and trashed_at is null
                          limit 1) as source
                   where connected.enabled or lane.trigger = 2)
                select found.*
                  from (select attempts, trigger
                          from generate_series(1, 10) as attempts, generate_series(1, 2) as trigger
                         order by attempts, trigger
                        offset 0) as made
                 cross join lateral (
                       select candidate.*, one.id, made.attempts
                         from candidate
                        cross join lateral (
                              select id
                                from delivery_work
                               where source_id = candidate.source_id
                                 and connection_id = candidate.connection_id
                                 and trigger = candidate.trigger
                                 and next_at is not null and delivery_work.attempts > 0
                                 and delivery_work.attempts = made.attempts
                                 and next_at <= ? and recoveries < ?
                               order by next_at
                               limit 1) as one
                        where candidate.trigger = made.trigger
                        limit 1) as found
                 order by made.attempts, made.trigger
                 limit 1
                """,
                FoundDelivery::of,
                lanes.destination().value(),
                connections(lanes, Trigger.INGEST),
                connections(lanes, Trigger.RESEND),
                now,
                PoisonPolicy.MAX_SHARED_RECOVERIES);
    }

    private static List<UUID> connections(ProbeLanes lanes, Trigger trigger) {
        return lanes.readable().stream()
                .filter(lane -> lane.trigger() == trigger)
                .map(lane -> lane.connection().value())
                .toList();
    }

    /// Leases the lane, unless another node has leased it or another transaction has locked it. A
    /// lane that this node has leased stays as it is.
    private static boolean lease(Tx tx, long epoch, Lane lane) {
        return tx.update(
                        """
                        with free as materialized (
                          select connection_id, trigger
                            from lane
                           where connection_id = ? and trigger = ? and (owner is null or owner = ?)
                             for update skip locked)
                        update lane
                           set owner = ?,
                               wake_at = case when owner is null then 'infinity' else wake_at end
                          from free
                         where lane.connection_id = free.connection_id and lane.trigger = free.trigger
                        """,
                        lane.connection().value(),
                        (int) lane.trigger().number(),
                        epoch,
                        epoch)
                == 1;
    }

    /// Returns the delivery as it is now that its lane is leased: another node may have sent it
    /// between the choice and the lease.
    private static Optional<ProbeCandidate> readAgain(Tx tx, FoundDelivery found) {
        return tx.findOne(
                        """
                        select id, source_id, connection_id, trigger, attempts, created_at, next_at, recoveries,
                               undecided
                          from delivery_work
                         where id = ? and source_id = ? and next_at is not null and attempts = ?
                        """,
                        LaneStore::waitingDelivery,
                        found.id(),
                        found.leased().lane().source().value(),
                        found.attempts())
                .map(waiting -> new ProbeCandidate(found.leased(), waiting));
    }
}
