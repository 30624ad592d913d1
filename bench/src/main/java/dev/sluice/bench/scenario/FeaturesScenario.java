package dev.sluice.bench.scenario;

import dev.sluice.bench.platform.BenchJson;
import dev.sluice.bench.platform.CommandLineOptions;
import dev.sluice.bench.relay.RelayApi;
import dev.sluice.bench.relay.RelayProcess;
import dev.sluice.bench.report.BenchReport;
import dev.sluice.bench.report.ReportTable;
import dev.sluice.bench.sink.SinkProcess;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// The `features` scenario measures one relay, from ingest to delivery, in several configurations:
/// no features, verified senders, a filter with three rules, a transformation, and all of these
/// together.
///
/// @param baselineLauncher if present, the launcher of an earlier build, which is measured for
///   comparison
public record FeaturesScenario(RelaySetup setup, LoadSettings load, Optional<Path> baselineLauncher)
        implements Scenario {

    private static final String SIGNING_SECRET = "bench-secret";

    private static final Map<String, Object> VERIFICATION_FIELDS =
            BenchJson.object(
                    """
                    {"verification_config": {"provider": "generic_hmac", "secret": "bench-secret",
                      "header": "X-Signature", "algorithm": "sha256", "encoding": "hex"}}
                    """);

    private static final Map<String, Object> FILTER_FIELDS =
            BenchJson.object(
                    """
                    {"filter_rules": {"operator": "and", "rules": [
                      {"path": "body.exact", "op": "gt", "value": 1},
                      {"path": "body.filler", "op": "exists", "value": true},
                      {"path": "headers.user-agent", "op": "eq", "value": "sluice-bench"}]}}
                    """);

    private static final Map<String, Object> TRANSFORMATION_FIELDS =
            BenchJson.object(
                    """
                    {"transformation": {
                      "set_headers": [{"name": "X-Event", "value": "{{event.id}}"}],
                      "rename_headers": [{"from": "User-Agent", "to": "X-Sender"}],
                      "remove_headers": ["Accept"],
                      "merge_body_fields": {"relayed": true}}}
                    """);

    public static FeaturesScenario from(CommandLineOptions options) {
        return new FeaturesScenario(
                RelaySetup.from(options), LoadSettings.from(options), options.path("against"));
    }

    @Override
    public BenchReport run() {
        try (var sink = SinkProcess.start()) {
            return setup.runOwn("features", (relay, report) -> measure(relay, sink, report));
        }
    }

    private void measure(RelayProcess relay, SinkProcess sink, BenchReport report) {
        var plain = contender("plain", relay, sink, Map.of(), Map.of());
        var contenders = new ArrayList<Contender>(List.of(plain));
        contenders.add(contender("verified", relay, sink, VERIFICATION_FIELDS, Map.of()));
        contenders.add(contender("filtered", relay, sink, Map.of(), FILTER_FIELDS));
        contenders.add(contender("transformed", relay, sink, Map.of(), TRANSFORMATION_FIELDS));
        var all = new HashMap<String, Object>(FILTER_FIELDS);
        all.putAll(TRANSFORMATION_FIELDS);
        contenders.add(contender("all of it", relay, sink, VERIFICATION_FIELDS, all));
        if (baselineLauncher.isEmpty()) {
            compare(contenders, plain, report);
            return;
        }
        try (var earlier = RelayProcess.start(baselineLauncher.get(), false)) {
            contenders.addFirst(contender("earlier build", earlier, sink, Map.of(), Map.of()));
            compare(contenders, plain, report);
        }
    }

    private Contender contender(
            String title,
            RelayProcess relay,
            SinkProcess sink,
            Map<String, Object> sourceFields,
            Map<String, Object> connectionFields) {
        var api = relay.api();
        var source = api.createSource("bench " + title, sourceFields);
        String destination =
                api.createDestination(
                        "bench " + title, sink.url(), load.maxInFlight(), RelayApi.RETRY_SECONDS);
        api.connect(source, destination, connectionFields);
        var secret =
                sourceFields.isEmpty() ? Optional.<String>empty() : Optional.of(SIGNING_SECRET);
        return new Contender(title, load.backToBack(source.ingest()).signed(secret), relay, sink);
    }

    private void compare(List<Contender> contenders, Contender plain, BenchReport report) {
        var others = contenders.stream().filter(contender -> contender != plain).toList();
        var columns = new ArrayList<String>(List.of("round"));
        others.forEach(contender -> columns.add(contender.title()));
        var ratios =
                new ReportTable("CPU an event, relative to plain", columns.toArray(String[]::new));
        for (int round = 1; round <= load.rounds(); round++) {
            for (var contender : contenders) {
                contender.runRound(round, report);
            }
            var cells = new ArrayList<Object>(List.of(round));
            others.forEach(contender -> cells.add(contender.latestMicros() / plain.latestMicros()));
            ratios.row(cells.toArray());
        }
        report.add(ratios.medians());
        contenders.forEach(contender -> report.add(contender.medians()));
    }
}
