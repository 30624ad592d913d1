package dev.sluice.features.streams;

import java.util.UUID;

/// Something that a stream sends: an event, or the outcome of a delivery. A round sends all its
/// events first, and then its outcomes.
public sealed interface StreamItem permits StreamEvent, StreamOutcome {

    /// Returns the id of the event or delivery. A round sends its events in the order of their ids,
    /// and then its outcomes in the order of theirs.
    UUID id();

    /// Returns the text of the cursor after this item.
    ///
    /// @param start a cursor within the item's round
    default String cursorText(StreamCursor start) {
        return start.after(id()).text();
    }

    /// Returns approximately how many bytes of memory the item takes in a queue.
    int memoryBytes();
}
