package dev.sluice.engine.lanes;

import dev.sluice.engine.DeliveryStatus;
import dev.sluice.engine.ErrorCode;
import dev.sluice.engine.UnfinishedDelivery;
import dev.sluice.engine.commit.DeliveryResult;
import dev.sluice.engine.commit.ResultStore;
import dev.sluice.gateway.source.SourceId;
import dev.sluice.platform.db.PlannerFeature;
import dev.sluice.platform.db.Tx;
import dev.sluice.platform.id.Uuid7;

import java.time.Instant;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/// Finds unfinished deliveries by the age of their events, and ends those that have expired.
///
/// A delivery's id contains its event's arrival time, so every query reads a range of the primary
/// key.
public final class ExpiryStore {

    private ExpiryStore() {}

    /// A range of event arrival times, and the position from which to continue reading it.
    ///
    /// @param after the id after which reading starts or continues
    /// @param before the end of the range, exclusive
    public record ArrivalRange(UUID after, Instant before) {

        public static ArrivalRange between(Instant from, Instant before) {
            return new ArrivalRange(Uuid7.floor(from), before);
        }

        public ArrivalRange continueAfter(UnfinishedDelivery last) {
            return new ArrivalRange(last.id().value(), before);
        }
    }

    /// Returns up to `limit` unfinished deliveries from these sources whose events arrived in the
    /// range and whose rows have no owner, ordered by id. A node that has leased their lane may
    /// still have some of them in memory.
    public static List<UnfinishedDelivery> waiting(
            Tx tx, Collection<SourceId> sources, ArrivalRange range, int limit) {
        forceIndexScan(tx);
        return tx.query(
                """
                select id, source_id, connection_id, trigger, attempts, created_at
                  from delivery_work
                 where source_id = any (?) and id > ? and id < ? and owner is null
                 order by id
                 limit ?
                """,
                WorkRowReader::delivery,
                sources.stream().map(SourceId::value).toList(),
                range.after(),
                Uuid7.floor(range.before()),
                limit);
    }

    /// Returns up to `limit` unfinished deliveries from these sources whose events arrived in the
    /// range, with or without an owner, ordered by id.
    public static List<UnfinishedDelivery> unfinished(
            Tx tx, Collection<SourceId> sources, ArrivalRange range, int limit) {
        forceIndexScan(tx);
        return tx.query(
                """
                select id, source_id, connection_id, trigger, attempts, created_at
                  from delivery_work
                 where source_id = any (?) and id > ? and id < ?
                 order by id
                 limit ?
                """,
                WorkRowReader::delivery,
                sources.stream().map(SourceId::value).toList(),
                range.after(),
                Uuid7.floor(range.before()),
                limit);
    }

    /// Returns up to `limit` unfinished deliveries from all sources whose events arrived before the
    /// given time, with or without an owner, ordered by id.
    public static List<UnfinishedDelivery> unfinishedBefore(Tx tx, Instant before, int limit) {
        forceIndexScan(tx);
        return tx.query(
                """
                select id, source_id, connection_id, trigger, attempts, created_at
                  from delivery_work
                 where id < ?
                 order by id
                 limit ?
                """,
                WorkRowReader::delivery,
                Uuid7.floor(before),
                limit);
    }

    /// Makes PostgreSQL read the primary key in order. The table's statistics are out of date, so
    /// the planner might otherwise read the whole range and sort it.
    private static void forceIndexScan(Tx tx) {
        tx.disable(PlannerFeature.SEQUENTIAL_SCAN, PlannerFeature.SORT, PlannerFeature.JIT);
    }

    /// Ends deliveries as expired: moves them from `delivery_work` to the history tables and counts
    /// them as usage, like any other result. Skips deliveries that ended, or for which another
    /// attempt was recorded, after they were read. Returns the results of the deliveries that this
    /// call ended.
    public static List<DeliveryResult> expire(
            Tx tx, List<UnfinishedDelivery> deliveries, UUID batchId, Instant now) {
        forceIndexScan(tx);
        var batch =
                deliveries.stream()
                        .<DeliveryResult>map(delivery ->
                                new DeliveryResult.FinalResult(
                                        delivery,
                                        DeliveryStatus.FAILED,
                                        Optional.empty(),
                                        Optional.of(ErrorCode.EVENT_EXPIRED),
                                        now))
                        .toList();
        return ResultStore.write(tx, batch, batchId, 0);
    }

    /// Deletes unfinished deliveries that cannot be moved to history, because the partition for
    /// their day no longer exists. Returns the number of deleted deliveries.
    public static int discard(Tx tx, List<UnfinishedDelivery> deliveries) {
        var sources = new HashSet<UUID>();
        deliveries.forEach(delivery -> sources.add(delivery.source().value()));
        return tx.update(
                "delete from delivery_work where id = any (?) and source_id = any (?)",
                deliveries.stream().map(delivery -> delivery.id().value()).toList(),
                sources);
    }
}
