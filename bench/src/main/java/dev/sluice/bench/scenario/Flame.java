package dev.sluice.bench.scenario;

import dev.sluice.bench.load.Plan;
import dev.sluice.bench.measure.Flight;
import dev.sluice.bench.measure.Role;
import dev.sluice.bench.platform.Options;
import dev.sluice.bench.platform.UsageException;
import dev.sluice.bench.relay.Target;
import dev.sluice.bench.report.Report;
import dev.sluice.bench.sink.SinkProcess;

import java.nio.file.Path;
import java.util.Optional;

/// Whether one more lap is recorded, after those that count: recording costs something.
record Flame(boolean isWanted) {

    static Flame from(Options options) {
        return new Flame(options.flag("flame"));
    }

    /// The lap, if there was one: what it sent arrives as that of any other.
    Optional<Lap> lap(
            Target target, Optional<SinkProcess> sink, Plan plan, String scenario, Report report) {
        if (!isWanted) {
            return Optional.empty();
        }
        Long relay = target.processes().get(Role.RELAY);
        if (relay == null) {
            throw new UsageException("--flame needs a relay of its own, or --pid");
        }
        Path svg = Path.of("bench", "target", "flame-" + scenario + ".svg");
        try (var flight = Flight.start(relay)) {
            var lap = Lap.run(target, sink, plan);
            flight.land(svg);
            report.remark("Flame graph of one more round, warm-up included: " + svg + ".");
            return Optional.of(lap);
        }
    }
}
