package dev.sluice.journey;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sluice.RunningSluice;
import dev.sluice.testkit.ApiClient;
import dev.sluice.testkit.ManualClock;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import tools.jackson.databind.JsonNode;

import java.net.http.HttpRequest;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.HashMap;
import java.util.Map;

/// Tests that refused webhooks are counted by source, minute and reason.
class RefusalTest {

    private static final String TINY_PLAN =
            """
            {"items": [{"name": "tiny", "price_monthly_usd": 0, "features": [], "limits":
              {"api_requests_per_minute": 6000, "ingest_per_minute_per_source": 5,
               "events_per_month": 3, "sources": null, "concurrent_streams": 2,
               "retention_days": 3}}]}
            """;

    private static final ManualClock clock = ManualClock.ofNow();

    @AutoClose
    private static final RunningSluice sluice =
            RunningSluice.startWithPlans(TINY_PLAN, clock, Map.of());

    private static final ApiClient api = sluice.api();

    private static int ingest(ApiClient.ApiResponse source, String key, byte[] body) {
        return api.send(
                        api.anonymous(source.text("ingest_path"))
                                .header("X-Key", key)
                                .POST(HttpRequest.BodyPublishers.ofByteArray(body)))
                .status();
    }

    private static JsonNode get(String path) {
        var answer = api.get(path);
        assertThat(answer.status()).as(answer.body()).isEqualTo(200);
        return answer.json();
    }

    private record Refusal(int status, String reason) {}

    private static Map<Refusal, Long> counts(JsonNode items) {
        var counts = new HashMap<Refusal, Long>();
        for (var item : items) {
            counts.merge(
                    new Refusal(item.path("status").asInt(), item.path("reason").asString()),
                    item.path("count").asLong(),
                    Long::sum);
        }
        return counts;
    }

    @Test
    void each_refusal_is_counted_in_its_minute_and_in_the_overview() {
        var source = api.source("guarded");
        api.patch(
                "/api/v1/sources/" + source.text("id"),
                "{'verification_config': {'provider': 'api_key', 'header': 'X-Key',"
                        + " 'key': 'hunter2-hunter2'}}");
        clock.advance(Duration.ofSeconds(61)); // with all requests of the minute left
        var first = clock.instant().truncatedTo(ChronoUnit.MINUTES);
        assertThat(ingest(source, "wrong", new byte[2])).isEqualTo(401);
        assertThat(ingest(source, "hunter2-hunter2", new byte[(1 << 20) + 1])).isEqualTo(413);
        assertThat(ingest(source, "hunter2-hunter2", new byte[2])).isEqualTo(200);
        assertThat(ingest(source, "hunter2-hunter2", new byte[2])).isEqualTo(200);
        assertThat(ingest(source, "hunter2-hunter2", new byte[2])).isEqualTo(200);
        assertThat(ingest(source, "hunter2-hunter2", new byte[2])).isEqualTo(429);
        assertThat(ingest(source, "hunter2-hunter2", new byte[2])).isEqualTo(429);
        clock.advance(Duration.ofSeconds(61));
        assertThat(ingest(source, "hunter2-hunter2", new byte[2])).isEqualTo(402);
        var expected =
                Map.of(
                        new Refusal(401, "verification_failed"), 1L,
                        new Refusal(402, "quota_exceeded"), 1L,
                        new Refusal(413, "payload_too_large"), 1L,
                        new Refusal(429, "rate_limited"), 2L);

        String path = "/api/v1/sources/" + source.text("id") + "/refusals";
        await().untilAsserted(
                        () -> assertThat(counts(get(path).path("items"))).isEqualTo(expected));
        var list = get(path);
        assertThat(list.path("total").asLong()).isEqualTo(4);
        var newest = list.path("items").get(0);
        assertThat(newest.path("status").asInt()).isEqualTo(402);
        assertThat(Instant.parse(newest.path("minute").asString())).isAfter(first);
        assertThat(Instant.parse(list.path("items").get(3).path("minute").asString()))
                .isEqualTo(first);
        assertThat(get(path + "?limit=1&page=2").path("items")).hasSize(1);
        assertThat(get(path + "?received_before=" + first).path("items")).isEmpty();
        assertThat(counts(get(path + "?received_after=" + first.plusSeconds(60)).path("items")))
                .isEqualTo(Map.of(new Refusal(402, "quota_exceeded"), 1L));

        var overview = get("/api/v1/stats/overview?source_ids=" + source.text("id"));
        assertThat(overview.path("totals").path("refused").toString())
                .isEqualTo("{\"401\":1,\"402\":1,\"413\":1,\"429\":2,\"5xx\":0}");
        long inBuckets = 0;
        for (var bucket : overview.path("histogram")) {
            inBuckets += bucket.path("refused").path("429").asLong();
        }
        assertThat(inBuckets).isEqualTo(2);
    }

    /// The database refuses the event.
    @Test
    void what_could_not_be_stored_is_counted() {
        var theirs = WorkspaceFixture.create(sluice, "tiny"); // with a quota of its own
        var source = theirs.source("unlucky");
        try (var db = sluice.db()) {
            db.run(tx ->
                    tx.update(
                            "alter table event add constraint unlucky check (source_id <> '"
                                    + source.text("id")
                                    + "') not valid"));
            assertThat(ingest(source, "", new byte[2])).isEqualTo(500);
            db.run(tx -> tx.update("alter table event drop constraint unlucky"));
        }
        assertThat(ingest(source, "", new byte[2])).isEqualTo(200);

        String path = "/api/v1/sources/" + source.text("id") + "/refusals";
        await().untilAsserted(() ->
                assertThat(counts(theirs.get(path).json().path("items")))
                        .isEqualTo(Map.of(new Refusal(500, "not_stored"), 1L)));
        var overview = theirs.get("/api/v1/stats/overview?source_ids=" + source.text("id")).json();
        assertThat(overview.path("totals").path("refused").path("5xx").asInt()).isEqualTo(1);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
                    received_after=x                    | 400 | received_after must be a time as in RFC 3339, such as 2026-03-01T12:00:00Z.
                    received_after=2999-01-01T00:00:00Z | 422 | received_after must be before the end.
                    received_after=2026-01-01T00:00:00Z&received_before=2026-01-09T00:00:00Z | 422 | received_after must be at most seven days before the end.
                    limit=201                           | 422 | limit must be from 1 to 200.
                    """)
    void what_cannot_be_asked_for_is_refused(String query, int status, String message) {
        var source = api.source("s");
        var answer = api.get("/api/v1/sources/" + source.text("id") + "/refusals?" + query);

        assertThat(answer.status()).isEqualTo(status);
        assertThat(answer.errorMessage()).isEqualTo(message);
    }

    @Test
    void another_workspaces_source_is_not_found() {
        var source = api.source("ours");
        var theirs = WorkspaceFixture.create(sluice, "tiny");

        assertThat(theirs.get("/api/v1/sources/" + source.text("id") + "/refusals").status())
                .isEqualTo(404);
    }
}
