package dev.sluice.relay.store;

import dev.sluice.relay.EventId;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;

/// Notes what it is told, in order.
final class RecordingJournalListener implements JournalListener {

    private final List<EventId> stored = new CopyOnWriteArrayList<>();
    private final List<EventId> dropped = new CopyOnWriteArrayList<>();
    private volatile Consumer<List<Accepted>> onStored = _ -> {};

    void onStored(Consumer<List<Accepted>> look) {
        onStored = look;
    }

    @Override
    public void stored(List<Accepted> events, long epoch) {
        onStored.accept(events);
        events.forEach(event -> stored.add(event.id()));
    }

    @Override
    public void dropped(Accepted event) {
        dropped.add(event.id());
    }

    List<EventId> stored() {
        return new ArrayList<>(stored);
    }

    List<EventId> dropped() {
        return new ArrayList<>(dropped);
    }
}
