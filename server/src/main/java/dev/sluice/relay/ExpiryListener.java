package dev.sluice.relay;

import java.util.List;

/// Receives the deliveries that will expire soon. Each delivery is normally announced once. It is
/// announced again if its workspace's retention changes, or if the process dies before it has
/// stored that the delivery was announced. Called on the retention thread, so it must be quick.
@FunctionalInterface
public interface ExpiryListener {

    void expiring(List<ExpiringDeliveries> soon);
}
