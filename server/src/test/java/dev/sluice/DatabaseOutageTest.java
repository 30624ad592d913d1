package dev.sluice;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sluice.testkit.Nightly;
import dev.sluice.testkit.PostgresProxy;
import dev.sluice.testkit.RelayProcess;
import dev.sluice.testkit.SseClient;
import dev.sluice.testkit.TestPostgres;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Path;
import java.util.concurrent.Executors;

/// Tests the log and the streams of a server whose database is away for a while. The server is a
/// process of its own, so that its log has the lines of nobody else.
class DatabaseOutageTest {

    private static final int REQUESTS = 20;

    @TempDir private Path directory;

    @Test
    void an_outage_is_one_warning_and_one_line_at_its_end() {
        var database = TestPostgres.newDatabase();
        try (var proxy = PostgresProxy.to(database);
                var server = RelayProcess.start(directory, proxy.database())) {
            var api = server.api();
            var source = api.source("shop");
            int begin = server.log().length();

            proxy.takeDown();
            try (var requests = Executors.newVirtualThreadPerTaskExecutor()) {
                for (int i = 0; i < REQUESTS; i++) {
                    requests.execute(
                            () -> assertThat(api.get("/api/v1/sources").status()).isEqualTo(503));
                }
            }
            proxy.bringUp();
            await().until(() -> server.log().contains("database.returned"));

            assertThat(api.ingest(source.text("ingest_path"), "{}").status()).isEqualTo(200);
            var lines = server.log().substring(begin).lines().toList();
            assertThat(lines)
                    .filteredOn(line -> !line.contains(" INFO "))
                    .singleElement()
                    .asString()
                    .contains(" WARN ", "database.lost", "reason=");
            assertThat(lines).filteredOn(line -> line.contains("database.returned")).hasSize(1);
        }
    }

    /// A stream waits for the database for a minute. A heartbeat comes after 15 s.
    @Nightly
    @Test
    void a_stream_goes_on_after_an_outage_with_what_was_stored_since() {
        var database = TestPostgres.newDatabase();
        try (var proxy = PostgresProxy.to(database);
                var server = RelayProcess.start(directory, proxy.database())) {
            var api = server.api();
            var source = api.source("shop");
            String ingest = source.text("ingest_path");
            String tail = "/api/v1/sources/" + source.text("id") + "/tail";
            try (var stream = SseClient.open(server.port(), tail, RelayProcess.ADMIN_API_KEY)) {
                stream.awaitReady();
                var first = api.ingest(ingest, "{}").text("request_id");
                await().until(() -> stream.eventIds().contains(first));

                proxy.takeDown();
                await().until(() -> stream.comments() > 0);
                proxy.bringUp();
                await().until(() -> api.get("/api/v1/sources").status() == 200);
                var second = api.ingest(ingest, "{}").text("request_id");

                await().until(() -> stream.eventIds().contains(second));
                assertThat(stream.eventIds()).containsExactly(first, second);
                assertThat(stream.messages("ready")).hasSize(1);
                assertThat(stream.messages("bye")).isEmpty();
                assertThat(stream.faults()).isZero();
            }
        }
    }
}
