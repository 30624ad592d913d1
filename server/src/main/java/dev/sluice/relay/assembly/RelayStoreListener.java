package dev.sluice.relay.assembly;

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

/// Tells other parts of the relay what became of events and results. A commit is passed to the
/// dispatcher and the lane waker. A dropped event is passed to the dispatcher and the quota.
record RelayStoreListener(
        Dispatcher dispatcher,
        LaneWaker laneWaker,
        MonthlyQuota quota,
        RelayMeters meters,
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
        meters.resultBatches().record(batch.size());
        effective.forEach(result -> result.attemptMade().ifPresent(meters.attempts()::count));
        laneWaker.written(effective);
        dispatcher.written(batch, effective);
    }
}
