package dev.sluice.bench.scenario;

import dev.sluice.bench.platform.Options;
import dev.sluice.bench.relay.Relay;
import dev.sluice.bench.report.Report;
import dev.sluice.bench.report.Table;
import dev.sluice.bench.sink.Behaviour;
import dev.sluice.bench.sink.SinkProcess;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// Scenario `features`: what each costs, in turn on one relay: the full cycle with nothing switched
/// on, with verified senders, with a filter of three rules, with a transformation, with all of it.
/// And the full cycle of an earlier build beside it, where one is given.
public final class Features implements Scenario {

    private static final String SECRET = "bench-secret";

    private static final Map<String, Object> VERIFIED =
            Map.of(
                    "verification_config",
                    Map.of(
                            "provider", "generic_hmac",
                            "secret", SECRET,
                            "header", "X-Signature",
                            "algorithm", "sha256",
                            "encoding", "hex"));

    private static final Map<String, Object> FILTERED =
            Map.of(
                    "filter_rules",
                    Map.of(
                            "operator",
                            "and",
                            "rules",
                            List.of(
                                    rule("body.exact", "gt", 1),
                                    rule("body.filler", "exists", true),
                                    rule("headers.user-agent", "eq", "sluice-bench"))));

    private static final Map<String, Object> TRANSFORMED =
            Map.of(
                    "transformation",
                    Map.of(
                            "set_headers",
                            List.of(Map.of("name", "X-Event", "value", "{{event.id}}")),
                            "rename_headers",
                            List.of(Map.of("from", "User-Agent", "to", "X-Sender")),
                            "remove_headers",
                            List.of("Accept"),
                            "merge_body_fields",
                            Map.of("relayed", true)));

    private final Setup setup;
    private final LoadSettings load;
    private final int maxInFlight;
    private final Optional<Path> against;

    private Features(Setup setup, LoadSettings load, int maxInFlight, Optional<Path> against) {
        this.setup = setup;
        this.load = load;
        this.maxInFlight = maxInFlight;
        this.against = against;
    }

    public static Features from(Options options) {
        return new Features(
                Setup.from(options),
                LoadSettings.from(options),
                options.number("in-flight", 64),
                options.path("against"));
    }

    private static Map<String, Object> rule(String path, String op, Object value) {
        return Map.of("path", path, "op", op, "value", value);
    }

    @Override
    public Report run() {
        try (var sink = SinkProcess.start(new Behaviour.Fast(), Optional.empty());
                var relay = setup.openOwn()) {
            var report = new Report("features");
            var plain = part("plain", relay, sink, Map.of(), Map.of());
            var parts = new ArrayList<Part>(List.of(plain));
            parts.add(part("verified", relay, sink, VERIFIED, Map.of()));
            parts.add(part("filtered", relay, sink, Map.of(), FILTERED));
            parts.add(part("transformed", relay, sink, Map.of(), TRANSFORMED));
            var all = new HashMap<String, Object>(FILTERED);
            all.putAll(TRANSFORMED);
            parts.add(part("all of it", relay, sink, VERIFIED, all));
            if (against.isPresent()) {
                try (var earlier = Relay.start(against.get(), false)) {
                    parts.addFirst(part("earlier build", earlier, sink, Map.of(), Map.of()));
                    measure(parts, plain, report);
                }
            } else {
                measure(parts, plain, report);
            }
            Setup.stop(relay, report);
            return report;
        }
    }

    private Part part(
            String title,
            Relay relay,
            SinkProcess sink,
            Map<String, Object> ofSource,
            Map<String, Object> ofConnection) {
        var source = relay.api().source("bench " + title, ofSource);
        relay.api().connect(source, "bench " + title, sink.url(), maxInFlight, ofConnection);
        var secret = ofSource.isEmpty() ? Optional.<String>empty() : Optional.of(SECRET);
        return new Part(title, load, source.ingest(), relay, sink, secret);
    }

    private void measure(List<Part> parts, Part plain, Report report) {
        var columns = new ArrayList<String>(List.of("round"));
        parts.stream().filter(part -> part != plain).map(Part::title).forEach(columns::add);
        var ratios = new Table("CPU an event, relative to plain", columns.toArray(String[]::new));
        for (int round = 1; round <= load.rounds(); round++) {
            var cells = new ArrayList<Object>(List.of(round));
            for (var part : parts) {
                part.round(round, report);
            }
            parts.stream()
                    .filter(part -> part != plain)
                    .forEach(part -> cells.add(part.micros() / plain.micros()));
            ratios.row(cells.toArray());
        }
        report.add(ratios.medians());
        parts.forEach(part -> report.add(part.medians()));
    }
}
