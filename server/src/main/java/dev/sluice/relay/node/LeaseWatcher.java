package dev.sluice.relay.node;

import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;

/// Finds nodes that no longer renew their leases, by the monotonic clock of the node that watches.
///
/// Neither the database's clock nor a host's decides: a clock that leaps forward would end the
/// leases of all live nodes at once, and one that is set back would keep a dead node's lease for as
/// long. Not thread-safe.
public final class LeaseWatcher {

    /// How long a lease must stay the same until its node counts as dead. A node itself starts
    /// nothing later than ten seconds after it last asked for its lease.
    private static final Duration MAX_STANDSTILL = Node.LEASE_DURATION;

    /// A watcher that did not look for this long, for example because the database was away, cannot
    /// tell what the others did meanwhile. It starts over.
    private static final Duration MAX_GAP = Node.HEARTBEAT_INTERVAL.multipliedBy(2);

    private record Observation(Instant leaseUntil, long sinceNanos) {}

    private final Map<Long, Observation> observations = new HashMap<>();
    private long lastLookNanos;

    /// Returns those of these leases that stayed the same for too long.
    ///
    /// @param leases the end of each live node's lease, by its epoch, as just read
    /// @param nanos the monotonic clock before the leases were read
    public Map<Long, Instant> standingStill(Map<Long, Instant> leases, long nanos) {
        if (nanos - lastLookNanos > MAX_GAP.toNanos()) {
            observations.clear();
        }
        lastLookNanos = nanos;
        observations.keySet().retainAll(leases.keySet());
        var still = new HashMap<Long, Instant>();
        leases.forEach((epoch, leaseUntil) -> {
            var seen =
                    observations.merge(
                            epoch,
                            new Observation(leaseUntil, nanos),
                            (before, now) -> before.leaseUntil().equals(leaseUntil) ? before : now);
            if (nanos - seen.sinceNanos() >= MAX_STANDSTILL.toNanos()) {
                still.put(epoch, leaseUntil);
            }
        });
        return still;
    }
}
