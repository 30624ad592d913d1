package dev.sluice.engine.node;

import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;

/// Detects nodes that have stopped renewing their leases. The watcher measures time with the
/// monotonic clock of the node it runs on.
///
/// The watcher uses no wall clock, neither the database's nor a host's. A wall clock that jumps
/// forward would end the leases of all live nodes at once. A wall clock that is set back would
/// prolong a dead node's lease. Not thread-safe.
public final class LeaseWatcher {

    /// How long a lease must stay unchanged before its node counts as dead. The node itself starts
    /// no attempt more than ten seconds after it last requested its lease, so it has stopped by
    /// then.
    private static final Duration MAX_STANDSTILL = Node.LEASE_DURATION;

    /// The longest allowed gap between two reads of the leases. After a longer gap, for example
    /// because the database was unavailable, the watcher starts over. It cannot know whether other
    /// nodes were able to renew their leases in the meantime.
    private static final Duration MAX_GAP = Heartbeat.INTERVAL.multipliedBy(2);

    private record Observation(Instant leaseUntil, long sinceNanos) {}

    private final Map<Long, Observation> observations = new HashMap<>();
    private long lastLookNanos;

    /// Returns the leases that have stayed unchanged for too long, keyed by epoch.
    ///
    /// @param leases when each live node's lease ends, as just read, keyed by the node's epoch
    /// @param nanos the monotonic clock's value just before the leases were read
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
