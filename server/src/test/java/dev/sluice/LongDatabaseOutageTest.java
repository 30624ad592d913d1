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
import java.time.Duration;

/// Tests a stream whose server's database stays away. By the machine's own clock, the stream ends
/// after a minute. This is a class of its own so that other tests run meanwhile.
@Nightly
class LongDatabaseOutageTest {

    private static final Duration OUTAGE_TIMEOUT = Duration.ofMinutes(1);
    private static final Duration MAX_DELAY = Duration.ofSeconds(40);

    @TempDir private Path directory;

    @Test
    void a_stream_says_bye_after_a_minute_without_a_database_and_goes_on_later_where_it_ended() {
        var database = TestPostgres.newDatabase();
        try (var proxy = PostgresProxy.to(database);
                var server = RelayProcess.start(directory, proxy.database())) {
            var api = server.api();
            var source = api.source("shop");
            String ingest = source.text("ingest_path");
            String tail = "/api/v1/sources/" + source.text("id") + "/tail";
            String lastId;
            try (var stream = SseClient.open(server.port(), tail, RelayProcess.ADMIN_API_KEY)) {
                stream.awaitReady();
                var first = api.ingest(ingest, "{}").text("request_id");
                await().until(() -> stream.eventIds().contains(first));

                long begun = System.nanoTime();
                proxy.takeDown();
                await().atMost(OUTAGE_TIMEOUT.plus(MAX_DELAY))
                        .until(() -> !stream.messages("bye").isEmpty());

                assertThat(System.nanoTime() - begun).isGreaterThan(OUTAGE_TIMEOUT.toNanos());
                assertThat(stream.messages("bye").getFirst().data().path("reason").asString())
                        .isEqualTo("unavailable");
                lastId = stream.lastId();
            }
            proxy.bringUp();
            await().until(() -> api.get("/api/v1/sources").status() == 200);
            var second = api.ingest(ingest, "{}").text("request_id");
            try (var resumed =
                    SseClient.open(
                            server.port(), tail + "?after=" + lastId, RelayProcess.ADMIN_API_KEY)) {
                await().until(() -> resumed.eventIds().contains(second));
                assertThat(resumed.eventIds()).containsExactly(second);
                assertThat(resumed.messages("gap")).isEmpty();
            }
        }
    }
}
