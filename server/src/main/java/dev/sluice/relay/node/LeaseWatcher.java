package dev.sluice.relay.node;

import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;

/// Finds nodes that no longer renew their leases. Time is measured with the monotonic clock of the
/// watching node.
///
/// The watcher uses no wall clock, neither that of the database nor that of a host. A wall clock
/// that jumps forward would end the leases of all live nodes at once. A wall clock that is set back
/// would prolong the lease of a dead node. Not thread-safe.
public final class LeaseWatcher {

    /// How long a lease must stay unchanged before its node counts as dead. The node itself starts
    /// no attempts later than ten seconds after it last requested its lease, so it has stopped by
    /// then.
    private static final Duration MAX_STANDSTILL = Node.LEASE_DURATION;

    /// If the watcher has not read the leases for longer than this, for example because the
    /// database was unavailable, it starts over. It cannot know whether other nodes were able to
    /// renew their leases in the meantime.
    private static final Duration MAX_GAP = Node.HEARTBEAT_INTERVAL.multipliedBy(2);

    private record Observation(Instant leaseUntil, long sinceNanos) {}

    private final Map<Long, Observation> observations = new HashMap<>();
    private long lastLookNanos;

    /// Returns the leases that have stayed unchanged for too long, keyed by epoch.
    ///
    /// @param leases when each live node's lease ends, as just read, keyed by the node's epoch
    /// @param nanos the value of the monotonic clock just before the leases were read
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
