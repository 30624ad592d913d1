package dev.sluice;

import dev.sluice.relay.dispatch.Dispatcher;
import dev.sluice.relay.ingest.Quota;
import dev.sluice.relay.store.Accepted;
import dev.sluice.relay.store.JournalListener;
import dev.sluice.relay.store.ResultsListener;
import dev.sluice.relay.store.Settled;
import dev.sluice.relay.upkeep.Wakes;

import java.time.InstantSource;
import java.util.List;

/// Passes on what was written: to dispatch, and to the lanes that should wake.
record RelayListeners(Dispatcher dispatcher, Wakes wakes, Quota quota, InstantSource clock)
        implements JournalListener, ResultsListener {

    @Override
    public void stored(List<Accepted> events, long epoch) {
        dispatcher.intake().stored(events, epoch);
        wakes.stored(events, clock.instant());
    }

    @Override
    public void dropped(Accepted event) {
        dispatcher.intake().dropped(event);
        quota.dropped(event);
    }

    @Override
    public void written(List<Settled> batch, List<Settled> effective) {
        wakes.written(effective);
        dispatcher.written(batch, effective);
    }
}
