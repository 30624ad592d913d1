package dev.sluice.features.retention;

import dev.sluice.account.plan.PlanCatalog;
import dev.sluice.account.workspace.WorkspaceId;
import dev.sluice.engine.ExpiringDeliveries;
import dev.sluice.engine.ExpiryListener;
import dev.sluice.engine.UnfinishedDelivery;
import dev.sluice.engine.lanes.ExpiryStore;
import dev.sluice.features.retention.RetentionNoticeStore.NoticeWatermark;
import dev.sluice.features.retention.RetentionQueries.RetainedSource;
import dev.sluice.gateway.connection.ConnectionId;
import dev.sluice.gateway.source.SourceId;
import dev.sluice.platform.db.Db;
import dev.sluice.platform.db.RoundParts;
import dev.sluice.platform.id.Uuid7;

import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/// Finds deliveries that will expire soon and announces them. A watermark for each workspace
/// records which deliveries have been announced. The watermark is saved in the same transaction as
/// the announcement, so a crash does not cause a delivery to be skipped or announced twice.
final class ExpiryNotices {

    /// The maximum number of rows read in one transaction.
    private static final int READ_BATCH_ROWS = 10_000;

    /// The maximum time between a resend's creation time and its commit. Resends created by a
    /// replay job are an exception: they have the job's creation time.
    private static final Duration MAX_RESEND_COMMIT_DELAY = Duration.ofMinutes(1);

    private static final NoticeWatermark NO_WATERMARK =
            new NoticeWatermark(0, Instant.EPOCH, Instant.EPOCH);

    private record ExpiryNoticeKey(SourceId source, ConnectionId connection) {}

    private final Db db;
    private final PlanCatalog plans;
    private final ExpiryListener listener;

    ExpiryNotices(Db db, PlanCatalog plans, ExpiryListener listener) {
        this.db = db;
        this.plans = plans;
        this.listener = listener;
    }

    void notifyExpiring(Instant now) {
        var parts = new RoundParts();
        for (var group : db.call(tx -> RetentionGroup.readAll(tx, plans))) {
            parts.run(() -> notifyExpiring(group, now));
        }
        parts.end();
    }

    private void notifyExpiring(RetentionGroup group, Instant now) {
        var from = group.retention().expiryCutoff(now);
        var to = from.plus(group.retention().noticePeriod().orElseThrow());
        var nextMark = new NoticeWatermark(group.days(), to, now.minus(MAX_RESEND_COMMIT_DELAY));
        var sources =
                group.sources().stream()
                        .filter(source -> !source.isTrashed())
                        .collect(
                                Collectors.toMap(
                                        RetainedSource::source, RetainedSource::workspace));
        if (sources.isEmpty()) {
            return;
        }
        var watermarks = db.call(RetentionNoticeStore::noticeWatermarks);
        var soon = new HashMap<ExpiryNoticeKey, ExpiringDeliveries>();
        var range = ExpiryStore.ArrivalRange.between(from, to);
        while (true) {
            var read = read(sources, range);
            for (var delivery : read) {
                var lastMark =
                        watermarks.getOrDefault(sources.get(delivery.source()), NO_WATERMARK);
                if (isNew(
                        delivery,
                        lastMark.days() == group.days() ? lastMark : NO_WATERMARK,
                        nextMark)) {
                    addTo(soon, delivery, group);
                }
            }
            if (read.size() < READ_BATCH_ROWS) {
                break;
            }
            range = range.continueAfter(read.getLast());
        }
        announce(sources, List.copyOf(soon.values()), nextMark);
    }

    /// Announces the deliveries, and saves the watermark for every workspace that owns one of these
    /// sources.
    private void announce(
            Map<SourceId, WorkspaceId> sources,
            List<ExpiringDeliveries> soon,
            NoticeWatermark nextMark) {
        if (!soon.isEmpty()) {
            ExpiryLogger.log(soon);
        }
        var byWorkspace =
                soon.stream().collect(Collectors.groupingBy(one -> sources.get(one.source())));
        byWorkspace.forEach((workspace, deliveries) ->
                db.run(tx -> {
                    listener.expiring(tx, deliveries);
                    RetentionNoticeStore.saveNoticeWatermark(tx, List.of(workspace), nextMark);
                }));
        var others = new HashSet<>(sources.values());
        others.removeAll(byWorkspace.keySet());
        db.run(tx -> RetentionNoticeStore.saveNoticeWatermark(tx, others, nextMark));
    }

    private List<UnfinishedDelivery> read(
            Map<SourceId, WorkspaceId> sources, ExpiryStore.ArrivalRange range) {
        return db.call(tx -> ExpiryStore.unfinished(tx, sources.keySet(), range, READ_BATCH_ROWS));
    }

    /// Whether the delivery must be announced now. A resend is announced even if another delivery
    /// of its event was announced before, but not until [#MAX_RESEND_COMMIT_DELAY] has passed since
    /// its creation time. Until then, other resends with the same creation time might not have been
    /// committed yet. If the watermark moved past their creation time, they would never be
    /// announced.
    private static boolean isNew(
            UnfinishedDelivery delivery, NoticeWatermark lastMark, NoticeWatermark nextMark) {
        boolean isInTime = !arrivedAt(delivery).isBefore(lastMark.eventsBefore());
        return delivery.createdAt().isEmpty()
                ? isInTime
                : delivery.createdAt().get().isBefore(nextMark.resendsBefore())
                        && (isInTime
                                || !delivery.createdAt().get().isBefore(lastMark.resendsBefore()));
    }

    private static void addTo(
            Map<ExpiryNoticeKey, ExpiringDeliveries> soon,
            UnfinishedDelivery delivery,
            RetentionGroup group) {
        var end = group.retention().expiresAt(arrivedAt(delivery)).orElseThrow();
        // The rows are read oldest first, so the first delivery for each key expires first.
        soon.merge(
                new ExpiryNoticeKey(delivery.source(), delivery.connection()),
                new ExpiringDeliveries(delivery.source(), delivery.connection(), 1, end),
                (known, more) ->
                        new ExpiringDeliveries(
                                known.source(),
                                known.connection(),
                                known.deliveries() + more.deliveries(),
                                known.first()));
    }

    private static Instant arrivedAt(UnfinishedDelivery delivery) {
        return Uuid7.timeOf(delivery.id().value());
    }
}
