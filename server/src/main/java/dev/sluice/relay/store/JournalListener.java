package dev.sluice.relay.store;

import java.util.List;

/// Told by the [Journal] what became of each event handed to it, exactly once for each.
public interface JournalListener {

    /// Their commit is flushed. On the journal's thread: must be quick.
    ///
    /// @param epoch under which they were written, or first tried to be: who has another by now may
    ///   have been declared dead in between, and does not own their deliveries
    void stored(List<Accepted> events, long epoch);

    /// It will never be stored: room kept for its deliveries is free again.
    void dropped(Accepted event);
}
