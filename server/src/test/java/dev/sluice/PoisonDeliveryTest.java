package dev.sluice;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sluice.platform.config.Settings;
import dev.sluice.platform.db.Database;
import dev.sluice.testkit.ApiClient;
import dev.sluice.testkit.Nightly;
import dev.sluice.testkit.Receiver;
import dev.sluice.testkit.RelayProcess;
import dev.sluice.testkit.TestPostgres;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import tools.jackson.databind.JsonNode;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/// Tests a server, in a separate process, that is killed whenever it sends one certain delivery.
class PoisonDeliveryTest {

    @TempDir private Path dataDir;

    @Nightly
    @Test
    void a_delivery_that_kills_the_server_five_times_fails_and_all_others_arrive()
            throws IOException {
        var database = TestPostgres.newDatabase();
        try (var deadly = Receiver.start();
                var good = Receiver.start()) {
            deadly.willDo(new Receiver.ScriptedResponse("", Receiver.ConnectionAction.STALL));
            var relay = RelayProcess.start(dataDir, database);
            var api = relay.api();
            var source = api.source("s");
            api.connect(source, api.destination(deadly.url(), ", 'timeout_ms': 300000"));
            var others = api.source("t");
            api.connect(others, api.destination(good.url(), ""));
            var poison = api.ingest(source.text("ingest_path"), "{}");
            var meanwhile = new ArrayList<ApiClient.ApiResponse>();
            for (int death = 1; death <= 5; death++) {
                int requests = death;
                await().until(() -> deadly.requests().size() == requests);
                var event = relay.api().ingest(others.text("ingest_path"), "{}");
                meanwhile.add(event);
                if (death <= 3) {
                    awaitStatus(relay, event, "succeeded");
                }
                relay.kill();
                relay = RelayProcess.start(dataDir, database);
            }

            for (var event : meanwhile) {
                awaitStatus(relay, event, "succeeded");
            }
            awaitStatus(relay, poison, "failed");
            var delivery = delivery(relay, poison);
            assertThat(delivery.path("reason").asString())
                    .isEqualTo(
                            "Failed: the relay died twice while it was sending only this delivery."
                                    + " Resend it once the cause is found.");
            assertThat(delivery.path("attempt_count").asInt()).isZero();
            assertThat(deadly.requests())
                    .hasSize(5)
                    .allMatch(receivedRequest ->
                            receivedRequest.values("X-Service-Attempt").equals(List.of("1")));
            assertThat(dataDir.resolve("wire.slots")).exists();

            assertThat(relay.stop()).isZero();
            assertThat(dataDir.resolve("wire.slots")).doesNotExist();
            assertThat(audit(database)).isEqualTo(0);
        }
    }

    private static void awaitStatus(
            RelayProcess relay, ApiClient.ApiResponse accepted, String status) {
        await().untilAsserted(() ->
                assertThat(delivery(relay, accepted).path("status").asString()).isEqualTo(status));
    }

    private static JsonNode delivery(RelayProcess relay, ApiClient.ApiResponse accepted) {
        assertThat(accepted.status()).isEqualTo(200);
        return relay.api()
                .get("/api/v1/events/" + accepted.text("request_id"))
                .json()
                .path("deliveries")
                .get(0);
    }

    private int audit(Database database) {
        var config =
                Config.read(
                        new Settings(
                                Map.of(
                                        "SLUICE_DATA_DIR", dataDir.toString(),
                                        "SLUICE_DATABASE_URL", TestPostgres.url(database),
                                        "SLUICE_MASTER_KEY", RelayProcess.MASTER_KEY)));
        var out = new PrintStream(new ByteArrayOutputStream(), true, StandardCharsets.UTF_8);
        return AuditCommand.run(config, out, out);
    }
}
