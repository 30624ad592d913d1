package dev.sluice.bench.scenario;

import static dev.sluice.bench.scenario.MeasurementTable.MeasurementColumn.*;

import dev.sluice.bench.load.LoadPattern;
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

    /// The default time for which a system is under load before the first round. During the first
    /// minute, the JVM is still compiling the system's code.
    static final int SETTLING_SECONDS = 60;

    private final String title;
    private final LoadPlan plan;
    private final SystemUnderTest system;
    private final SinkProcess sink;
    private final MeasurementTable rounds;

    /// @param sink the sink, which can be shared with contenders that are not measured at the same
    ///   time
    Contender(String title, LoadPlan plan, SystemUnderTest system, SinkProcess sink) {
        this.title = title;
        this.plan = plan;
        this.system = system;
        this.sink = sink;
        var columns = EnumSet.range(ANSWERED_RATE, ACK_P99);
        columns.remove(ACK_P90);
        this.rounds = new MeasurementTable(title, "round", columns);
    }

    /// Creates a source on the relay, connects it to the sink, and returns the relay as a
    /// contender.
    ///
    /// @param rate the rate of the measured load in requests per second, or 0 for as many as the
    ///   relay answers
    static Contender of(
            String title, LoadSettings load, int rate, RelayProcess relay, SinkProcess sink) {
        var ingest =
                relay.api().createConnectedSource("bench", sink.url(), load.maxInFlight()).ingest();
        var plan = rate == 0 ? load.backToBack(ingest) : load.gently(rate, ingest);
        return new Contender(title, plan, relay, sink);
    }

    String title() {
        return title;
    }

    /// Measures each contender `rounds` times. The cleanup after one contender slows down the next
    /// one. Every second round therefore runs in reverse order, so that it is not always the same
    /// contender that is slowed down.
    static void alternate(int rounds, List<Contender> contenders, BenchReport report) {
        alternate(rounds, contenders, report, _ -> {});
    }

    /// @param compare called with the number of each round after all contenders have run it
    static void alternate(
            int rounds, List<Contender> contenders, BenchReport report, IntConsumer compare) {
        for (int round = 1; round <= rounds; round++) {
            for (var contender : round % 2 == 0 ? contenders.reversed() : contenders) {
                contender.runRound(round, report);
            }
            compare.accept(round);
        }
    }

    /// Puts the system under full load and ignores the result. Call this before the first round, so
    /// that the JVM compiles the system's code before the measurements start.
    void settle(Duration time) {
        var arrivals = new SinkArrivals(sink);
        var full = plan.following(new LoadPattern.BackToBack());
        var measurement =
                LoadMeasurement.run(system, sink, full.lasting(time, Duration.ofSeconds(1)));
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

    /// Returns the CPU time per event that the relay and the database used together in the latest
    /// round, in microseconds.
    double latestMicros() {
        return latest(TOTAL_CPU);
    }

    /// Returns the latest round's number in this column, or NaN if it could not be measured.
    double latest(MeasurementColumn column) {
        return rounds.table().last(column.title()).orElse(Double.NaN);
    }

    /// Adds the medians to the table of all rounds and returns the table. Call this only once.
    ReportTable medians() {
        return rounds.table().medians();
    }
}
