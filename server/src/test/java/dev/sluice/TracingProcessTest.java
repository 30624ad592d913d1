package dev.sluice;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sluice.testkit.Nightly;
import dev.sluice.testkit.Receiver;
import dev.sluice.testkit.RelayProcess;
import dev.sluice.testkit.SpanCollector;
import dev.sluice.testkit.TestPostgres;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;

/// Tests that a server pays for OpenTelemetry only if it traces. The server is a process of its
/// own, because the JVM of the tests has loaded everything.
@Nightly
class TracingProcessTest {

    private static final String SDK = "io.opentelemetry.";

    @TempDir private Path directory;

    /// Runs a server that delivers one webhook, and returns the names of the classes it has loaded.
    private String loadedClasses(Map<String, String> more) throws IOException {
        var loaded = directory.resolve("classes");
        var settings = new HashMap<>(more);
        settings.put("JAVA_TOOL_OPTIONS", "-Xlog:class+load:file=" + loaded);
        try (var receiver = Receiver.start();
                var server =
                        RelayProcess.start(
                                directory.resolve("data"), TestPostgres.newDatabase(), settings)) {
            var api = server.api();
            var source = api.source("shop");
            api.connect(source, api.destination(receiver.url(), ""));
            assertThat(api.ingest(source.text("ingest_path"), "{}").status()).isEqualTo(200);
            await().until(() -> !receiver.requests().isEmpty());
            assertThat(server.stop()).isZero();
        }
        return Files.readString(loaded);
    }

    @Test
    void without_an_endpoint_no_class_of_the_sdk_is_loaded() throws IOException {
        assertThat(loadedClasses(Map.of()).lines())
                .anyMatch(line -> line.contains("dev.sluice.Main "))
                .noneMatch(line -> line.contains(SDK));
    }

    @Test
    void with_an_endpoint_the_sdk_is_loaded() throws IOException {
        try (var collector = SpanCollector.start()) {
            assertThat(
                            loadedClasses(Map.of("OTEL_EXPORTER_OTLP_ENDPOINT", collector.url()))
                                    .lines())
                    .anyMatch(line -> line.contains(SDK));
        }
    }
}
