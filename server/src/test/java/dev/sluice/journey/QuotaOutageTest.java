package dev.sluice.journey;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sluice.RunningSluice;
import dev.sluice.testkit.Nightly;
import dev.sluice.testkit.PostgresProxy;
import dev.sluice.testkit.TestPostgres;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.Map;

@Nightly
class QuotaOutageTest {

    @TempDir Path directory;

    @Test
    void an_event_that_was_not_stored_and_what_is_unused_cost_nothing() throws IOException {
        var database = TestPostgres.newDatabase();
        var plans =
                Files.writeString(
                        directory.resolve("plans.json"),
                        """
                        {"items": [{"name": "p", "limits": {"events_per_month": 1000, "retention_days": 9}}]}
                        """);
        try (var proxy = PostgresProxy.to(database);
                var sluice =
                        RunningSluice.start(
                                directory.resolve("data"),
                                InstantSource.system(),
                                Map.of(
                                        "SLUICE_PLANS_FILE",
                                        plans.toString(),
                                        "SLUICE_DATABASE_URL",
                                        TestPostgres.url(proxy.database())));
                var db = TestPostgres.open(database)) {
            var api = sluice.api();
            String path = api.source("one").text("ingest_path");
            assertThat(api.ingest(path, "{}").status()).isEqualTo(200);

            proxy.takeDown();
            var refused = api.ingest(path, "{}");
            assertThat(refused.status()).isEqualTo(500);
            assertThat(refused.header("Retry-After")).contains("1");
            proxy.bringUp();

            await().untilAsserted(() ->
                    assertThat(api.get("/api/v1/status").text("status")).isEqualTo("ok"));
            sluice.restart(); // a stopping node gives back its unused part of the quota

            assertThat(
                            db.<Long>call(tx ->
                                    tx.single(
                                            "select sum(taken) as n from quota",
                                            row -> row.number("n"))))
                    .isEqualTo(1);
            assertThat(sluice.api().get("/api/v1/events?limit=1").json().path("total").asInt())
                    .isEqualTo(1);
        }
    }
}
