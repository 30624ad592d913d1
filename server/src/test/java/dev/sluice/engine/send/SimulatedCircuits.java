package dev.sluice.engine.send;

import dev.sluice.engine.settle.CircuitBreaker;
import dev.sluice.engine.settle.Circuits;
import dev.sluice.engine.settle.CooldownBackoff;
import dev.sluice.engine.settle.Probe;
import dev.sluice.gateway.destination.Destination;
import dev.sluice.gateway.destination.DestinationId;

import java.time.Duration;
import java.time.InstantSource;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;

/// The circuits of all nodes, with the real [CircuitBreaker] values. Every node sees another's
/// changes at once. Only claiming a probe is a transaction, which may be lost.
final class SimulatedCircuits {

    private static final Duration PROBE_CLAIM_MARGIN = Duration.ofSeconds(30);

    /// Shorter than in production, so that a seed sees several.
    private static final CooldownBackoff SHORT_COOLDOWNS =
            new CooldownBackoff(Duration.ofSeconds(5), Duration.ofSeconds(20));

    private final Map<DestinationId, CircuitBreaker> circuits = new LinkedHashMap<>();

    CircuitBreaker of(DestinationId destination) {
        return circuits.getOrDefault(destination, CircuitBreaker.healthy());
    }

    /// The circuits as one node sees and changes them.
    ///
    /// @param claiming runs a claim as that node's transaction
    /// @param onMoved called when a circuit opened, closed or became due
    Circuits viewOf(
            InstantSource clock,
            LongSupplier epoch,
            UnaryOperator<Supplier<Optional<Probe>>> claiming,
            Runnable onMoved) {
        return new Circuits() {
            @Override
            public CircuitBreaker of(DestinationId destination) {
                return circuits.getOrDefault(destination, CircuitBreaker.healthy());
            }

            @Override
            public int concurrencyLimit(Destination destination) {
                return destination.spec().maxInFlight();
            }

            @Override
            public Optional<Probe> claimProbe(Destination destination) {
                return claiming.apply(() -> claim(destination)).get();
            }

            private Optional<Probe> claim(Destination destination) {
                var now = clock.instant();
                var until = now.plus(destination.spec().timeout()).plus(PROBE_CLAIM_MARGIN);
                var claimed = of(destination.id()).claimProbe(epoch.getAsLong(), now, until);
                claimed.ifPresent(circuit -> circuits.put(destination.id(), circuit));
                return claimed.map(circuit -> new Probe(destination.id(), circuit.generation()));
            }

            @Override
            public void giveBack(Probe probe) {
                change(probe.destination(), circuit -> circuit.giveBack(probe.generation()));
            }

            @Override
            public void reached(Destination destination) {
                change(destination.id(), CircuitBreaker::afterReached);
            }

            @Override
            public void failed(DestinationId destination, int started, String error) {
                change(
                        destination,
                        circuit -> circuit.afterFailure(started, clock.instant(), SHORT_COOLDOWNS));
            }

            private void change(DestinationId destination, UnaryOperator<CircuitBreaker> change) {
                var before = of(destination);
                var after = change.apply(before);
                circuits.put(destination, after);
                if (after.state() != before.state()) {
                    onMoved.run();
                }
            }
        };
    }
}
