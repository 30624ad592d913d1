package dev.sluice;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sluice.testkit.Nightly;
import dev.sluice.testkit.Receiver;
import dev.sluice.testkit.RelayProcess;
import dev.sluice.testkit.TestPostgres;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Map;

/// Tests what a server process writes with the settings of its log. Each server is a process of its
/// own, because logging is configured once in a process.
class LogSettingsTest {

    private static final JsonMapper JSON = JsonMapper.builder().build();

    @TempDir private Path directory;

    /// Runs a server that delivers one webhook and stops. Returns the lines of its log, without
    /// what a first start prints on standard output.
    private List<String> linesOfRun(Map<String, String> settings) throws IOException {
        try (var receiver = Receiver.start();
                var server = RelayProcess.start(directory, TestPostgres.newDatabase(), settings)) {
            var api = server.api();
            var source = api.source("shop");
            api.connect(source, api.destination(receiver.url(), ""));
            assertThat(api.ingest(source.text("ingest_path"), "{}").status()).isEqualTo(200);
            await().until(() -> !receiver.requests().isEmpty());
            assertThat(server.stop()).isZero();
            return server.log().lines().filter(line -> !line.startsWith("First start: ")).toList();
        }
    }

    @Test
    void json_is_one_flat_object_a_line_with_time_level_event_and_the_events_fields()
            throws IOException {
        var lines = linesOfRun(Map.of("SLUICE_LOG_FORMAT", "json", "SLUICE_LOG_LEVEL", "debug"));

        assertThat(lines).isNotEmpty();
        for (String line : lines) {
            var json = JSON.readTree(line);
            assertThat(List.copyOf(json.propertyNames()))
                    .as(line)
                    .startsWith("time", "level", "event");
            assertThat(json.values()).as(line).noneMatch(JsonNode::isContainer);
            assertThat(Instant.parse(json.path("time").asString())).isNotNull();
            assertThat(json.path("level").asString()).isIn("error", "warn", "info", "debug");
        }
        var started =
                lines.stream()
                        .map(JSON::readTree)
                        .filter(json -> json.path("event").asString().equals("server.started"))
                        .toList();
        assertThat(started).hasSize(1);
        assertThat(started.getFirst().path("level").asString()).isEqualTo("info");
        assertThat(started.getFirst().path("port").isInt()).isTrue();
    }

    /// The name was saved by an older version, which allowed everything in it.
    @ParameterizedTest
    @ValueSource(strings = {"text", "json"})
    void no_name_forges_a_line_or_steers_a_terminal(String format) throws IOException {
        String hostile =
                "a\n2026-01-02T03:04:05.678Z ERROR Sluice disk.full\u001b[2J\u009b2J\u202e\u2028b";
        var database = TestPostgres.newDatabase();
        try (var receiver = Receiver.start();
                var db = TestPostgres.open(database);
                var server =
                        RelayProcess.start(
                                directory, database, Map.of("SLUICE_LOG_FORMAT", format))) {
            receiver.willAnswer(410);
            var api = server.api();
            var source = api.source("shop");
            var destination = api.destination(receiver.url(), "");
            api.connect(source, destination);
            db.run(tx ->
                    tx.update(
                            """
                            with next as (update config_version set version = version + 1 returning version)
                            update destination set name = ?, version = (select version from next)
                            """,
                            hostile));
            await().until(() ->
                    api.get("/api/v1/destinations/" + destination.text("id"))
                            .text("name")
                            .equals(hostile));
            await().untilAsserted(() -> {
                api.ingest(source.text("ingest_path"), "{}");
                assertThat(server.log()).contains("disk.full");
            });
            assertThat(server.stop()).isZero();

            assertThat(server.log().chars())
                    .noneMatch(c -> c != '\n' && c != '\t' && Character.isISOControl(c))
                    .noneMatch(c -> c == 0x202e || c == 0x2028);
            assertThat(server.log().lines())
                    .filteredOn(line -> line.contains("disk.full"))
                    .isNotEmpty()
                    .allMatch(line -> line.matches(".*(delivery\\.ended|attempts\\.failed).*"))
                    .allMatch(line ->
                            line.contains(
                                    "a\\n2026-01-02T03:04:05.678Z ERROR Sluice"
                                            + " disk.full\\u001"));
        }
    }

    @Nightly
    @ParameterizedTest
    @CsvSource({"debug, true", "info, false"})
    void the_level_decides_what_is_logged(String level, boolean hasDebug) throws IOException {
        var lines = linesOfRun(Map.of("SLUICE_LOG_LEVEL", level));

        assertThat(lines.stream().anyMatch(line -> line.contains(" DEBUG "))).isEqualTo(hasDebug);
        assertThat(lines)
                .anyMatch(line -> line.contains(" INFO ") && line.contains("server.stopped"));
    }
}
