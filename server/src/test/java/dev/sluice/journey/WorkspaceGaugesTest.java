package dev.sluice.journey;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sluice.RunningSluice;
import dev.sluice.testkit.ApiClient;
import dev.sluice.testkit.Receiver;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

import java.util.Map;
import java.util.concurrent.CountDownLatch;

/// Tests that the metrics say which workspace holds what.
class WorkspaceGaugesTest {

    @AutoClose
    private static final RunningSluice sluice =
            RunningSluice.start(Map.of("SLUICE_METRICS_PORT", "0"));

    @AutoClose private static final Receiver receiver = Receiver.start();

    private static String scrape() {
        var client = ApiClient.undocumented(sluice.metricsPort());
        return client.send(client.anonymous("/metrics").GET()).body();
    }

    private static String line(String metric, String workspace, String value) {
        return "\nsluice_workspace_" + metric + "{workspace=\"" + workspace + "\"} " + value;
    }

    @Test
    void an_attempt_under_way_and_its_payload_count_for_their_workspace() {
        var answer = new CountDownLatch(1);
        receiver.willDo(new Receiver.GatedBehaviour(answer, Receiver.answer(200, "")));
        var api = sluice.api();
        var source = api.source("s");
        api.connect(source, api.destination(receiver.url(), ""));
        String workspace = api.get("/api/v1/me").json().path("workspace").path("id").asString();

        assertThat(api.ingest(source.text("ingest_path"), "{}").status()).isEqualTo(200);

        await().untilAsserted(() ->
                assertThat(scrape())
                        .contains(line("attempts_in_flight", workspace, "1.0\n"))
                        .contains(line("attempts_in_flight", "others", "0.0\n"))
                        .contains(line("payload_bytes", workspace, "")));

        answer.countDown();

        await().untilAsserted(() ->
                assertThat(scrape())
                        .doesNotContain(line("attempts_in_flight", workspace, ""))
                        .doesNotContain(line("payload_bytes", workspace, "")));
    }
}
