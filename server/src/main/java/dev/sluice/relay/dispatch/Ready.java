package dev.sluice.relay.dispatch;

import dev.sluice.relay.Payload;
import dev.sluice.relay.Work;

/// A delivery in memory with what it sends.
///
/// @param isFresh straight from ingest, its row owned by this node; otherwise its row waits in a
///   lane that this node has leased
/// @param epoch of this node, under which it owns the row or leased the lane
/// @param recoveries see [dev.sluice.relay.Recoveries]; none of a fresh one
record Ready(Work work, Payload payload, boolean isFresh, long epoch, int recoveries) {

    Ready(Work work, Payload payload, boolean isFresh, long epoch) {
        this(work, payload, isFresh, epoch, 0);
    }
}
