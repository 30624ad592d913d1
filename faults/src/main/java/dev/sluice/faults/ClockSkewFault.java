package dev.sluice.faults;

import dev.sluice.bench.platform.Wait;
import dev.sluice.bench.relay.RelayProcess;
import dev.sluice.bench.sink.SinkBehaviour;
import dev.sluice.faults.cluster.RelayCluster.ClusterRequirements;
import dev.sluice.faults.cluster.SkewedClock;

import java.time.Duration;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// Fault 20: one relay's clock is ten minutes ahead, then ten minutes behind, then an hour behind,
/// then correct.
final class ClockSkewFault implements Fault {

    private static final List<Duration> CLOCK_OFFSETS =
            List.of(
                    Duration.ofMinutes(10),
                    Duration.ofMinutes(-10),
                    Duration.ofHours(-1),
                    Duration.ZERO);

    private static final int RETRY_SECONDS = 5;
    private static final double TOLERANCE_SECONDS = 1;

    private Optional<SkewedClock> clock = Optional.empty();

    @Override
    public Optional<String> unmetRequirement() {
        return SkewedClock.unmetRequirement();
    }

    @Override
    public TestbedSpec testbedSpec() {
        var made = SkewedClock.make();
        clock = Optional.of(made);
        return TestbedSpec.standard()
                .with(new SinkBehaviour.FlakyAnswers(50, Duration.ZERO))
                .retrying(Collections.nCopies(10, RETRY_SECONDS))
                .requiring(
                        ClusterRequirements.ofSecondRelaySettings(
                                withEveryAttemptLogged(made.environment())));
    }

    private static Map<String, String> withEveryAttemptLogged(Map<String, String> environment) {
        var settings = new HashMap<>(environment);
        settings.put("SLUICE_LOG_LEVEL", "debug");
        return settings;
    }

    @Override
    public void inject(FaultTestbed testbed, Criteria criteria) {
        for (Duration ahead : CLOCK_OFFSETS) {
            clock.orElseThrow().set(ahead);
            Wait.pause(testbed.options().seconds(30));
        }
    }

    @Override
    public void verify(FaultTestbed testbed, Criteria criteria) {
        long leases = testbed.countLogLines("node.died") + testbed.countLogLines("node.fenced");
        criteria.none("requests that failed", testbed.failures())
                .none("leases that were lost", leases)
                .holds("the relay goes by the clock it was given", isShifted(testbed.node(1)));
        new RetryTimingCheck(testbed.spec().retrySeconds(), TOLERANCE_SECONDS, TOLERANCE_SECONDS)
                .read(testbed.ledgers())
                .verify(criteria, true);
    }

    /// Returns whether the relay's JVM uses the shifted clock. If it does, the times in its log
    /// jump backwards.
    private static boolean isShifted(RelayProcess relay) {
        var times = relay.logLines("attempt.finished").stream().map(RelayProcess::logTime).toList();
        for (int at = 1; at < times.size(); at++) {
            if (times.get(at).isBefore(times.get(at - 1).minus(Duration.ofMinutes(5)))) {
                return true;
            }
        }
        return false;
    }
}
