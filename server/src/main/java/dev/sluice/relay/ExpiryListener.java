package dev.sluice.relay;

import dev.sluice.platform.db.Tx;

import java.util.List;

/// Receives the deliveries that will expire soon. Each delivery is announced once, or again if its
/// workspace's retention changes. Called on the retention thread, so it must be quick.
@FunctionalInterface
public interface ExpiryListener {

    /// @param tx the transaction that also stores that these deliveries were announced. What the
    ///   listener writes in it is written exactly once.
    /// @param soon deliveries of one workspace
    void expiring(Tx tx, List<ExpiringDeliveries> soon);
}
