package dev.sluice.bench.scenario;

import static dev.sluice.bench.scenario.MeasurementTable.MeasurementColumn.*;

import dev.sluice.bench.load.LoadPlan;
import dev.sluice.bench.relay.RelayProcess;
import dev.sluice.bench.relay.SystemUnderTest;
import dev.sluice.bench.report.BenchReport;
import dev.sluice.bench.report.ReportTable;
import dev.sluice.bench.scenario.MeasurementTable.MeasurementColumn;
import dev.sluice.bench.sink.SinkProcess;

import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.function.IntConsumer;

/// One of several systems that are measured in turn, with the results of its rounds so far.
final class Contender {

    private final String title;
    private final LoadPlan plan;
    private final SystemUnderTest system;
    private final SinkProcess sink;
    private final MeasurementTable rounds;

    /// @param sink may be shared with contenders that are not measured at the same time
    Contender(String title, LoadPlan plan, SystemUnderTest system, SinkProcess sink) {
        this.title = title;
        this.plan = plan;
        this.system = system;
        this.sink = sink;
        var columns = EnumSet.range(ANSWERED_RATE, ACK_P99);
        columns.remove(ACK_P90);
        this.rounds = new MeasurementTable(title, "round", columns);
    }

    /// Creates a source on the relay that is connected to the sink, and returns the relay as a
    /// contender.
    static Contender of(String title, LoadSettings load, RelayProcess relay, SinkProcess sink) {
        var source = relay.api().createConnectedSource("bench", sink.url(), load.maxInFlight());
        return new Contender(title, load.backToBack(source.ingest()), relay, sink);
    }

    String title() {
        return title;
    }

    /// Measures the contenders `rounds` times, with every second round in reverse order. Otherwise,
    /// the cleanup after a contender's round would always slow down the same other contender.
    static void alternate(int rounds, List<Contender> contenders, BenchReport report) {
        alternate(rounds, contenders, report, _ -> {});
    }

    /// @param compare called after each round of all contenders
    static void alternate(
            int rounds, List<Contender> contenders, BenchReport report, IntConsumer compare) {
        for (int round = 1; round <= rounds; round++) {
            for (var contender : round % 2 == 0 ? contenders.reversed() : contenders) {
                contender.runRound(round, report);
            }
            compare.accept(round);
        }
    }

    /// Puts the system under load before its first round and ignores the result. The JVM compiles
    /// the system's code during this time, which must not count in the rounds.
    void settle(Duration time) {
        var arrivals = new SinkArrivals(sink);
        var measurement =
                LoadMeasurement.run(system, sink, plan.lasting(time, Duration.ofSeconds(1)));
        arrivals.awaitAll(measurement);
    }

    void runRound(int round, BenchReport report) {
        var arrivals = new SinkArrivals(sink);
        var measurement = LoadMeasurement.run(system, sink, plan);
        measurement.remarkFailures(title + ", round " + round, report);
        rounds.row(round, measurement);
        arrivals.awaitAll(measurement);
        arrivals.checkComplete(title + ": some of what was accepted did not arrive", report);
    }

    /// Returns the CPU time of the relay and the database per event in the newest round, in
    /// microseconds.
    double latestMicros() {
        return latest(TOTAL_CPU);
    }

    /// Returns the number in this column of the newest round, or NaN if it could not be measured.
    double latest(MeasurementColumn column) {
        return rounds.table().last(column.title()).orElse(Double.NaN);
    }

    /// Returns a table of all rounds with their medians. Call this once.
    ReportTable medians() {
        return rounds.table().medians();
    }
}
