package dev.sluice.bench.scenario;

import dev.sluice.bench.bare.BareProcess;
import dev.sluice.bench.bare.BareVariant;
import dev.sluice.bench.platform.Options;
import dev.sluice.bench.report.Report;
import dev.sluice.bench.report.Table;
import dev.sluice.bench.sink.Behaviour;
import dev.sluice.bench.sink.SinkProcess;

import java.util.List;
import java.util.Optional;

/// Scenario `limit`: the relay and the bare pipeline in turn, on the same PostgreSQL, with the same
/// generator and sink. The ratio of the two says how far the relay is from what its libraries and
/// this machine can do.
public final class Limit implements Scenario {

    /// A bare pipeline that costs more is no measure for anything, in CPU µs an event.
    private static final double COUNTS_BELOW = 75;

    /// Of what the bare pipeline delivers a second.
    private static final double LEAST_SHARE = 0.55;

    private final Setup setup;
    private final LoadSettings load;
    private final int maxInFlight;

    private Limit(Setup setup, LoadSettings load, int maxInFlight) {
        this.setup = setup;
        this.load = load;
        this.maxInFlight = maxInFlight;
    }

    public static Limit from(Options options) {
        return new Limit(
                Setup.from(options), LoadSettings.from(options), options.number("in-flight", 64));
    }

    @Override
    public Report run() {
        try (var relay = setup.openOwn();
                var relaySink = SinkProcess.start(new Behaviour.Fast(), Optional.empty());
                var bareSink = SinkProcess.start(new Behaviour.Fast(), Optional.empty());
                var bare =
                        BareProcess.start(
                                relay.database(),
                                "bare",
                                bareSink.url(),
                                maxInFlight,
                                BareVariant.LEAN)) {
            var source = relay.api().source("bench");
            relay.api().connect(source, "bench sink", relaySink.url(), maxInFlight);
            var report = new Report("limit");
            var title = "%d connections, %d bytes".formatted(load.connections(), load.size());
            var full = new Part(title + ": relay", load, source.ingest(), relay, relaySink);
            var limit =
                    new Part(
                            title + ": bare",
                            load,
                            bare.ingest(),
                            new BareTarget(relay, bare),
                            bareSink);
            Part.toAndFro(List.of(limit, full), report);
            var fullTable = full.medians();
            var limitTable = limit.medians();
            report.add(fullTable).add(limitTable);
            compare(fullTable, limitTable, report);
            Setup.stop(relay, report);
            return report;
        }
    }

    private static void compare(Table full, Table limit, Report report) {
        double bareMicros = limit.last("pipeline+postgres µs").orElse(Double.MAX_VALUE);
        double rate = full.last("delivered/s").orElse(0) / limit.last("delivered/s").orElse(1);
        double micros = full.last("pipeline+postgres µs").orElse(0) / bareMicros;
        report.remark("Relay / bare, delivered a second: %.2f.".formatted(rate));
        report.remark("Relay / bare, CPU an event: %.2f.".formatted(micros));
        report.failUnless(
                rate >= LEAST_SHARE,
                "the relay delivered %.2f of what the bare pipeline did, and %.2f were wanted"
                        .formatted(rate, LEAST_SHARE));
        report.failUnless(
                bareMicros <= COUNTS_BELOW,
                "the bare pipeline took %.0f µs an event; it counts only up to %.0f"
                        .formatted(bareMicros, COUNTS_BELOW));
    }
}
