package dev.sluice.relay.journal;

import dev.sluice.relay.store.AcceptedEvent;

import java.util.List;

/// Learns whether each event that the [Journal] accepted was stored: exactly one call for each
/// event.
public interface JournalListener {

    /// These events are stored and their commit is flushed. Called on the journal's thread, so it
    /// must be quick.
    ///
    /// @param epoch this node's epoch at the commit, or at the first try of it. If the node has a
    ///   new epoch now, it may have been declared dead in between, and then no longer owns these
    ///   deliveries
    void stored(List<AcceptedEvent> events, long epoch);

    /// The event will never be stored, so any memory reserved for its deliveries can be released.
    void dropped(AcceptedEvent event);
}
