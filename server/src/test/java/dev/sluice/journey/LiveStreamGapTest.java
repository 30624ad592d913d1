package dev.sluice.journey;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sluice.RunningSluice;
import dev.sluice.account.plan.Retention;
import dev.sluice.engine.ledger.CommitLogCompactor;
import dev.sluice.platform.db.Db;
import dev.sluice.testkit.ApiClient;
import dev.sluice.testkit.ManualClock;
import dev.sluice.testkit.Receiver;
import dev.sluice.testkit.SseClient;

import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;

/// Tests what a stream says that continues after so long that something is missing.
class LiveStreamGapTest {

    private static final String TAIL = "/api/v1/stream?include=deliveries";

    private final ManualClock clock = new ManualClock(Instant.now().minus(Duration.ofDays(10)));

    private static SseClient open(RunningSluice sluice, String lastId) {
        var client =
                SseClient.open(
                        sluice.port(),
                        TAIL,
                        RunningSluice.API_KEY,
                        lastId.isEmpty() ? null : lastId);
        client.awaitReady();
        return client;
    }

    private static String ingest(ApiClient api, ApiClient.ApiResponse source) {
        return api.ingest(source.text("ingest_path"), "1").text("request_id");
    }

    /// Rows are compacted up to the oldest transaction of all databases, and other tests have some.
    private static void awaitNoOlderTransaction(Db db) {
        long now =
                db.call(tx ->
                        tx.single(
                                "select pg_current_xact_id()::text::bigint as n",
                                row -> row.number("n")));
        await().atMost(Duration.ofMinutes(5))
                .until(() ->
                        db.call(tx ->
                                tx.single(
                                        "select"
                                            + " pg_snapshot_xmin(pg_current_snapshot())::text::bigint"
                                            + " as n",
                                        row -> row.number("n")))
                                > now);
    }

    private static void assertGap(SseClient client, String reason) {
        await().until(() -> !client.messages("gap").isEmpty());
        assertThat(client.messages("gap"))
                .extracting(message -> message.data().path("reason").asString())
                .containsExactly(reason);
    }

    @Test
    void outcomes_that_the_log_no_longer_has_are_a_gap_and_no_event_is_missing()
            throws IOException {
        try (var sluice = RunningSluice.start(clock);
                var db = sluice.db();
                var receiver = Receiver.start()) {
            var api = sluice.api();
            var source = api.source("s");
            api.connect(source, api.destination(receiver.url(), ""));
            String lastId;
            try (var client = open(sluice, "")) {
                ingest(api, source);
                await().until(() -> client.messages("delivery").size() == 1);
                lastId = client.lastId();
            }
            String missed = ingest(api, source);
            await().until(() -> receiver.requests().size() == 2);
            await().until(() ->
                    db.call(tx ->
                            tx.single("select count(*) as n from delivery", row -> row.number("n")))
                            == 2);

            awaitNoOlderTransaction(db);
            var compactor = new CommitLogCompactor(db, Retention.UNLIMITED, clock);
            for (int minute = 0; minute <= 15; minute++) {
                compactor.run();
            }

            try (var client = open(sluice, lastId)) {
                assertGap(client, "deliveries_compacted");
                await().untilAsserted(
                                () -> assertThat(client.eventIds()).isEqualTo(List.of(missed)));
            }
        }
    }

    @Test
    void events_that_have_expired_are_a_gap() {
        try (var sluice = RunningSluice.start(clock, Map.of("SLUICE_WORKSPACE_PLAN", "free"))) {
            var api = sluice.api();
            var source = api.source("s");
            String lastId;
            try (var client = open(sluice, "")) {
                ingest(api, source);
                await().until(() -> client.eventIds().size() == 1);
                lastId = client.lastId();
            }
            ingest(api, source);
            clock.advance(Duration.ofDays(8));
            String kept = ingest(api, source);

            try (var client = open(sluice, lastId)) {
                assertGap(client, "retention");
                await().untilAsserted(() -> assertThat(client.eventIds()).isEqualTo(List.of(kept)));
            }
        }
    }
}
