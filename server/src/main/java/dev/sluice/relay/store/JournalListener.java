package dev.sluice.relay.store;

import java.util.List;

/// Told by the [Journal] what became of each event handed to it, exactly once for each.
public interface JournalListener {

    /// Their commit is flushed. On the journal's thread: must be quick.
    void stored(List<Accepted> events);

    /// It will never be stored: room kept for its deliveries is free again.
    void dropped(Accepted event);
}
