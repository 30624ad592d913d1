package dev.sluice.journey;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.sluice.RunningSluice;
import dev.sluice.platform.assembly.Pools;
import dev.sluice.platform.db.Db;
import dev.sluice.testkit.ApiClient;
import dev.sluice.testkit.Receiver;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// Tests the metrics of a server that has accepted, refused and delivered webhooks.
class MetricsTest {

    private static final Path METRICS_PAGE = Path.of("../docs/reference/metrics.md");
    private static final Path PROMTOOL = Path.of("/usr/bin/promtool");

    /// Matches a row such as "| `sluice_lanes` | gauge | `state` | … |".
    private static final Pattern ROW =
            Pattern.compile(
                    "^\\| `([a-z_]+)` \\| ([a-z]+) \\| (?:`([a-z]+)`|–) \\|", Pattern.MULTILINE);

    private static final Pattern TYPE =
            Pattern.compile("^# TYPE (\\S+) (\\S+)$", Pattern.MULTILINE);
    private static final Pattern METRIC_NAME =
            Pattern.compile("\\b(?:sluice|jvm|process)_[a-z_]+\\b");

    @AutoClose
    private static final RunningSluice sluice =
            RunningSluice.start(Map.of("SLUICE_METRICS_PORT", "0"));

    @AutoClose private static final Receiver receiver = Receiver.start();
    private static final ApiClient api = sluice.api();

    @BeforeAll
    static void run() {
        receiver.willAnswer(200, 200, 410);
        var source = api.source("s");
        api.connect(source, api.destination(receiver.url(), ""));
        for (int i = 0; i < 3; i++) {
            assertThat(api.ingest(source.text("ingest_path"), "{}").status()).isEqualTo(200);
        }
        String tooLarge = "x".repeat((1 << 20) + 1);
        assertThat(api.ingest(source.text("ingest_path"), tooLarge).status()).isEqualTo(413);
        try (Db db = sluice.db()) {
            db.run(tx -> tx.update("update audit set checked_to = now()")); // as after an hour
        }
        await().untilAsserted(() ->
                assertThat(scrape())
                        .contains("sluice_delivery_attempts_total{outcome=\"4xx\"} 1")
                        .contains("sluice_audit_checked_until_timestamp_seconds"));
    }

    private static String scrape() {
        var client = ApiClient.undocumented(sluice.metricsPort());
        var answer = client.send(client.anonymous("/metrics").GET());
        assertThat(answer.status()).isEqualTo(200);
        assertThat(answer.header("Content-Type").orElseThrow())
                .startsWith("text/plain; version=0.0.4");
        return answer.body();
    }

    /// Returns the type of each metric, by its name.
    private static Map<String, String> exported() {
        Map<String, String> types = new TreeMap<>();
        TYPE.matcher(scrape()).results().forEach(type -> types.put(type.group(1), type.group(2)));
        return types;
    }

    @Test
    void what_was_accepted_refused_and_delivered_is_counted() {
        String metrics = scrape();

        assertThat(metrics)
                .contains("\nsluice_ingest_request_duration_seconds_count 3\n")
                .contains(
                        "\n"
                            + "sluice_ingest_refused_requests_total{reason=\"payload_too_large\"}"
                            + " 1.0\n")
                .contains("\nsluice_ingest_refused_requests_total{reason=\"rate_limited\"} 0.0\n")
                .contains("\nsluice_delivery_attempts_total{outcome=\"2xx\"} 2.0\n")
                .contains("\nsluice_delivery_attempts_total{outcome=\"4xx\"} 1.0\n")
                .contains("\nsluice_delivery_attempts_total{outcome=\"dns_failure\"} 0.0\n")
                .contains("\nsluice_delivery_attempt_duration_seconds_count 3\n")
                .contains("\nsluice_commit_batch_size_sum{journal=\"events\"} 3.0\n")
                .contains("\nsluice_commit_batch_size_sum{journal=\"results\"} 3.0\n")
                .contains("\nsluice_database_up 1.0\n")
                .contains("\nsluice_nodes_live 1.0\n")
                .contains("\nsluice_audit_violations_total{invariant=\"orphan\"} 0.0\n")
                .contains("\nsluice_build_info{version=\"test\"} 1.0\n");
    }

    @Test
    void every_pool_is_measured() {
        var pools =
                Pattern.compile(
                                "^sluice_pool_max_connections\\{pool=\"([a-z]+)\"}",
                                Pattern.MULTILINE)
                        .matcher(scrape())
                        .results()
                        .map(pool -> pool.group(1));

        assertThat(pools)
                .hasSameSizeAs(Pools.class.getRecordComponents())
                .contains("api", "relay", "delivery", "node");
    }

    @Test
    void the_reference_has_exactly_the_metrics_of_a_server_with_their_types_and_labels()
            throws IOException {
        String metrics = scrape();
        var expected = new TreeSet<String>();
        exported()
                .forEach((name, type) ->
                        expected.add(name + " " + type + " " + label(metrics, name)));
        var documented =
                ROW.matcher(Files.readString(METRICS_PAGE))
                        .results()
                        .map(row ->
                                row.group(1)
                                        + " "
                                        + row.group(2)
                                        + " "
                                        + (row.group(3) == null ? "" : row.group(3)))
                        .collect(Collectors.toCollection(TreeSet::new));

        assertThat(documented).isEqualTo(expected);
    }

    /// Returns the only label of a metric besides a histogram's `le`, or nothing.
    private static String label(String metrics, String name) {
        var labels =
                Pattern.compile("^" + name + "(?:_bucket)?\\{([^}]*)}", Pattern.MULTILINE)
                        .matcher(metrics)
                        .results()
                        .flatMap(line ->
                                Pattern.compile("([a-z]+)=\"").matcher(line.group(1)).results())
                        .map(label -> label.group(1))
                        .filter(label -> !label.equals("le"))
                        .collect(Collectors.toSet());
        assertThat(labels).as(name).hasSizeLessThanOrEqualTo(1);
        return String.join("", labels);
    }

    @ParameterizedTest
    @ValueSource(strings = {"prometheus/rules.yml", "grafana/sluice.json"})
    void every_metric_that_is_named_in_what_we_ship_is_exported(String file) throws IOException {
        var exported = new TreeSet<String>();
        exported()
                .forEach((name, type) -> {
                    exported.add(name);
                    if (type.equals("histogram")) {
                        exported.add(name + "_bucket");
                        exported.add(name + "_count");
                        exported.add(name + "_sum");
                    }
                });
        var named =
                METRIC_NAME
                        .matcher(Files.readString(Path.of("../deploy").resolve(file)))
                        .results()
                        .map(name -> name.group())
                        .collect(Collectors.toCollection(TreeSet::new));

        assertThat(named).hasSizeGreaterThan(5);
        assertThat(exported).containsAll(named);
    }

    @Test
    void promtool_finds_nothing_wrong() throws IOException, InterruptedException {
        promtoolAccepts(scrape(), "check", "metrics");
    }

    @Test
    void promtool_finds_nothing_wrong_with_the_alert_rules()
            throws IOException, InterruptedException {
        promtoolAccepts("", "check", "rules", "../deploy/prometheus/rules.yml");
    }

    private static void promtoolAccepts(String input, String... command)
            throws IOException, InterruptedException {
        assumeTrue(Files.isExecutable(PROMTOOL), "promtool is not installed");
        var process =
                new ProcessBuilder(
                                Stream.concat(Stream.of(PROMTOOL.toString()), Stream.of(command))
                                        .toList())
                        .redirectErrorStream(true)
                        .start();
        try (var in = process.outputWriter(UTF_8)) {
            in.write(input);
        }
        String said = new String(process.getInputStream().readAllBytes(), UTF_8);

        assertThat(process.waitFor()).as(said).isZero();
    }

    @Test
    void the_port_has_nothing_else_and_the_main_port_has_no_metrics() {
        var client = ApiClient.undocumented(sluice.metricsPort());
        var main = ApiClient.undocumented(sluice.port());

        assertThat(client.send(client.anonymous("/api/v1/status").GET()).status()).isEqualTo(404);
        assertThat(main.send(main.anonymous("/metrics").GET()).status()).isEqualTo(404);
    }
}
