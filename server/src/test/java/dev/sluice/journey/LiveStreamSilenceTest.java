package dev.sluice.journey;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sluice.RunningSluice;
import dev.sluice.testkit.ApiClient;
import dev.sluice.testkit.SseClient;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;

/// Tests streams in which nothing happens for a while. A heartbeat comes after 15 s, and a client
/// that reads nothing is cut off after 30 s, both by the machine's own clock.
class LiveStreamSilenceTest {

    private static final int WEBHOOKS = 30;

    @AutoClose private static final RunningSluice sluice = RunningSluice.start();

    private final ApiClient api = sluice.api();
    private final ApiClient.ApiResponse source = api.source("s");

    private String path(String kind) {
        return "/api/v1/sources/" + source.text("id") + "/" + kind;
    }

    private static SseClient open(String path) {
        var client = SseClient.open(sluice.port(), path, RunningSluice.API_KEY);
        client.awaitReady();
        return client;
    }

    @Test
    void a_quiet_stream_sends_a_heartbeat_as_a_comment_or_as_a_message_when_asked() {
        try (var plain = open(path("tail"));
                var pinged = open(path("tail") + "?ping=true")) {
            await().until(() -> plain.comments() > 0 && !pinged.messages("ping").isEmpty());

            assertThat(pinged.messages("ping").getFirst().data().isObject()).isTrue();
            assertThat(pinged.lastId()).isNotEmpty();
            assertThat(plain.messages("ping")).isEmpty();
            assertThat(plain.faults() + pinged.faults()).isZero();
        }
    }

    @Test
    void who_reads_nothing_is_cut_off_while_others_and_ingest_go_on() throws IOException {
        String body = "x".repeat(500_000);
        try (var stuck = new Socket(InetAddress.getLoopbackAddress(), sluice.port());
                var reader = open(path("tail"))) {
            stuck.getOutputStream()
                    .write(
                            "GET %s HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer %s\r\n\r\n"
                                    .formatted(path("stream"), RunningSluice.API_KEY)
                                    .getBytes(StandardCharsets.US_ASCII));
            await().until(() -> openStreams() == 2);
            for (int i = 0; i < WEBHOOKS; i++) {
                assertThat(api.ingest(source.text("ingest_path"), body).status()).isEqualTo(200);
            }
            await().until(() -> reader.eventIds().size() == WEBHOOKS);

            await().until(() -> openStreams() == 1);

            assertThat(api.ingest(source.text("ingest_path"), body).status()).isEqualTo(200);
            await().until(() -> reader.eventIds().size() == WEBHOOKS + 1);
            assertThat(reader.faults()).isZero();
        }
    }

    private int openStreams() {
        return api.get("/api/v1/usage").json().path("concurrent_streams").path("used").asInt();
    }
}
