package dev.sluice.bench.platform;

import tools.jackson.databind.JsonNode;

import java.net.URI;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;

/// The Prometheus server installed on this machine. Every second, it scrapes one address and
/// evaluates one rule file. Its data is removed when this object is closed.
public final class PrometheusServer implements AutoCloseable {

    private final InstalledProgram program;
    private final int port;

    private PrometheusServer(InstalledProgram program, int port) {
        this.program = program;
        this.port = port;
    }

    /// Throws unless Prometheus is installed.
    public static void require() {
        InstalledProgram.require("prometheus");
    }

    /// Returns the first line that `prometheus --version` prints.
    public static String version() {
        return SystemCommands.run("prometheus", "--version")
                .output()
                .lines()
                .findFirst()
                .orElse("");
    }

    /// Starts Prometheus and returns once it is listening on loopback.
    ///
    /// @param target a loopback port that serves `/metrics`
    public static PrometheusServer start(int port, int target, Path rules) {
        String configuration =
                """
                global:
                  scrape_interval: 1s
                  evaluation_interval: 1s
                rule_files: ['%s']
                scrape_configs:
                  - job_name: sluice
                    static_configs:
                      - targets: ['127.0.0.1:%d']
                """
                        .formatted(rules.toAbsolutePath(), target);
        var program =
                InstalledProgram.start(
                        List.of(
                                "prometheus",
                                "--config.file=configuration",
                                "--storage.tsdb.path=data",
                                "--web.listen-address=127.0.0.1:" + port),
                        configuration,
                        port);
        return new PrometheusServer(program, port);
    }

    /// Returns the response to an instant query: `status`, then `data` or `error`.
    public JsonNode query(String expression) {
        return get("query?query=" + URLEncoder.encode(expression, StandardCharsets.UTF_8));
    }

    /// Returns the rules with their state: `data.groups[].rules[]`.
    public JsonNode rules() {
        return get("rules");
    }

    private JsonNode get(String path) {
        var uri = URI.create("http://127.0.0.1:%d/api/v1/%s".formatted(port, path));
        return BenchJson.MAPPER.readTree(SimpleHttpClient.get(uri).body());
    }

    @Override
    public void close() {
        program.close();
    }
}
