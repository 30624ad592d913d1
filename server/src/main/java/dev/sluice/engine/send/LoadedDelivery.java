package dev.sluice.engine.send;

import dev.sluice.engine.Payload;
import dev.sluice.engine.Trigger;
import dev.sluice.engine.UnfinishedDelivery;
import dev.sluice.engine.settle.Probe;
import dev.sluice.engine.share.PayloadMemory;

import java.util.Optional;

/// A delivery and its payload, in this node's memory.
///
/// @param isFresh true if the delivery came straight from ingest and this node owns its row; false
///   if its row waits in a lane that this node has leased
/// @param epoch the epoch under which this node owns the row or leased the lane
/// @param recoveries how many process deaths during attempts at the delivery have been recorded
///   (see [dev.sluice.engine.PoisonPolicy]); 0 for a fresh delivery
/// @param probe the claim under which this delivery is sent as the probe for its destination's
///   circuit; empty if it is not a probe
public record LoadedDelivery(
        UnfinishedDelivery delivery,
        Payload payload,
        boolean isFresh,
        long epoch,
        int recoveries,
        Optional<Probe> probe) {

    LoadedDelivery(UnfinishedDelivery delivery, Payload payload, boolean isFresh, long epoch) {
        this(delivery, payload, isFresh, epoch, 0, Optional.empty());
    }

    /// Returns the traffic class to which the memory for the delivery's payload is charged.
    PayloadMemory.TrafficClass trafficClass() {
        return isFresh
                ? PayloadMemory.TrafficClass.FRESH
                : trafficClassOfWaiting(delivery.trigger());
    }

    static PayloadMemory.TrafficClass trafficClassOfWaiting(Trigger trigger) {
        return trigger == Trigger.RESEND
                ? PayloadMemory.TrafficClass.RESEND
                : PayloadMemory.TrafficClass.WAITING;
    }
}
