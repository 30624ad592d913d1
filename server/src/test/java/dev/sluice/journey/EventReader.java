package dev.sluice.journey;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sluice.testkit.ApiClient;

import tools.jackson.databind.JsonNode;

/// Reads events through the API.
final class EventReader {

    private EventReader() {}

    static JsonNode detail(ApiClient api, ApiClient.ApiResponse accepted) {
        assertThat(accepted.status()).isEqualTo(200);
        return api.get("/api/v1/events/" + accepted.text("request_id")).json();
    }

    /// Returns the event's only delivery.
    static JsonNode delivery(ApiClient api, ApiClient.ApiResponse accepted) {
        var deliveries = detail(api, accepted).path("deliveries");
        assertThat(deliveries).as("deliveries").hasSize(1);
        return deliveries.get(0);
    }

    /// Waits until the event's only delivery has this status, and returns it.
    static JsonNode delivery(ApiClient api, ApiClient.ApiResponse accepted, String status) {
        await().untilAsserted(() ->
                assertThat(delivery(api, accepted).path("status").asString()).isEqualTo(status));
        return delivery(api, accepted);
    }

    /// Waits until the event's only delivery has this number of attempts, and returns it.
    static JsonNode deliveryAfter(int attempts, ApiClient api, ApiClient.ApiResponse accepted) {
        await().untilAsserted(() ->
                assertThat(delivery(api, accepted).path("attempts")).hasSize(attempts));
        return delivery(api, accepted);
    }
}
