package dev.sluice.journey;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sluice.testkit.Api;

import tools.jackson.databind.JsonNode;

import java.time.Duration;

/// Looks at events through the API.
final class Events {

    private static final Duration PATIENCE = Duration.ofSeconds(20);

    private Events() {}

    static JsonNode detail(Api api, Api.Answer accepted) {
        assertThat(accepted.status()).isEqualTo(200);
        return api.get("/api/v1/events/" + accepted.text("request_id")).json();
    }

    /// The event's only delivery.
    static JsonNode delivery(Api api, Api.Answer accepted) {
        var deliveries = detail(api, accepted).path("deliveries");
        assertThat(deliveries).as("deliveries").hasSize(1);
        return deliveries.get(0);
    }

    /// The event's only delivery, once it has that status.
    static JsonNode delivery(Api api, Api.Answer accepted, String status) {
        await().atMost(PATIENCE)
                .untilAsserted(() ->
                        assertThat(delivery(api, accepted).path("status").asString())
                                .isEqualTo(status));
        return delivery(api, accepted);
    }

    /// The event's only delivery, once that many attempts were made and it waits or is done.
    static JsonNode deliveryAfter(int attempts, Api api, Api.Answer accepted) {
        await().atMost(PATIENCE)
                .untilAsserted(() ->
                        assertThat(delivery(api, accepted).path("attempts")).hasSize(attempts));
        return delivery(api, accepted);
    }
}
