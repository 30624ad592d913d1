package dev.sluice.bench.fault;

import dev.sluice.bench.relay.Nodes.Needs;
import dev.sluice.bench.sink.Behaviour;

import java.time.Duration;
import java.util.List;
import java.util.Set;

/// What a fault is done to.
///
/// @param nodes how many relays
/// @param isWired whether they reach PostgreSQL through wires; then they also log each attempt
/// @param isBalanced whether the senders see one address, before all relays
/// @param sinks how the receivers behave
/// @param retries seconds between the attempts of each delivery
/// @param needs what must be there before anything runs
/// @param explained error events in the logs that the fault explains
record Scene(
        int nodes,
        boolean isWired,
        boolean isBalanced,
        Behaviour sinks,
        List<Integer> retries,
        Needs needs,
        Set<String> explained) {

    /// One attempt of a hundred fails.
    private static final Behaviour HEALTHY = new Behaviour.Flaky(10, Duration.ZERO);

    private static final List<Integer> RETRIES = List.of(1, 2, 3, 5, 5, 5, 5, 5, 5, 5);

    Scene {
        retries = List.copyOf(retries);
        explained = Set.copyOf(explained);
    }

    /// With sinks that take their time, so that each relay has deliveries in its memory when it is
    /// taken away.
    static Scene slow() {
        return standard().with(new Behaviour.Flaky(10, Duration.ofMillis(200)));
    }

    static Scene standard() {
        return new Scene(2, false, false, HEALTHY, RETRIES, Needs.NOTHING, Set.of());
    }

    Scene with(int otherNodes) {
        return new Scene(otherNodes, isWired, isBalanced, sinks, retries, needs, explained);
    }

    Scene wired() {
        return new Scene(nodes, true, isBalanced, sinks, retries, needs, explained);
    }

    Scene balanced() {
        return new Scene(nodes, isWired, true, sinks, retries, needs, explained);
    }

    Scene with(Behaviour others) {
        return new Scene(nodes, isWired, isBalanced, others, retries, needs, explained);
    }

    Scene retrying(List<Integer> seconds) {
        return new Scene(nodes, isWired, isBalanced, sinks, seconds, needs, explained);
    }

    Scene needing(Needs what) {
        return new Scene(nodes, isWired, isBalanced, sinks, retries, what, explained);
    }

    Scene explaining(String... events) {
        return new Scene(nodes, isWired, isBalanced, sinks, retries, needs, Set.of(events));
    }
}
