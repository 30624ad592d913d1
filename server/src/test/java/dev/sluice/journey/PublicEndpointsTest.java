package dev.sluice.journey;

import static org.assertj.core.api.Assertions.assertThat;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.sluice.RunningSluice;
import dev.sluice.testkit.ApiClient;
import dev.sluice.testkit.OpenApiContract;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.nio.file.Files;
import java.time.Instant;
import java.util.Map;

/// Tests the endpoints that need no API key.
class PublicEndpointsTest {

    @AutoClose private static final RunningSluice sluice = RunningSluice.start();
    private static final ApiClient api = sluice.api();

    @Test
    void the_status_says_how_the_service_does() {
        var status = api.send(api.anonymous("/api/v1/status").GET());

        assertThat(status.status()).isEqualTo(200);
        assertThat(status.json().propertyNames())
                .containsExactly(
                        "status", "version", "time", "components", "registration", "reasons");
        assertThat(status.text("status")).isEqualTo("ok");
        assertThat(status.text("version")).isEqualTo("test");
        assertThat(Instant.parse(status.text("time")))
                .isBetween(Instant.now().minusSeconds(60), Instant.now());
        assertThat(status.json().path("components"))
                .hasToString(
                        "{\"database\":\"ok\",\"ingest\":\"ok\",\"delivery\":\"ok\","
                                + "\"background\":\"ok\"}");
        assertThat(status.text("registration")).isEqualTo("closed");
        assertThat(status.json().path("reasons")).isEmpty();
    }

    @Test
    void the_status_says_that_anyone_may_register() {
        try (var open = RunningSluice.start(Map.of("SLUICE_REGISTRATION", "open"))) {
            var status = open.api().send(open.api().anonymous("/api/v1/status").GET());

            assertThat(status.text("registration")).isEqualTo("open");
        }
    }

    @Test
    void health_needs_no_key() {
        for (String path : new String[] {"/healthz/live", "/healthz/ready"}) {
            var answer = api.send(api.anonymous(path).GET());

            assertThat(answer.status()).isEqualTo(200);
            assertThat(answer.body()).isEqualTo("{\"status\":\"ok\"}");
        }
    }

    @Test
    void the_plans_are_a_catalogue_of_prices_limits_and_features() {
        var plans = api.send(api.anonymous("/api/v1/plans").GET());

        assertThat(plans.status()).isEqualTo(200);
        var items = plans.json().path("items");
        assertThat(items.valueStream().map(plan -> plan.path("name").asString()))
                .containsExactly("free", "team", "business");
        assertThat(items.get(0).path("limits"))
                .hasToString(
                        "{\"api_requests_per_minute\":60,\"ingest_per_minute_per_source\":600,"
                                + "\"events_per_month\":50000,\"sources\":5,"
                                + "\"destinations\":10000,\"connections_per_source\":1000,"
                                + "\"concurrent_streams\":2,\"configuration_bytes\":4194304,"
                                + "\"retention_days\":3}");
        assertThat(items.get(1).path("limits"))
                .hasToString(
                        "{\"api_requests_per_minute\":600,\"ingest_per_minute_per_source\":6000,"
                                + "\"events_per_month\":1000000,\"sources\":50,"
                                + "\"destinations\":10000,\"connections_per_source\":1000,"
                                + "\"concurrent_streams\":10,\"configuration_bytes\":4194304,"
                                + "\"retention_days\":14}");
        assertThat(items.get(2).path("limits"))
                .hasToString(
                        "{\"api_requests_per_minute\":1200,\"ingest_per_minute_per_source\":null,"
                                + "\"events_per_month\":null,\"sources\":null,"
                                + "\"destinations\":10000,\"connections_per_source\":1000,"
                                + "\"concurrent_streams\":50,\"configuration_bytes\":4194304,"
                                + "\"retention_days\":30}");
        assertThat(items.get(0).path("price_monthly_usd").asInt(-1)).isZero();
        assertThat(items.get(0).path("features").isArray()).isTrue();
    }

    @Test
    void the_description_of_the_api_is_served_as_it_is_in_the_sources() throws IOException {
        var document = api.send(api.anonymous("/api/openapi.json").GET());

        assertThat(document.status()).isEqualTo(200);
        assertThat(document.header("Content-Type")).hasValue("application/json; charset=utf-8");
        assertThat(document.header("Cache-Control")).hasValue("no-cache");
        assertThat(document.body())
                .isEqualTo(Files.readString(OpenApiContract.OPENAPI_FILE, UTF_8));
    }

    @Test
    void who_has_the_description_already_is_not_sent_it_again() {
        String tag = api.get("/api/openapi.json").header("ETag").orElseThrow();

        for (String known : new String[] {tag, "W/" + tag, "\"other\", " + tag, "*"}) {
            var answer =
                    api.send(
                            api.anonymous("/api/openapi.json")
                                    .header("If-None-Match", known)
                                    .GET());

            assertThat(answer.status()).as(known).isEqualTo(304);
            assertThat(answer.body()).isEmpty();
            assertThat(answer.header("ETag")).hasValue(tag);
        }
        var other =
                api.send(
                        api.anonymous("/api/openapi.json")
                                .header("If-None-Match", "\"other\"")
                                .GET());
        assertThat(other.status()).isEqualTo(200);
    }

    @Test
    void a_wrong_key_does_not_close_what_is_public() {
        var stranger = new ApiClient(sluice.port(), "slk_unknown");

        assertThat(stranger.get("/api/v1/plans").status()).isEqualTo(200);
        assertThat(stranger.get("/api/v1/status").status()).isEqualTo(200);
    }
}
