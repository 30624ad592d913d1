package dev.sluice.faults;

import dev.sluice.bench.platform.Wait;
import dev.sluice.bench.sink.SinkBehaviour;
import dev.sluice.faults.cluster.RelayCluster.ClusterRequirements;

import tools.jackson.databind.JsonNode;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/// Fault 17: all sinks alternate between answering normally and mostly failing, with 429, 500 or a
/// connection reset.
final class FlappingSinksFault implements Fault {

    private static final Duration WAVE_TIME = Duration.ofSeconds(30);
    private static final int FAILURE_PERCENT = 60;
    private static final List<Integer> RETRY_SECONDS = List.of(2, 4, 6, 8, 10, 10, 10, 10, 10, 10);
    private static final Duration POLL_INTERVAL = Duration.ofMillis(300);

    private static final double MAX_EARLY_SECONDS = 0.1;
    private static final double MAX_LATE_SECONDS = 12;

    /// The transitions that a circuit may make, according to `docs/states.md`. `open > closed`
    /// occurs if an attempt that began before the circuit opened succeeds. It is also seen if
    /// `half_open` is so short that it is missed, because the states are read only every 300 ms.
    private static final Set<String> ALLOWED_TRANSITIONS =
            Set.of(
                    "closed > open",
                    "open > half_open",
                    "half_open > closed",
                    "half_open > open",
                    "open > closed");

    private final Map<String, String> states = new HashMap<>();
    private final Map<String, Integer> transitions = new TreeMap<>();

    @Override
    public TestbedSpec testbedSpec() {
        return TestbedSpec.standard()
                .with(new SinkBehaviour.AlternatingFailures(WAVE_TIME, FAILURE_PERCENT))
                .retrying(RETRY_SECONDS)
                .requiring(
                        ClusterRequirements.ofRelaySettings(
                                Map.of(
                                        "SLUICE_CIRCUIT_COOLDOWN",
                                        "3s",
                                        "SLUICE_CIRCUIT_MAX_COOLDOWN",
                                        "10s")));
    }

    @Override
    public void inject(FaultTestbed testbed, Criteria criteria) {
        long end = System.nanoTime() + testbed.options().seconds(180).toNanos();
        while (System.nanoTime() - end < 0) {
            for (JsonNode destination :
                    testbed.node(0).api().get("destinations/?limit=200").path("items")) {
                observe(
                        destination.path("id").asString(),
                        destination.path("circuit_state").asString());
            }
            Wait.pause(POLL_INTERVAL);
        }
    }

    private void observe(String destination, String state) {
        String before = states.put(destination, state);
        if (before != null && !before.equals(state)) {
            transitions.merge(before + " > " + state, 1, Integer::sum);
        }
    }

    @Override
    public void verify(FaultTestbed testbed, Criteria criteria) {
        long strange =
                transitions.keySet().stream()
                        .filter(change -> !ALLOWED_TRANSITIONS.contains(change))
                        .count();
        var ledgers = testbed.ledgers();
        long receipts = 0;
        long resets = 0;
        for (int sink = 0; sink < FaultTestbed.MAX_CONNECTIONS_PER_SOURCE; sink++) {
            var received = ledgers.received(sink);
            receipts += received.size();
            resets +=
                    received.stream()
                            .filter(one -> one.status() == SinkBehaviour.RESET_CONNECTION)
                            .count();
        }
        long attempts = testbed.queries().number("select coalesce(sum(attempts), 0) from delivery");
        criteria.remark("circuits were seen to pass " + transitions)
                .none("transitions of circuits that the table does not have", strange)
                .atMost("attempts recorded, against requests at the sinks", receipts, attempts)
                .atLeast(
                        "the same, less those repeated after a reset", receipts - resets, attempts);
        new RetryTimingCheck(RETRY_SECONDS, MAX_EARLY_SECONDS, MAX_LATE_SECONDS)
                .read(ledgers)
                .verify(criteria, transitions.isEmpty());
    }
}
