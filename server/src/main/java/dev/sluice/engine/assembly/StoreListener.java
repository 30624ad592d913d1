package dev.sluice.engine.assembly;

import dev.sluice.engine.RelayMeters;
import dev.sluice.engine.accept.MonthlyQuota;
import dev.sluice.engine.commit.AcceptedEvent;
import dev.sluice.engine.commit.DeliveryResult;
import dev.sluice.engine.commit.JournalListener;
import dev.sluice.engine.commit.ResultListener;
import dev.sluice.engine.lanes.LaneWaker;
import dev.sluice.engine.send.Dispatcher;
import dev.sluice.platform.loop.Activity;

import java.time.InstantSource;
import java.util.List;

/// The listener that tells other parts of the relay about stored events and written results. It
/// passes each commit to the dispatcher, the lane waker and the meters, and each dropped event to
/// the dispatcher and the quota. Written results also mark the process as active.
record StoreListener(
        Dispatcher dispatcher,
        LaneWaker laneWaker,
        MonthlyQuota quota,
        RelayMeters meters,
        Activity activity,
        InstantSource clock)
        implements JournalListener, ResultListener {

    @Override
    public void stored(List<AcceptedEvent> events, long epoch) {
        meters.eventBatches().record(events.size());
        dispatcher.admission().stored(events, epoch);
        laneWaker.stored(events, clock.instant());
    }

    @Override
    public void dropped(AcceptedEvent event) {
        dispatcher.admission().dropped(event);
        quota.refundDropped(event);
    }

    @Override
    public void written(List<DeliveryResult> batch, List<DeliveryResult> effective) {
        if (!batch.isEmpty()) { // the batch is empty when retention ended the deliveries
            meters.resultBatches().record(batch.size());
        }
        effective.forEach(result -> result.attemptMade().ifPresent(meters.attempts()::count));
        laneWaker.written(effective);
        dispatcher.written(batch, effective);
        activity.mark();
    }
}
