package dev.sluice.faults;

import dev.sluice.bench.platform.Wait;
import dev.sluice.bench.relay.RelayProcess;
import dev.sluice.faults.cluster.RelayCluster.ClusterRequirements;
import dev.sluice.faults.wire.LinkConditions;
import dev.sluice.faults.wire.LinkConditions.LinkDirection;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/// Fault 9: no data passes between a relay and PostgreSQL in either direction. Later, only the data
/// from PostgreSQL to the relay is blocked.
final class NetworkPartitionFault implements Fault {

    /// The time after which a relay that is cut off must consider its lease expired (10 s), plus a
    /// margin. The margin allows for small differences between the times in the relay's log and
    /// those that this test measures.
    private static final Duration LEASE_TIMEOUT = Duration.ofMillis(10_500);

    private static final Duration RECOVERY_TIMEOUT = Duration.ofSeconds(30);

    private final List<DisconnectedPeriod> disconnections = new ArrayList<>();

    private record DisconnectedPeriod(Instant from, Instant to) {

        /// Returns whether the relay must not begin an attempt at this time, because it is cut off
        /// and must consider its lease expired.
        boolean forbids(Instant begun) {
            return begun.isAfter(from.plus(LEASE_TIMEOUT)) && begun.isBefore(to);
        }
    }

    @Override
    public TestbedSpec testbedSpec() {
        return TestbedSpec.slow()
                .withProxies()
                .requiring(
                        ClusterRequirements.ofRelaySettings(Map.of("SLUICE_LOG_LEVEL", "debug")));
    }

    @Override
    public void inject(FaultTestbed testbed, Criteria criteria) {
        var table = new TakeoverTable(testbed, "Partitions", "blocked", "back after s");
        double slowest = 0;
        for (var blocked :
                List.of(
                        LinkConditions.blocked(LinkDirection.TO_SERVER, LinkDirection.TO_CLIENT),
                        LinkConditions.blocked(LinkDirection.TO_CLIENT))) {
            var cut = testbed.node(0);
            var ownedWork = testbed.ownedWork(cut);
            var from = Instant.now();
            long end = System.nanoTime() + testbed.options().seconds(45).toNanos();
            testbed.cluster().proxy(0).setConditions(blocked);
            long deliveries = ownedWork.deliveries();
            Wait.pause(Duration.ofSeconds(1)); // by then, commits that were in flight have arrived
            deliveries = Math.max(deliveries, ownedWork.deliveries());
            double seconds = 1 + ownedWork.secondsUntilTakenOver();
            Wait.pause(Duration.ofNanos(Math.max(0, end - System.nanoTime())));
            disconnections.add(new DisconnectedPeriod(from, Instant.now()));
            testbed.cluster().proxy(0).setConditions(LinkConditions.UNIMPAIRED);
            double back = Wait.secondsUntil(RECOVERY_TIMEOUT, () -> testbed.accepts(cut));
            slowest = Math.max(slowest, back);
            table.row(
                    blocked.blocked().size() == 2 ? "both directions" : "from the database",
                    deliveries,
                    seconds,
                    back);
            Wait.pause(testbed.options().seconds(20));
        }
        table.addTo(criteria);
        criteria.inTime(
                "seconds until it accepts again", RECOVERY_TIMEOUT.toSeconds() - 1.0, slowest);
    }

    @Override
    public void verify(FaultTestbed testbed, Criteria criteria) {
        var begun =
                testbed.node(0).logLines("attempt.finished").stream()
                        .map(NetworkPartitionFault::attemptStart)
                        .toList();
        long forbidden =
                begun.stream()
                        .filter(attempt ->
                                disconnections.stream().anyMatch(period -> period.forbids(attempt)))
                        .count();
        criteria.atLeast("attempts in the log of the relay that was cut off", 1, begun.size())
                .none("attempts that it began 10.5 s or more after it was cut off", forbidden)
                .atLeast(
                        "requests that it answered with 500",
                        1,
                        testbed.results().getFirst().statuses().getOrDefault("500", 0L));
    }

    private static Instant attemptStart(String line) {
        long latency = Long.parseLong(line.replaceAll(".*latency_ms=\"?([0-9]+).*", "$1"));
        return RelayProcess.logTime(line).minusMillis(latency);
    }
}
