package dev.sluice.relay.dispatch;

import dev.sluice.relay.Payload;
import dev.sluice.relay.Trigger;
import dev.sluice.relay.Work;
import dev.sluice.relay.circuit.Probe;

import java.util.Optional;

/// A delivery in memory with what it sends.
///
/// @param isFresh straight from ingest, its row owned by this node; otherwise its row waits in a
///   lane that this node has leased
/// @param epoch of this node, under which it owns the row or leased the lane
/// @param recoveries see [dev.sluice.relay.Recoveries]; none of a fresh one
/// @param probe of its destination's circuit, which it was chosen for; empty while that is closed
record Ready(
        Work work,
        Payload payload,
        boolean isFresh,
        long epoch,
        int recoveries,
        Optional<Probe> probe) {

    Ready(Work work, Payload payload, boolean isFresh, long epoch) {
        this(work, payload, isFresh, epoch, 0, Optional.empty());
    }

    /// What its memory is counted as.
    Memory.Kind kind() {
        return isFresh ? Memory.Kind.FRESH : kindOfWaiting(work.trigger());
    }

    static Memory.Kind kindOfWaiting(Trigger trigger) {
        return trigger == Trigger.RESEND ? Memory.Kind.RESENT : Memory.Kind.WAITED;
    }
}
