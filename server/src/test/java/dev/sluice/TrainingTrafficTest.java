package dev.sluice;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import org.junit.jupiter.api.Test;

import java.net.URI;

class TrainingTrafficTest {

    private static URI url(RunningSluice sluice) {
        return URI.create("http://127.0.0.1:" + sluice.port());
    }

    @Test
    void webhooks_are_sent_and_delivered_to_the_same_server() throws Exception {
        try (var sluice = RunningSluice.start()) {
            new TrainingTraffic(url(sluice), RunningSluice.API_KEY).send(100);

            // Each webhook is stored twice: as it was sent, and as it was delivered.
            await().untilAsserted(() -> {
                long delivered = count(sluice, "delivery");
                assertThat(delivered).isGreaterThanOrEqualTo(100);
                assertThat(count(sluice, "event")).isEqualTo(2 * delivered);
            });
        }
    }

    private static long count(RunningSluice sluice, String table) {
        return sluice.db()
                .call(tx ->
                        tx.single("select count(*) as n from " + table, row -> row.number("n")));
    }

    @Test
    void a_server_that_refuses_ends_the_traffic() {
        try (var sluice = RunningSluice.start()) {
            var traffic = new TrainingTraffic(url(sluice), "slk_not_a_key_of_this_server");

            assertThatThrownBy(() -> traffic.send(100)).hasMessageContaining("401");
        }
    }
}
