package dev.sluice.bench.scenario;

import static dev.sluice.bench.measure.ProcessRole.BENCH;
import static dev.sluice.bench.measure.ProcessRole.POSTGRES;
import static dev.sluice.bench.measure.ProcessRole.REFERENCE;
import static dev.sluice.bench.measure.ProcessRole.RELAY;
import static dev.sluice.bench.scenario.MeasurementTable.MeasurementColumn.*;

import dev.sluice.bench.bare.CommitLoop;
import dev.sluice.bench.load.LoadPattern;
import dev.sluice.bench.load.LoadPlan;
import dev.sluice.bench.measure.CpuSnapshot;
import dev.sluice.bench.measure.CpuUsage;
import dev.sluice.bench.platform.CommandLineException;
import dev.sluice.bench.platform.CommandLineOptions;
import dev.sluice.bench.platform.NginxServer;
import dev.sluice.bench.relay.ExternalRelay;
import dev.sluice.bench.relay.InstalledPostgres;
import dev.sluice.bench.relay.RelayApi.BenchSource;
import dev.sluice.bench.relay.RelayProcess;
import dev.sluice.bench.report.BenchReport;
import dev.sluice.bench.report.Goal;
import dev.sluice.bench.report.ReportTable;
import dev.sluice.bench.sink.SinkProcess;

import java.net.URI;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.TreeMap;

/// The `trickle` scenario measures the CPU cost of an event at low rates. For comparison, it
/// measures nginx and a separate PostgreSQL while the relay is stopped. nginx gets the same
/// requests and only answers them with 200. PostgreSQL commits one small transaction for each.
///
/// The relay is first measured cold: it is restarted for each rate, and measured after `times.cold`
/// under that load. It is then run at full load once, for `times.full`, and measured warm at each
/// rate.
///
/// @param load the settings for the full load
/// @param rates the rates to measure, in requests per second
/// @param senders the number of connections over which requests are sent at these rates
public record TrickleScenario(
        RelaySetup setup, LoadSettings load, List<Integer> rates, int senders, TrickleTimes times)
        implements Scenario {

    /// The rate at which nginx's CPU time per request serves as the unit for the goals.
    private static final int REFERENCE_RATE = 100;

    private static final int LOWEST_RATE = 10;

    /// The directives for nginx. The high limit keeps connections open: by default, nginx closes a
    /// connection after a thousand requests.
    private static final String NGINX_RULE = "keepalive_requests 100000000; return 200";

    private static final Goal WARM_RATIO =
            new Goal("CPU of an event at 100/s, warm / of a request to nginx at 100/s", 14, 20);
    private static final Goal COLD_RATIO =
            Goal.atMost("CPU of an event at 10/s, cold / of a request to nginx at 100/s", 28);

    /// How long each part of the scenario takes.
    ///
    /// @param cold how long the load runs after a cold start, before the measurement begins
    /// @param full how long the relay runs at full load before the warm measurements
    /// @param lead how long the load runs before each measurement of the warm relay, or of nginx
    /// @param measured the length of each measurement
    public record TrickleTimes(Duration cold, Duration full, Duration lead, Duration measured) {}

    public TrickleScenario {
        rates = List.copyOf(rates);
    }

    public static TrickleScenario from(CommandLineOptions options) {
        return new TrickleScenario(
                RelaySetup.from(options),
                LoadSettings.from(options),
                rates(options.text("rates").orElse("10,50,100,300")),
                options.number("senders", 4),
                new TrickleTimes(
                        options.seconds("cold", 60),
                        options.seconds("full", 60),
                        options.seconds("lead", 20),
                        options.seconds("seconds", 60)));
    }

    private static List<Integer> rates(String text) {
        if (!text.matches("[1-9][0-9]{0,5}(,[1-9][0-9]{0,5})*")) {
            throw new CommandLineException("--rates must be numbers like 10,100");
        }
        return Arrays.stream(text.split(",", -1)).map(Integer::valueOf).toList();
    }

    @Override
    public BenchReport run() {
        NginxServer.require();
        try (var sink = SinkProcess.start()) {
            return setup.runOwn("trickle", (relay, report) -> measure(relay, sink, report));
        }
    }

    private void measure(RelayProcess relay, SinkProcess sink, BenchReport report) {
        var source = relay.api().createConnectedSource("bench", sink.url(), load.maxInFlight());
        var arrivals = new SinkArrivals(sink);
        var programs = relay.postgresPrograms();
        RelaySetup.stopAndCheck(relay, report);
        var nginx = measureNginx(relay, report);
        measurePostgres(programs, report);
        var results = new TrickleResults(nginx);
        for (int rate : rates) {
            relay.restart();
            var plan = plan(rate, source.ingest(), times.cold());
            results.add("cold", rate, measure(relay, sink, plan, arrivals), report);
            RelaySetup.stopAndCheck(relay, report);
        }
        relay.restart();
        warmUp(relay, sink, source, arrivals);
        for (int rate : rates) {
            var plan = plan(rate, source.ingest(), times.lead());
            results.add("warm", rate, measure(relay, sink, plan, arrivals), report);
        }
        results.report(report);
        judge(WARM_RATIO, results.micros("warm", REFERENCE_RATE), nginx, report);
        judge(COLD_RATIO, results.micros("cold", LOWEST_RATE), nginx, report);
        arrivals.check(report);
    }

    private LoadPlan plan(int rate, URI ingest, Duration lead) {
        return LoadPlan.of(new LoadPattern.ConstantRate(rate), senders, ingest)
                .sized(load.size())
                .containing(load.bodies())
                .lasting(lead, times.measured());
    }

    private static LoadMeasurement measure(
            RelayProcess relay, SinkProcess sink, LoadPlan plan, SinkArrivals arrivals) {
        var measurement = LoadMeasurement.run(relay, sink, plan);
        arrivals.awaitAll(measurement);
        return measurement;
    }

    /// Warms up the relay at full load. Then runs a vacuum and a checkpoint, so that PostgreSQL
    /// does not still have to clean up after the full load during the next measurement.
    private void warmUp(
            RelayProcess relay, SinkProcess sink, BenchSource source, SinkArrivals arrivals) {
        var plan = load.backToBack(source.ingest()).lasting(times.full(), Duration.ofSeconds(1));
        measure(relay, sink, plan, arrivals);
        try (var connection = relay.database().connect();
                var statement = connection.createStatement()) {
            statement.execute("vacuum analyze");
            statement.execute("checkpoint");
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    /// Returns the CPU time that nginx needs per request at each rate, in microseconds.
    private Map<Integer, Double> measureNginx(RelayProcess relay, BenchReport report) {
        var micros = new TreeMap<Integer, Double>();
        var table =
                new MeasurementTable(
                        "nginx alone",
                        "requests/s",
                        EnumSet.of(ANSWERED_RATE, REFERENCE_CPU, ACK_P50, ACK_P99),
                        "switches a request");
        try (var nginx = NginxServer.start(RelayProcess.freePort(), NGINX_RULE)) {
            var system = new ExternalRelay(relay.api(), Map.of(REFERENCE, nginx.pid()));
            for (int rate : rates) {
                var plan = plan(rate, nginx.base().resolve("/in/nginx"), times.lead());
                var measurement = LoadMeasurement.run(system, Optional.empty(), plan);
                measurement.remarkFailures("nginx at %d/s".formatted(rate), report);
                double switches = measurement.usage().switches(REFERENCE);
                table.row(rate, measurement, switches / measurement.events());
                micros.put(rate, table.table().last(REFERENCE_CPU.title()).orElse(Double.NaN));
            }
        }
        report.remark(NginxServer.version()).add(table.table());
        return micros;
    }

    /// Measures the CPU time that PostgreSQL needs per transaction at each rate. Each event is such
    /// a transaction at these rates, because its sender must not wait for the next one.
    private void measurePostgres(Path programs, BenchReport report) {
        var table =
                ReportTable.of(
                        "PostgreSQL alone, one transaction of two rows",
                        "transactions/s | CPU µs | switches a transaction");
        try (var postgres = InstalledPostgres.start(programs);
                var commits = new CommitLoop(postgres.address(), load.size())) {
            var processes = Map.of(REFERENCE, postgres.pid(), BENCH, ProcessHandle.current().pid());
            for (int rate : rates) {
                commits.run(rate, times.lead());
                var before = CpuSnapshot.now(processes);
                long committed = commits.run(rate, times.measured());
                var usage = CpuUsage.between(before, CpuSnapshot.now(processes));
                table.row(
                        rate,
                        usage.microsPerEvent(committed, REFERENCE),
                        (double) usage.switches(REFERENCE) / committed);
            }
        }
        report.add(table);
    }

    /// Checks the result against the goal if the rates that the goal depends on were measured.
    private static void judge(
            Goal goal, OptionalDouble micros, Map<Integer, Double> nginx, BenchReport report) {
        var unit = nginx.get(REFERENCE_RATE);
        if (unit == null || micros.isEmpty()) {
            report.remark(goal.name() + ": not measured at these rates.");
        } else {
            goal.judge(micros.getAsDouble() / unit, report);
        }
    }

    /// The relay's measurements so far.
    private static final class TrickleResults {

        private final Map<Integer, Double> nginx;
        private final Map<String, Double> micros = new TreeMap<>();
        private final ThreadGroupTables groups = new ThreadGroupTables(RELAY, POSTGRES);
        private final MeasurementTable table;

        TrickleResults(Map<Integer, Double> nginx) {
            this.nginx = nginx;
            var columns = EnumSet.range(RELAY_CPU, TOTAL_CPU);
            columns.addAll(List.of(ANSWERED_RATE, ACK_P50, ACK_P99));
            this.table =
                    new MeasurementTable(
                            "Relay and its PostgreSQL, and one destination",
                            "events/s",
                            columns,
                            "% of a core",
                            "times nginx",
                            "switches an event");
        }

        void add(String state, int rate, LoadMeasurement measurement, BenchReport report) {
            String label = label(state, rate);
            measurement.remarkFailures(label, report);
            var usage = measurement.usage();
            double events = Math.max(1, measurement.events());
            double cost =
                    usage.microsPerEvent(measurement.events(), RELAY, POSTGRES).orElse(Double.NaN);
            micros.put(label, cost);
            table.row(
                    label,
                    measurement,
                    usage.percentOfCore(RELAY, POSTGRES),
                    cost / nginx.getOrDefault(rate, Double.NaN),
                    usage.switches(RELAY, POSTGRES) / events);
            groups.add(label, usage, 1e6 / events, 1 / events);
        }

        void report(BenchReport report) {
            report.add(table.table());
            groups.tables("CPU µs an event, by threads", "Switches an event, by threads")
                    .forEach(report::add);
        }

        OptionalDouble micros(String state, int rate) {
            var cost = micros.get(label(state, rate));
            return cost == null ? OptionalDouble.empty() : OptionalDouble.of(cost);
        }

        private static String label(String state, int rate) {
            return state + " " + rate;
        }
    }
}
