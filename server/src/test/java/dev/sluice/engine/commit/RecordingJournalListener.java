package dev.sluice.engine.commit;

import dev.sluice.engine.EventId;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;

/// Records the calls of the journal, in order.
final class RecordingJournalListener implements JournalListener {

    private final List<EventId> stored = new CopyOnWriteArrayList<>();
    private final List<EventId> dropped = new CopyOnWriteArrayList<>();
    private volatile Consumer<List<AcceptedEvent>> onStored = _ -> {};

    void onStored(Consumer<List<AcceptedEvent>> action) {
        onStored = action;
    }

    @Override
    public void stored(List<AcceptedEvent> events, long epoch) {
        onStored.accept(events);
        events.forEach(event -> stored.add(event.id()));
    }

    @Override
    public void dropped(AcceptedEvent event) {
        dropped.add(event.id());
    }

    List<EventId> stored() {
        return new ArrayList<>(stored);
    }

    List<EventId> dropped() {
        return new ArrayList<>(dropped);
    }
}
