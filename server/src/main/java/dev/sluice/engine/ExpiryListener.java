package dev.sluice.engine;

import dev.sluice.platform.db.Tx;

import java.util.List;

/// Receives notices of deliveries that will expire soon. Each delivery is normally announced once,
/// and again if its workspace's retention changes. The retention thread calls the listener, so
/// implementations must return quickly.
@FunctionalInterface
public interface ExpiryListener {

    /// @param tx the transaction that also marks these deliveries as announced, so a row that the
    ///   listener writes in it is written exactly once
    /// @param soon the deliveries that will expire soon, all from one workspace
    void expiring(Tx tx, List<ExpiringDeliveries> soon);
}
