package dev.sluice.journey;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sluice.RunningSluice;
import dev.sluice.platform.db.Db;
import dev.sluice.testkit.ApiClient;
import dev.sluice.testkit.ManualClock;
import dev.sluice.testkit.Receiver;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.Map;

/// Background work that holds all its database connections delays neither webhooks nor deliveries.
class BusyChoresTest {

    /// Tables that background work uses, and that neither an accepted webhook nor a delivery needs.
    private static final String CHORE_TABLES =
            """
            lock table alert_config, alert_incident, alert_mailbox, alert_message, alert_news, alert_use,
                       alert_watch, audit, audit_log, dismissal, idempotency_key, invite, open_stream, password_reset, payload_dictionary,
                       quota, replay_job, retention, rollup_day, rollup_hour, session, total
                    in access exclusive mode
            """;

    private static final ManualClock clock = ManualClock.ofNow();

    @AutoClose
    private static final RunningSluice sluice =
            RunningSluice.start(clock, Map.of("SLUICE_METRICS_PORT", "0"));

    private static final ApiClient api = sluice.api();

    @AutoClose private final Receiver receiver = Receiver.start();

    @Test
    void a_webhook_is_taken_and_tried_again_while_all_connections_of_background_work_wait() {
        receiver.willAnswer(503, 200);
        var source = api.source("s");
        var destination =
                api.destination(receiver.url(), ", 'retry_policy': {'intervals_seconds': [30]}");
        api.connect(source, destination);
        String tooLarge = "x".repeat((1 << 20) + 1);
        assertThat(api.ingest(source.text("ingest_path"), tooLarge).status()).isEqualTo(413);
        try (Db db = sluice.db()) {
            var event =
                    db.call(tx -> {
                        tx.update("set local idle_in_transaction_session_timeout = 0");
                        tx.update(CHORE_TABLES);
                        await().atMost(Duration.ofMinutes(2))
                                .untilAsserted(() ->
                                        assertThat(metrics())
                                                .contains(
                                                        "sluice_pool_idle_connections{pool=\"relay\"}"
                                                            + " 0.0")
                                                .contains(
                                                        "sluice_pool_active_connections{pool=\"relay\"}"
                                                            + " 8.0"));
                        var accepted = api.ingest(source.text("ingest_path"), "{}");
                        assertThat(accepted.status()).isEqualTo(200);
                        await().until(() -> receiver.requests().size() == 1);
                        await().until(() -> {
                            clock.advance(Duration.ofSeconds(10));
                            return receiver.requests().size() == 2;
                        });
                        return accepted;
                    });
            EventReader.delivery(api, event, "succeeded");
        }
    }

    private static String metrics() {
        var client = ApiClient.undocumented(sluice.metricsPort());
        return client.send(client.anonymous("/metrics").GET()).body();
    }
}
