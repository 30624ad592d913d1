package dev.sluice.engine.commit;

import java.util.List;

/// A listener that learns whether each event that the [Journal] accepted was stored or dropped. The
/// journal reports each event once, unless it stops before the event is stored or dropped.
public interface JournalListener {

    /// Called on the journal's thread after these events have been committed and flushed to disk.
    /// Must return quickly.
    ///
    /// @param epoch the epoch under which this node owns the fresh deliveries of these events. If
    ///   the node has a newer epoch by now, it was declared dead in the meantime and may no longer
    ///   own them
    void stored(List<AcceptedEvent> events, long epoch);

    /// Called when the journal has given up storing this event, so that the memory reserved for its
    /// deliveries can be released. Called on the journal's thread.
    void dropped(AcceptedEvent event);
}
