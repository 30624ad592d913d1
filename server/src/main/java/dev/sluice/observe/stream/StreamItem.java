package dev.sluice.observe.stream;

import java.util.UUID;

/// What a round sends: its events, and then, to streams that want them, the deliveries that ended.
sealed interface StreamItem permits StreamEvent, StreamOutcome {

    /// Returns its place in the round.
    UUID id();

    /// Returns about how much memory it takes in a queue.
    int memoryBytes();
}
