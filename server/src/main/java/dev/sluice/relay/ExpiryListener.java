package dev.sluice.relay;

import java.util.List;

/// Receives the deliveries that will expire soon. Each is announced once, or twice if the process
/// dies after announcing it and before saving that. Called on the retention thread, so it must be
/// quick.
@FunctionalInterface
public interface ExpiryListener {

    void expiring(List<ExpiringDeliveries> soon);
}
