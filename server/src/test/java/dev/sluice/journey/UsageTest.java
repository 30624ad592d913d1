package dev.sluice.journey;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sluice.RunningSluice;
import dev.sluice.testkit.ApiClient;
import dev.sluice.testkit.ManualClock;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

import tools.jackson.databind.JsonNode;

import java.time.Duration;
import java.time.Instant;
import java.util.Map;

/// Tests what a workspace is told about its use of the plan.
class UsageTest {

    private static final String PLANS_JSON =
            """
            {"items": [
              {"name": "some", "limits": {"api_requests_per_minute": 100, "events_per_month": 50, "sources": 3,
                                          "retention_days": 90}},
              {"name": "all",  "limits": {"retention_days": 90}}
            ]}
            """;

    private static final ManualClock clock = new ManualClock(Instant.parse("2026-03-31T12:00:20Z"));

    @AutoClose
    private static final RunningSluice sluice =
            RunningSluice.startWithPlans(PLANS_JSON, clock, Map.of());

    private static JsonNode usage(ApiClient api) {
        var answer = api.get("/api/v1/usage");
        assertThat(answer.status()).as(answer.body()).isEqualTo(200);
        return answer.json();
    }

    private static void expectEvents(ApiClient api, int used) {
        await().untilAsserted(() ->
                assertThat(usage(api).path("events").path("used").asInt()).isEqualTo(used));
    }

    @Test
    void events_of_the_month_requests_of_the_minute_and_sources_are_counted() {
        var api = WorkspaceFixture.create(sluice, "some");
        var source = api.source("one");
        var protectedSource =
                api.post(
                        "/api/v1/sources",
                        "{'name':'two','verification_config':{'provider':'api_key',"
                                + "'header':'X-Key','key':'topsecret'}}");
        api.ingest(source.text("ingest_path"), "{}");
        api.ingest(source.text("ingest_path"), "{}");
        assertThat(api.ingest(protectedSource.text("ingest_path"), "{}").status()).isEqualTo(401);

        var usage = usage(api);

        assertThat(usage.path("plan").asString()).isEqualTo("some");
        assertThat(usage.path("period").path("start").asString())
                .isEqualTo("2026-03-01T00:00:00.000Z");
        assertThat(usage.path("period").path("end").asString())
                .isEqualTo("2026-04-01T00:00:00.000Z");
        assertThat(usage.path("events").toString()).isEqualTo("{\"used\":2,\"limit\":50}");
        assertThat(usage.path("sources").toString()).isEqualTo("{\"used\":2,\"limit\":3}");
        assertThat(usage.path("api_requests").toString())
                .isEqualTo("{\"used\":3,\"limit\":100,\"resets_at\":\"2026-03-31T12:01:00.000Z\"}");

        api.delete("/api/v1/sources/" + source.text("id"));
        assertThat(usage(api).path("sources").path("used").asInt()).isEqualTo(1);
        expectEvents(api, 2);

        clock.advance(Duration.ofDays(1));
        expectEvents(api, 0);
        assertThat(usage(api).path("period").path("start").asString())
                .isEqualTo("2026-04-01T00:00:00.000Z");
        clock.advance(Duration.ofMinutes(1));
        assertThat(usage(api).path("api_requests").path("used").asInt())
                .as("the request itself")
                .isEqualTo(1);
    }

    @Test
    void without_a_limit_it_is_null_and_requests_are_not_counted() {
        var usage = usage(WorkspaceFixture.create(sluice, "all"));

        assertThat(usage.path("events").toString()).isEqualTo("{\"used\":0,\"limit\":null}");
        assertThat(usage.path("sources").toString()).isEqualTo("{\"used\":0,\"limit\":null}");
        assertThat(usage.path("destinations").toString()).isEqualTo("{\"used\":0,\"limit\":null}");
        assertThat(usage.path("connections_per_source").toString())
                .isEqualTo("{\"used\":0,\"limit\":1000}");
        assertThat(usage.path("concurrent_streams").toString())
                .isEqualTo("{\"used\":0,\"limit\":null}");
        assertThat(usage.path("api_requests").path("used").isNull()).isTrue();
        assertThat(usage.path("api_requests").path("limit").isNull()).isTrue();
    }
}
