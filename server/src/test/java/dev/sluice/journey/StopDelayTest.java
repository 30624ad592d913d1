package dev.sluice.journey;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sluice.RunningSluice;

import org.junit.jupiter.api.Test;

import java.time.InstantSource;
import java.util.Map;

class StopDelayTest {

    @Test
    void a_stopping_server_says_so_and_serves_on_until_balancers_have_seen_it() throws Exception {
        var sluice = RunningSluice.start(InstantSource.system(), Map.of("SLUICE_STOP_DELAY", "3s"));
        var api = sluice.api();
        var source = api.source("s");
        assertThat(api.get("/api/v1/status").status()).isEqualTo(200);

        var stop = Thread.startVirtualThread(sluice::close);

        await().until(() -> api.get("/api/v1/status").status() == 503);
        assertThat(api.get("/api/v1/status").text("status")).isEqualTo("down");
        assertThat(api.get("/healthz/ready").status()).isEqualTo(503);
        assertThat(api.get("/healthz/live").status()).isEqualTo(200);
        assertThat(api.ingest(source.text("ingest_path"), "{}").status()).isEqualTo(200);
        stop.join();
    }
}
