package dev.sluice.bench.fault;

import dev.sluice.bench.measure.Cpu;
import dev.sluice.bench.measure.Role;
import dev.sluice.bench.measure.Usage;
import dev.sluice.bench.relay.Relay;
import dev.sluice.bench.relay.Target;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/// What the relays of a stage and their PostgreSQL did in some time, and what it cost.
///
/// @param delivered requests at the sinks
/// @param relaySeconds CPU time of all relays
record Spell(long delivered, double seconds, double relaySeconds, double postgresSeconds) {

    /// Takes that time.
    static Spell of(Stage stage, Duration time) {
        var before = Edge.now(stage);
        Stage.pause(time);
        var after = Edge.now(stage);
        double relays = 0;
        for (int relay = 0; relay < after.relays().size(); relay++) {
            relays += used(before.relays().get(relay), after.relays().get(relay), Role.RELAY);
        }
        return new Spell(
                after.delivered() - before.delivered(),
                (after.postgres().nanos() - before.postgres().nanos()) / 1e9,
                relays,
                used(before.postgres(), after.postgres(), Role.POSTGRES));
    }

    private static double used(Cpu before, Cpu after, Role role) {
        return Usage.between(before, after).seconds().getOrDefault(role, 0.0);
    }

    double perSecond() {
        return delivered / seconds;
    }

    /// CPU microseconds for each delivered.
    double relayMicros() {
        return relaySeconds * 1e6 / delivered;
    }

    double postgresMicros() {
        return postgresSeconds * 1e6 / delivered;
    }

    double micros() {
        return relayMicros() + postgresMicros();
    }

    private record Edge(List<Cpu> relays, Cpu postgres, long delivered) {

        static Edge now(Stage stage) {
            var relays = new ArrayList<Cpu>();
            for (Relay relay : stage.nodes().all()) {
                relays.add(Cpu.now(Map.of(Role.RELAY, pid(relay))));
            }
            long delivered = 0;
            for (int sink = 0; sink < Stage.MOST_CONNECTIONS; sink++) {
                delivered += stage.sink(sink).count().requests();
            }
            return new Edge(
                    relays, Cpu.now(Map.of(Role.POSTGRES, stage.postgres().pid())), delivered);
        }

        private static long pid(Target relay) {
            return relay.processes().getOrDefault(Role.RELAY, 0L);
        }
    }
}
