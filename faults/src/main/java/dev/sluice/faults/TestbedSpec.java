package dev.sluice.faults;

import dev.sluice.bench.load.LoadPlan.BodySizes;
import dev.sluice.bench.relay.RelayApi;
import dev.sluice.bench.sink.SinkBehaviour;
import dev.sluice.faults.cluster.RelayCluster.ClusterRequirements;

import java.time.Duration;
import java.util.List;

/// The relays, sinks and load that a fault needs.
///
/// @param hasProxies whether the relays reach PostgreSQL through proxies; if so, the relays log
///   every attempt
/// @param hasBalancer whether a single generator sends to a load balancer in front of all relays
/// @param retrySeconds the intervals between a delivery's attempts
/// @param requirements what the cluster must provide before any process starts
record TestbedSpec(
        int nodes,
        boolean hasProxies,
        boolean hasBalancer,
        SinkBehaviour sinks,
        List<Integer> retrySeconds,
        BodySizes bodies,
        ClusterRequirements requirements) {

    private static final BodySizes BODY_SIZES = new BodySizes(200, 64 * 1024);

    TestbedSpec {
        retrySeconds = List.copyOf(retrySeconds);
    }

    /// Returns a testbed with two relays and with sinks that fail one attempt in a hundred.
    static TestbedSpec standard() {
        return new TestbedSpec(
                2,
                false,
                false,
                new SinkBehaviour.FlakyAnswers(10, Duration.ZERO),
                RelayApi.RETRY_SECONDS,
                BODY_SIZES,
                ClusterRequirements.NO_REQUIREMENTS);
    }

    /// Returns the standard testbed with slower sinks, so that each relay has deliveries in memory
    /// when it is killed.
    static TestbedSpec slow() {
        return standard().with(new SinkBehaviour.FlakyAnswers(10, Duration.ofMillis(200)));
    }

    TestbedSpec with(int otherNodes) {
        return new TestbedSpec(
                otherNodes, hasProxies, hasBalancer, sinks, retrySeconds, bodies, requirements);
    }

    TestbedSpec withProxies() {
        return new TestbedSpec(nodes, true, hasBalancer, sinks, retrySeconds, bodies, requirements);
    }

    TestbedSpec withBalancer() {
        return new TestbedSpec(nodes, hasProxies, true, sinks, retrySeconds, bodies, requirements);
    }

    TestbedSpec with(SinkBehaviour others) {
        return new TestbedSpec(
                nodes, hasProxies, hasBalancer, others, retrySeconds, bodies, requirements);
    }

    TestbedSpec with(BodySizes others) {
        return new TestbedSpec(
                nodes, hasProxies, hasBalancer, sinks, retrySeconds, others, requirements);
    }

    TestbedSpec retrying(List<Integer> seconds) {
        return new TestbedSpec(
                nodes, hasProxies, hasBalancer, sinks, seconds, bodies, requirements);
    }

    TestbedSpec requiring(ClusterRequirements others) {
        return new TestbedSpec(nodes, hasProxies, hasBalancer, sinks, retrySeconds, bodies, others);
    }
}
