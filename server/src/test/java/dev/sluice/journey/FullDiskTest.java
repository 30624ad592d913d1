package dev.sluice.journey;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sluice.RunningSluice;
import dev.sluice.testkit.Receiver;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicReference;

class FullDiskTest {

    @TempDir Path dataDir;

    @Test
    void a_full_disk_refuses_webhooks_and_sends_what_it_has_until_there_is_room()
            throws IOException {
        var free = new AtomicReference<>(0.5);
        try (var receiver = Receiver.start();
                var sluice = RunningSluice.startOnDisk(dataDir, free::get)) {
            var api = sluice.api();
            var source = api.source("s");
            String ingest = source.text("ingest_path");
            var destination = api.destination(receiver.url(), ", 'status': 'paused'");
            api.connect(source, destination);
            assertThat(api.ingest(ingest, "{}").status()).isEqualTo(200);

            free.set(0.079);
            await().until(() -> api.ingest(ingest, "{}").status() == 500);
            var refused = api.ingest(ingest, "{}");
            assertThat(refused.errorCode()).isEqualTo("internal_error");
            assertThat(refused.header("Retry-After")).hasValue("30");
            String events = "/api/v1/events?source_id=" + source.text("id");
            int stored = api.get(events).json().path("total").asInt();

            api.patch("/api/v1/destinations/" + destination.text("id"), "{'status': 'active'}");
            await().until(() -> receiver.requests().size() == stored);
            assertThat(api.get(events).json().path("total").asInt()).isEqualTo(stored);

            free.set(0.081);
            await().until(() -> api.ingest(ingest, "{}").status() == 200);
        }
    }
}
