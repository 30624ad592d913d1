package dev.sluice.features.retention;

import dev.sluice.account.plan.PlanCatalog;
import dev.sluice.engine.UnfinishedDelivery;
import dev.sluice.engine.commit.DeliveryResult;
import dev.sluice.engine.commit.PartitionStore;
import dev.sluice.engine.commit.ResultListener;
import dev.sluice.engine.lanes.ExpiryStore;
import dev.sluice.features.retention.RetentionQueries.RetainedSource;
import dev.sluice.platform.db.Db;
import dev.sluice.platform.db.Halving;
import dev.sluice.platform.db.RoundParts;
import dev.sluice.platform.id.Uuid7;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.List;

/// Ends deliveries that are still waiting when their event's retention period is over.
///
/// A node that has leased a lane may hold some of the lane's deliveries in memory, and their rows
/// do not show this. However, no attempt begins after the retention period is over, and no attempt
/// takes longer than five minutes. Half an hour later, no attempt can therefore be in flight, even
/// if clocks differ by a few minutes. If a process that was frozen reports a result after that, the
/// delivery's row no longer exists and the result has no effect.
final class ExpiryFinisher {

    private static final Logger log = LoggerFactory.getLogger(ExpiryFinisher.class);

    /// How long after the end of the retention period waiting deliveries are ended. The workspace
    /// must also have been unchanged for at least this long, because its last change may have been
    /// a change of plan.
    static final Duration EXPIRY_GRACE_PERIOD = Duration.ofMinutes(30);

    /// The maximum number of rows ended in one transaction.
    private static final int EXPIRY_BATCH_ROWS = 1_000;

    private final Db db;
    private final PlanCatalog plans;
    private final PartitionStore partitions;
    private final Uuid7 ids;
    private final ResultListener listener;

    ExpiryFinisher(
            Db db,
            PlanCatalog plans,
            PartitionStore partitions,
            Uuid7 ids,
            ResultListener listener) {
        this.db = db;
        this.plans = plans;
        this.partitions = partitions;
        this.ids = ids;
        this.listener = listener;
    }

    /// Ends waiting deliveries whose event expired at least [#EXPIRY_GRACE_PERIOD] ago under its
    /// workspace's plan. Does not end deliveries that a node owns.
    void finishExpired(Instant now) {
        var parts = new RoundParts();
        for (var group : db.call(tx -> RetentionGroup.readAll(tx, plans))) {
            parts.run(() -> finishExpired(group, now));
        }
        parts.end();
    }

    private void finishExpired(RetentionGroup group, Instant now) {
        var cutoff = now.minus(EXPIRY_GRACE_PERIOD);
        int ended = 0;
        var sources =
                group.sources().stream()
                        .filter(source -> source.changedAt().isBefore(cutoff))
                        .map(RetainedSource::source)
                        .toList();
        var range =
                ExpiryStore.ArrivalRange.between(
                        Instant.EPOCH, group.retention().expiryCutoff(cutoff));
        while (!sources.isEmpty()) {
            var from = range;
            var read = db.call(tx -> ExpiryStore.waiting(tx, sources, from, EXPIRY_BATCH_ROWS));
            ended += finish(read, now);
            if (read.size() < EXPIRY_BATCH_ROWS) {
                break;
            }
            range = range.continueAfter(read.getLast());
        }
        if (ended > 0) {
            log.atWarn().addKeyValue("deliveries", ended).log("deliveries.expired");
        }
    }

    /// Ends all unfinished deliveries whose events arrived before the given time and marks them as
    /// expired, so that the partitions of earlier days can be dropped. Returns false if some of
    /// these deliveries cannot be ended now.
    boolean finishBefore(Instant before, Instant now) {
        while (true) {
            var read = db.call(tx -> ExpiryStore.unfinishedBefore(tx, before, EXPIRY_BATCH_ROWS));
            if (read.isEmpty()) {
                return true;
            }
            log.atWarn().addKeyValue("deliveries", read.size()).log("deliveries.leftover_found");
            if (finish(read, now) == 0) {
                return false;
            }
        }
    }

    /// Ends these deliveries, and discards those whose day partition is gone. Returns how many
    /// deliveries were ended or discarded.
    private int finish(List<UnfinishedDelivery> deliveries, Instant now) {
        if (deliveries.isEmpty()) {
            return 0;
        }
        var days = partitions.days();
        var kept = deliveries.stream().filter(delivery -> days.contains(day(delivery))).toList();
        var lost = deliveries.stream().filter(delivery -> !days.contains(day(delivery))).toList();
        return finishStored(kept, now) + discard(lost);
    }

    private int finishStored(List<UnfinishedDelivery> deliveries, Instant now) {
        var ended = new ArrayList<DeliveryResult>();
        Halving.run(
                        deliveries,
                        part ->
                                ended.addAll(
                                        db.call(tx ->
                                                ExpiryStore.expire(tx, part, ids.next(), now))))
                .forEach((delivery, e) ->
                        log.atError()
                                .addKeyValue("delivery_id", delivery.id())
                                .setCause(e)
                                .log("delivery.expiry_failed"));
        listener.written(List.of(), ended);
        return ended.size();
    }

    /// Deletes deliveries whose day partition is already gone, and returns how many there were.
    /// There should be none, because a partition is dropped only after its deliveries have ended.
    private int discard(List<UnfinishedDelivery> deliveries) {
        if (deliveries.isEmpty()) {
            return 0;
        }
        log.atError().addKeyValue("deliveries", deliveries.size()).log("deliveries.orphaned");
        return db.call(tx -> ExpiryStore.discard(tx, deliveries));
    }

    private static LocalDate day(UnfinishedDelivery delivery) {
        return PartitionStore.dayOf(delivery.id().value());
    }
}
