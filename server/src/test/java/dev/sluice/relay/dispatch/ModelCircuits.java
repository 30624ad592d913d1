package dev.sluice.relay.dispatch;

import dev.sluice.gateway.destination.Destination;
import dev.sluice.gateway.destination.DestinationId;
import dev.sluice.relay.circuit.Circuit;
import dev.sluice.relay.circuit.Circuits;
import dev.sluice.relay.circuit.Cooldowns;
import dev.sluice.relay.circuit.Probe;

import java.time.Duration;
import java.time.InstantSource;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;

/// The circuits of all nodes: the real values, of which every node knows at once what another did.
/// Only claiming a probe is a transaction, which may be lost.
final class ModelCircuits {

    private static final Duration GRACE = Duration.ofSeconds(30);

    /// Shorter than in the field, so that a seed sees several.
    private static final Cooldowns COOLDOWNS =
            new Cooldowns(Duration.ofSeconds(5), Duration.ofSeconds(20));

    private final Map<DestinationId, Circuit> all = new LinkedHashMap<>();

    /// As one node sees and changes them.
    ///
    /// @param claiming runs a claim as that node's transaction
    /// @param onMoved told when one opened, closed or became due
    Circuits seenBy(
            InstantSource clock,
            LongSupplier epoch,
            UnaryOperator<Supplier<Optional<Probe>>> claiming,
            Runnable onMoved) {
        return new Circuits() {
            @Override
            public Circuit of(DestinationId destination) {
                return all.getOrDefault(destination, Circuit.healthy());
            }

            @Override
            public int width(Destination destination) {
                return destination.spec().maxInFlight();
            }

            @Override
            public Optional<Probe> claimProbe(Destination destination) {
                return claiming.apply(() -> claim(destination)).get();
            }

            private Optional<Probe> claim(Destination destination) {
                var now = clock.instant();
                var until = now.plus(destination.spec().timeout()).plus(GRACE);
                var claimed = of(destination.id()).claimProbe(epoch.getAsLong(), now, until);
                claimed.ifPresent(circuit -> all.put(destination.id(), circuit));
                return claimed.map(circuit -> new Probe(destination.id(), circuit.generation()));
            }

            @Override
            public void giveBack(Probe probe) {
                change(probe.destination(), circuit -> circuit.giveBack(probe.generation()));
            }

            @Override
            public void reached(Destination destination) {
                change(destination.id(), Circuit::afterSuccess);
            }

            @Override
            public void failed(DestinationId destination, int started, String error) {
                change(
                        destination,
                        circuit -> circuit.afterFailure(started, clock.instant(), COOLDOWNS));
            }

            private void change(DestinationId destination, UnaryOperator<Circuit> change) {
                var before = of(destination);
                var after = change.apply(before);
                all.put(destination, after);
                if (after.state() != before.state()) {
                    onMoved.run();
                }
            }
        };
    }
}
