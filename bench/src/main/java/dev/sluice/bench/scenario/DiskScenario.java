package dev.sluice.bench.scenario;

import static dev.sluice.bench.measure.ProcessRole.POSTGRES;
import static dev.sluice.bench.measure.ProcessRole.RELAY;

import dev.sluice.bench.bare.BareProcess;
import dev.sluice.bench.load.BodyKind;
import dev.sluice.bench.load.LoadPlan;
import dev.sluice.bench.platform.CommandLineOptions;
import dev.sluice.bench.platform.Wait;
import dev.sluice.bench.relay.ExternalRelay;
import dev.sluice.bench.relay.RelayProcess;
import dev.sluice.bench.relay.SystemUnderTest;
import dev.sluice.bench.report.BenchReport;
import dev.sluice.bench.report.ReportTable;
import dev.sluice.bench.sink.SinkProcess;

import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/// The `disk` scenario measures how many bytes an event takes up on disk if its body is a JSON
/// order. For comparison, the bare pipeline also stores such events, in tables of its own.
///
/// @param load the load; its warm-up is the time during which events are stored but not counted
/// @param settling how long the relay has to finish its work before the sizes are read
public record DiskScenario(RelaySetup setup, LoadSettings load, Duration settling)
        implements Scenario {

    private static final String RELAY_SCHEMA = "sluice";
    private static final String BARE_SCHEMA = "bare";

    public static DiskScenario from(CommandLineOptions options) {
        return new DiskScenario(
                RelaySetup.from(options),
                LoadSettings.from(options, 20, 30),
                options.seconds("settling", 15));
    }

    @Override
    public BenchReport run() {
        return setup.runOwn("disk", this::measure);
    }

    private void measure(RelayProcess relay, BenchReport report) {
        var table =
                ReportTable.of(
                        "Bytes an event, orders of %d bytes".formatted(load.size()),
                        "what | table | indexes | together");
        measureRelay(relay, table, report);
        measureBare(relay, table, report);
        report.add(table.row("sent, without headers", "–", "–", load.size()));
    }

    private void measureRelay(RelayProcess relay, ReportTable table, BenchReport report) {
        try (var sink = SinkProcess.start()) {
            var source =
                    relay.api().createConnectedSource("bench disk", sink.url(), load.maxInFlight());
            store(relay, sink, plan(source.ingest(), load.warmUp()), report);
            var before = DiskUsage.of(relay);
            long walBefore = DiskUsage.walBytes(relay.database());
            long events = store(relay, sink, plan(source.ingest(), load.measured()), report);
            long walAfter = DiskUsage.walBytes(relay.database());
            var grown = DiskUsage.of(relay).minus(before);

            addTable(table, "event", grown.of(RELAY_SCHEMA, "event"), events);
            addTable(table, "delivery", grown.of(RELAY_SCHEMA, "delivery"), events);
            addTable(
                    table,
                    "all other tables",
                    grown.others(RELAY_SCHEMA, List.of("event", "delivery")),
                    events);
            addSum(table, "all files but the log (du)", grown.fileBytes(), events);
            addSum(table, "write-ahead log", walAfter - walBefore, events);
            var parts = DiskUsage.newestEvents(relay.database());
            report.remark(
                    "Of an event's row: %.0f bytes of body, %.0f of headers."
                            .formatted(parts.body(), parts.headers()));
        }
    }

    private void measureBare(RelayProcess relay, ReportTable table, BenchReport report) {
        try (var sink = SinkProcess.start();
                var bare = BareProcess.start(relay.database(), sink.url(), load.maxInFlight())) {
            long postgres = relay.postmaster().orElseThrow().pid();
            var system =
                    new ExternalRelay(relay.api(), Map.of(RELAY, bare.pid(), POSTGRES, postgres));
            long walBefore = DiskUsage.walBytes(relay.database());
            long events = store(system, sink, plan(bare.ingest(), load.measured()), report);
            long walAfter = DiskUsage.walBytes(relay.database());
            var usage = DiskUsage.of(relay);
            addTable(table, "bare: event", usage.of(BARE_SCHEMA, "event"), events);
            addTable(table, "bare: delivery", usage.of(BARE_SCHEMA, "delivery"), events);
            addSum(table, "bare: write-ahead log", walAfter - walBefore, events);
        }
    }

    private LoadPlan plan(URI ingest, Duration time) {
        return load.backToBack(ingest).containing(BodyKind.ORDERS).lasting(Duration.ZERO, time);
    }

    /// Stores events and waits until all of them are delivered. Returns the number of events.
    private long store(
            SystemUnderTest system, SinkProcess sink, LoadPlan plan, BenchReport report) {
        var arrivals = new SinkArrivals(sink);
        var measurement = LoadMeasurement.run(system, sink, plan);
        measurement.remarkFailures("Storing", report);
        arrivals.awaitAll(measurement);
        arrivals.checkComplete("some of what was accepted did not arrive", report);
        Wait.pause(settling);
        return measurement.result().acceptedInAll();
    }

    /// Adds a row for one database table.
    private static void addTable(
            ReportTable table, String name, DiskUsage.TableBytes bytes, long events) {
        double tableBytes = (double) bytes.table() / events;
        double indexBytes = (double) bytes.indexes() / events;
        table.row(name, tableBytes, indexBytes, tableBytes + indexBytes);
    }

    private static void addSum(ReportTable table, String name, long bytes, long events) {
        table.row(name, "–", "–", (double) bytes / events);
    }
}
