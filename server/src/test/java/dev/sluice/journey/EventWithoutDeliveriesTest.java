package dev.sluice.journey;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.RunningSluice;
import dev.sluice.testkit.ApiClient;
import dev.sluice.testkit.ApiClient.ApiResponse;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

import tools.jackson.databind.JsonNode;

import java.net.http.HttpRequest;

/// Tests the sentence that says why an event has no deliveries.
class EventWithoutDeliveriesTest {

    private static final String NO_CONNECTION =
            "Nothing was sent: the source had no enabled connection when the webhook arrived.";

    @AutoClose private static final RunningSluice sluice = RunningSluice.start();
    private static final ApiClient api = sluice.api();

    @Test
    void the_source_had_no_enabled_connection() {
        var source = api.source("alone");
        var event = api.ingest(source.text("ingest_path"), "{}");

        assertThat(reason(event).asString()).isEqualTo(NO_CONNECTION);
        var resent = api.post("/api/v1/events/" + event.text("request_id") + "/resend", "{}");
        assertThat(resent.text("reason"))
                .isEqualTo("Nothing was resent: the event's source has no connection.");
    }

    @Test
    void an_event_with_deliveries_has_no_such_reason() {
        var source = api.source("connected");
        api.connect(source, api.destination("http://127.0.0.1:8099/", ", 'status': 'paused'"));

        assertThat(reason(api.ingest(source.text("ingest_path"), "{}")).isNull()).isTrue();
    }

    @Test
    void the_webhook_failed_its_verification() {
        var source = verified("{'provider': 'api_key', 'header': 'X-Key', 'key': 'right'}");

        api.send(webhook(source, "X-Key", "wrong"));
        assertThat(latest(source).path("reason").asString())
                .isEqualTo("Nothing was sent: the webhook failed its source's verification.");

        api.send(webhook(source, "X-Key", "right"));
        assertThat(latest(source).path("reason").asString()).isEqualTo(NO_CONNECTION);
    }

    @Test
    void the_webhook_only_asked_whether_the_url_is_right() {
        var source = verified("{'provider': 'slack', 'secret': 's'}");

        sendSigned(source, "url_verification");
        assertThat(latest(source).path("reason").asString())
                .isEqualTo("Nothing was sent: the webhook only asked whether the URL is right.");

        sendSigned(source, "event_callback");
        assertThat(latest(source).path("reason").asString()).isEqualTo(NO_CONNECTION);
    }

    @Test
    void the_webhook_passed_too_many_relays() {
        var source = api.source("in a loop");
        api.connect(source, api.destination("http://127.0.0.1:8099/", ", 'status': 'paused'"));

        api.send(webhook(source, "X-Service-Hop", "6"));

        assertThat(latest(source).path("reason").asString())
                .isEqualTo(
                        "Nothing was sent: the webhook had passed 6 relays, so it is probably in a"
                                + " loop.");
    }

    private static ApiResponse verified(String config) {
        return api.post(
                "/api/v1/sources", "{'name': 'verified', 'verification_config': " + config + "}");
    }

    private static void sendSigned(ApiResponse source, String type) {
        var sent =
                api.post(
                        "/api/v1/sources/" + source.text("id") + "/test-event",
                        "{'body': '{\\\"type\\\":\\\""
                                + type
                                + "\\\",\\\"challenge\\\":\\\"abc\\\"}'}");
        assertThat(sent.status()).as(sent.body()).isLessThan(300);
    }

    private static HttpRequest.Builder webhook(ApiResponse source, String header, String value) {
        return api.anonymous(source.text("ingest_path"))
                .header(header, value)
                .POST(HttpRequest.BodyPublishers.ofString("{}"));
    }

    private static JsonNode latest(ApiResponse source) {
        var list = api.get("/api/v1/events?limit=1&source_id=" + source.text("id")).json();
        String id = list.path("items").path(0).path("id").asString();
        return api.get("/api/v1/events/" + id).json();
    }

    private static JsonNode reason(ApiResponse accepted) {
        return api.get("/api/v1/events/" + accepted.text("request_id")).json().path("reason");
    }
}
