package dev.sluice.relay.assembly;

import dev.sluice.platform.loop.Activity;
import dev.sluice.relay.RelayMeters;
import dev.sluice.relay.dispatch.Dispatcher;
import dev.sluice.relay.ingest.MonthlyQuota;
import dev.sluice.relay.journal.JournalListener;
import dev.sluice.relay.store.AcceptedEvent;
import dev.sluice.relay.store.DeliveryResult;
import dev.sluice.relay.store.ResultListener;
import dev.sluice.relay.upkeep.LaneWaker;

import java.time.InstantSource;
import java.util.List;

/// The listener that tells other parts of the relay about stored events and written results. It
/// passes each commit to the dispatcher, the lane waker and the meters, and each dropped event to
/// the dispatcher and the quota. Written results also mark the process as active.
record RelayStoreListener(
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
