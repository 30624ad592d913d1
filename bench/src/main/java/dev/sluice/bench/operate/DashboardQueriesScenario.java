package dev.sluice.bench.operate;

import static dev.sluice.bench.platform.UncheckedCalls.unchecked;

import dev.sluice.bench.load.LoadPattern;
import dev.sluice.bench.load.LoadPlan;
import dev.sluice.bench.load.LoadProcess;
import dev.sluice.bench.platform.BenchJson;
import dev.sluice.bench.platform.CommandLineOptions;
import dev.sluice.bench.platform.PrometheusServer;
import dev.sluice.bench.platform.Wait;
import dev.sluice.bench.relay.RelayProcess;
import dev.sluice.bench.report.BenchReport;
import dev.sluice.bench.report.ReportTable;
import dev.sluice.bench.scenario.RelaySetup;
import dev.sluice.bench.scenario.Scenario;
import dev.sluice.bench.sink.SinkBehaviour;
import dev.sluice.bench.sink.SinkProcess;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/// The `dashboard-queries` scenario checks the PromQL expressions in the Grafana dashboard and the
/// alert rules. A relay is under load, some of its deliveries fail, and the Prometheus server
/// installed on this machine scrapes the relay. The scenario then evaluates each expression, and
/// fails if any of them causes an error or returns no series.
///
/// @param load how long the relay is under load and scraped before the expressions are evaluated
public record DashboardQueriesScenario(RelaySetup setup, Duration load) implements Scenario {

    private static final Path DASHBOARD = Path.of("deploy", "grafana", "sluice.json");
    private static final Path RULES = Path.of("deploy", "prometheus", "rules.yml");

    /// The value that Grafana substitutes for `$__rate_interval` when it shows a short time range.
    private static final String RATE_INTERVAL = "15s";

    private static final int EVENTS_PER_SECOND = 100;
    private static final int CONNECTIONS = 4;
    private static final int MAX_IN_FLIGHT = 64;
    private static final int FAILURES_PER_MILLE = 200;

    /// @param place the panel or alert that contains the expression
    private record Expression(String place, String text) {

        /// Returns the expression with Grafana's `$__rate_interval` replaced. Comparisons are
        /// changed to return 0 or 1 instead of dropping the series for which they are false. An
        /// empty result therefore always means that a metric or label is wrong.
        String evaluated() {
            return text.replace("$__rate_interval", RATE_INTERVAL)
                    .replaceAll(" (==|!=|[<>]=?) ", " $1 bool ");
        }
    }

    public static DashboardQueriesScenario from(CommandLineOptions options) {
        return new DashboardQueriesScenario(
                RelaySetup.from(options), options.seconds("seconds", 30));
    }

    @Override
    public BenchReport run() {
        PrometheusServer.require();
        int metrics = RelayProcess.freePort();
        var flaky = new SinkBehaviour.FlakyAnswers(FAILURES_PER_MILLE, Duration.ofMillis(5));
        try (var sink = SinkProcess.start(flaky);
                var dead = SinkProcess.start(new SinkBehaviour.RefusedConnections())) {
            return setup.runOwn(
                    "dashboard-queries",
                    Map.of("SLUICE_METRICS_PORT", Integer.toString(metrics)),
                    (relay, report) -> {
                        var source =
                                relay.api()
                                        .createConnectedSource("bench", sink.url(), MAX_IN_FLIGHT);
                        relay.api().connect(source, "dead", dead.url(), MAX_IN_FLIGHT);
                        var plan =
                                LoadPlan.of(
                                        new LoadPattern.ConstantRate(EVENTS_PER_SECOND),
                                        CONNECTIONS,
                                        source.ingest());
                        int port = RelayProcess.freePort();
                        try (var prometheus = PrometheusServer.start(port, metrics, RULES);
                                var _ = LoadProcess.start(plan)) {
                            Wait.pause(load);
                            evaluate(prometheus, report);
                        }
                    });
        }
    }

    private void evaluate(PrometheusServer prometheus, BenchReport report) {
        report.remark(PrometheusServer.version())
                .remark(
                        "%d events/s for %d s; of one destination's answers %d %% are 503, another refuses connections"
                                .formatted(
                                        EVENTS_PER_SECOND,
                                        load.toSeconds(),
                                        FAILURES_PER_MILLE / 10));
        evaluate("Panels of " + DASHBOARD, panels(), prometheus, report);
        evaluate("Alerts of " + RULES, alerts(prometheus, report), prometheus, report);
    }

    private static void evaluate(
            String title,
            List<Expression> expressions,
            PrometheusServer prometheus,
            BenchReport report) {
        report.failUnless(!expressions.isEmpty(), title + ": none were found");
        var table = ReportTable.of(title, "where | expression | series");
        for (var expression : expressions) {
            var answer = prometheus.query(expression.evaluated());
            String error = answer.path("error").asString("");
            int series = answer.path("data").path("result").size();
            table.row(expression.place(), "`%s`".formatted(expression.evaluated()), series);
            report.failUnless(error.isEmpty(), expression.text() + ": " + error)
                    .failUnless(
                            series > 0 || !error.isEmpty(),
                            expression.text() + ": the answer has no series");
        }
        report.add(table);
    }

    private static List<Expression> panels() {
        var found = new ArrayList<Expression>();
        var dashboard = BenchJson.MAPPER.readTree(unchecked(() -> Files.readString(DASHBOARD)));
        for (var panel : dashboard.path("panels")) {
            for (var target : panel.path("targets")) {
                found.add(
                        new Expression(
                                panel.path("title").asString(), target.path("expr").asString()));
            }
        }
        return found;
    }

    /// Returns the expressions from the rules that Prometheus has loaded. Adds a failure to the
    /// report for each rule that Prometheus itself has not evaluated successfully.
    private static List<Expression> alerts(PrometheusServer prometheus, BenchReport report) {
        var found = new ArrayList<Expression>();
        for (var group : prometheus.rules().path("data").path("groups")) {
            for (var rule : group.path("rules")) {
                String name = rule.path("name").asString();
                found.add(new Expression(name, rule.path("query").asString()));
                report.failUnless(
                        rule.path("health").asString().equals("ok"),
                        name + ": " + rule.path("lastError").asString(""));
            }
        }
        return found;
    }
}
