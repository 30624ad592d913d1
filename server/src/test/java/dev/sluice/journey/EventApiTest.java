package dev.sluice.journey;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sluice.RunningSluice;
import dev.sluice.testkit.ApiClient;
import dev.sluice.testkit.Receiver;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

import tools.jackson.databind.JsonNode;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.stream.IntStream;

class EventApiTest {

    @AutoClose private static final RunningSluice sluice = RunningSluice.start();
    private static final ApiClient api = sluice.api();

    @Test
    void the_list_has_the_newest_first_in_pages() {
        var source = api.source("s");
        var ids =
                IntStream.rangeClosed(1, 5)
                        .mapToObj(i -> api.ingest(source.text("ingest_path"), "{}"))
                        .map(accepted -> accepted.text("request_id"))
                        .toList();
        String list = "/api/v1/events?source_id=" + source.text("id") + "&limit=2";

        assertThat(ids(api.get(list))).containsExactly(ids.get(4), ids.get(3));
        assertThat(ids(api.get(list + "&page=2"))).containsExactly(ids.get(2), ids.get(1));
        assertThat(ids(api.get(list + "&page=3"))).containsExactly(ids.get(0));
        assertThat(ids(api.get(list + "&page=4"))).isEmpty();
        assertThat(api.get(list + "&page=4").json().path("total").asInt()).isEqualTo(5);
    }

    @Test
    void the_list_has_fifty_where_nothing_else_is_asked_for() {
        var source = api.source("s");
        for (int i = 0; i < 51; i++) {
            api.ingest(source.text("ingest_path"), "{}");
        }

        var list = api.get("/api/v1/events/?source_id=" + source.text("id")).json();

        assertThat(list.path("items")).hasSize(50);
        assertThat(list.path("total").asInt()).isEqualTo(51);
    }

    @Test
    void the_list_of_all_sources_is_one_line_of_time() {
        var own = WorkspaceFixture.create(sluice, "business");
        var one = own.source("one");
        var other = own.source("other");
        var first = own.ingest(one.text("ingest_path"), "{}").text("request_id");
        var second = own.ingest(other.text("ingest_path"), "{}").text("request_id");
        var third = own.ingest(one.text("ingest_path"), "{}").text("request_id");

        assertThat(ids(own.get("/api/v1/events"))).containsExactly(third, second, first);
        assertThat(own.get("/api/v1/events").json().path("total").asInt()).isEqualTo(3);
        assertThat(ids(own.get("/api/v1/events?source_id=" + other.text("id"))))
                .containsExactly(second);
    }

    @Test
    void an_event_is_counted_as_soon_as_it_was_answered() {
        var source = api.source("s");
        String list = "/api/v1/events?source_id=" + source.text("id");

        for (int i = 1; i <= 20; i++) {
            api.ingest(source.text("ingest_path"), "{}");
            assertThat(api.get(list).json().path("total").asInt()).isEqualTo(i);
        }
    }

    @Test
    void an_item_counts_how_its_deliveries_stand() throws IOException {
        try (var good = Receiver.start();
                var bad = Receiver.start()) {
            bad.willAnswer(400);
            var source = api.source("s");
            api.connect(source, api.destination(good.url(), ""));
            api.connect(source, api.destination(bad.url(), ""));
            api.connect(source, api.destination(bad.url(), ", 'status': 'paused'"));
            var event = api.ingest(source.text("ingest_path"), "{\"a\":1}");

            await().untilAsserted(() ->
                    assertThat(item(source).path("pending_count").asInt()).isEqualTo(1));

            var item = item(source);
            assertThat(item.propertyNames())
                    .containsExactlyInAnyOrder(
                            "id",
                            "source_id",
                            "method",
                            "content_type",
                            "verification_status",
                            "verification_reason",
                            "body_size",
                            "received_at",
                            "created_at",
                            "event_type",
                            "delivery_count",
                            "delivered_count",
                            "failed_count",
                            "pending_count");
            assertThat(item.path("id").asString()).isEqualTo(event.text("request_id"));
            assertThat(item.path("source_id").asString()).isEqualTo(source.text("id"));
            assertThat(item.path("method").asString()).isEqualTo("POST");
            assertThat(item.path("content_type").asString()).isEqualTo("application/json");
            assertThat(item.path("verification_status").asString()).isEqualTo("skipped");
            assertThat(item.path("body_size").asInt()).isEqualTo(7);
            assertThat(item.path("delivery_count").asInt()).isEqualTo(3);
            assertThat(item.path("delivered_count").asInt()).isEqualTo(1);
            assertThat(item.path("failed_count").asInt()).isEqualTo(1);
        }
    }

    @Test
    void list_and_detail_say_what_the_sender_calls_the_event() {
        var source = api.source("s");
        var named = api.ingest(source.text("ingest_path"), "{\"type\":\"order.created\"}");

        assertThat(item(source).path("event_type").asString()).isEqualTo("order.created");
        assertThat(EventReader.detail(api, named).path("event_type").asString())
                .isEqualTo("order.created");

        var nameless = api.ingest(source.text("ingest_path"), "{\"a\":1}");

        assertThat(item(source).path("event_type").isNull()).isTrue();
        assertThat(EventReader.detail(api, nameless).path("event_type").isNull()).isTrue();
    }

    @Test
    void the_detail_has_the_whole_event() throws IOException {
        try (var receiver = Receiver.start()) {
            receiver.willDo(Receiver.answer(201, "thanks"));
            var source = api.source("s");
            var destination = api.destination(receiver.url(), "");
            var connection = api.connect(source, destination);
            var accepted = api.ingest(source.text("ingest_path"), "{\"a\":1}");

            var delivery = EventReader.delivery(api, accepted, "succeeded");

            var event = EventReader.detail(api, accepted);
            assertThat(event.path("id").asString()).isEqualTo(accepted.text("request_id"));
            assertThat(event.path("body").asString()).isEqualTo("{\"a\":1}");
            assertThat(event.path("headers").path("Content-Type").asString())
                    .isEqualTo("application/json");
            var received = Instant.parse(event.path("received_at").asString());
            assertThat(received).isBetween(Instant.now().minusSeconds(60), Instant.now());
            assertThat(Instant.parse(event.path("expires_at").asString()))
                    .isEqualTo(received.plus(Duration.ofDays(30)));

            assertThat(delivery.path("connection_id").asString()).isEqualTo(connection.text("id"));
            assertThat(delivery.path("destination_id").asString())
                    .isEqualTo(destination.text("id"));
            assertThat(delivery.path("destination_name").asString()).isEqualTo("d");
            assertThat(delivery.path("trigger").asString()).isEqualTo("ingest");
            assertThat(delivery.path("attempt_count").asInt()).isEqualTo(1);
            assertThat(delivery.path("next_attempt_at").isNull()).isTrue();
            assertThat(delivery.path("created_at").asString())
                    .isEqualTo(event.path("received_at").asString());
            assertThat(Instant.parse(delivery.path("finished_at").asString()))
                    .isAfterOrEqualTo(received);
            assertThat(delivery.path("reason").asString())
                    .isEqualTo("Delivered: destination answered 201.");

            assertThat(delivery.path("attempts")).hasSize(1);
            var attempt = delivery.path("attempts").get(0);
            assertThat(attempt.path("attempt_number").asInt()).isEqualTo(1);
            assertThat(attempt.path("request_url").asString()).isEqualTo(receiver.url());
            assertThat(attempt.path("response_status").asInt()).isEqualTo(201);
            assertThat(attempt.path("response_body").asString()).isEqualTo("thanks");
            assertThat(attempt.path("error_code").isNull()).isTrue();
            assertThat(attempt.path("error_message").isNull()).isTrue();
            assertThat(attempt.path("latency_ms").asInt(-1)).isBetween(0, 10_000);
            assertThat(Instant.parse(attempt.path("attempted_at").asString()))
                    .isAfterOrEqualTo(received);
        }
    }

    @Test
    void without_its_payload_the_detail_has_everything_else() {
        var source = api.source("s");
        var accepted = api.ingest(source.text("ingest_path"), "{\"type\":\"order.created\"}");
        String path = "/api/v1/events/" + accepted.text("request_id");

        var without = api.get(path + "?payload=false").json();
        var whole = api.get(path + "?payload=true").json();

        var payload = List.of("headers", "header_list", "body");
        assertThat(whole).isEqualTo(api.get(path).json());
        for (String name : whole.propertyNames()) {
            if (payload.contains(name)) {
                assertThat(whole.path(name).isNull()).as(name).isFalse();
                assertThat(without.has(name)).as(name).isFalse();
            } else {
                assertThat(without.path(name)).as(name).isEqualTo(whole.path(name));
            }
        }
        assertThat(api.get(path + "?payload=no").status()).isEqualTo(422);
    }

    @Test
    void the_answers_body_is_kept_up_to_16_kib_and_of_a_success_up_to_1_kib() throws IOException {
        try (var receiver = Receiver.start()) {
            receiver.willDo(
                    Receiver.answer(200, "x".repeat(20_000)),
                    Receiver.answer(400, "x".repeat(20_000)));
            var source = api.source("s");
            api.connect(source, api.destination(receiver.url(), ""));

            var accepted = api.ingest(source.text("ingest_path"), "{}");
            var succeeded = EventReader.delivery(api, accepted, "succeeded");
            var refused =
                    EventReader.delivery(
                            api, api.ingest(source.text("ingest_path"), "{}"), "failed");

            assertThat(succeeded.path("attempts").get(0).path("response_body").asString())
                    .isEqualTo("x".repeat(1024));
            assertThat(refused.path("attempts").get(0).path("response_body").asString())
                    .isEqualTo("x".repeat(16_384));
        }
    }

    @Test
    void a_success_with_an_invalid_rest_has_a_note_and_a_redirect_says_where_to()
            throws IOException {
        try (var receiver = Receiver.start()) {
            receiver.willDo(
                    Receiver.answer(200, "", "A: " + "a".repeat(70_000)),
                    Receiver.answer(308, "", "Location: https://new.example/"));
            var source = api.source("s");
            api.connect(
                    source,
                    api.destination(
                            receiver.url(), ", 'retry_policy': {'intervals_seconds': [3600]}"));
            String path = source.text("ingest_path");

            var succeeded = EventReader.delivery(api, api.ingest(path, "{}"), "succeeded");
            var accepted = api.ingest(path, "{}");
            await().until(() -> receiver.requests().size() == 2);

            var attempt = succeeded.path("attempts").get(0);
            assertThat(attempt.path("note").asString())
                    .startsWith("The rest of the response is not valid HTTP: ");
            assertThat(attempt.path("error_message").isNull()).isTrue();
            assertThat(succeeded.path("reason").asString())
                    .startsWith("Delivered: destination answered 200. The rest of the response");
            await().untilAsserted(() ->
                    assertThat(
                                    EventReader.delivery(api, accepted, "pending")
                                            .path("reason")
                                            .asString())
                            .contains(
                                    "Destination answered 308, which redirects to"
                                            + " https://new.example/; change the URL"));
        }
    }

    @Test
    void a_nul_in_the_answers_body_does_no_harm() throws IOException {
        try (var receiver = Receiver.start()) {
            receiver.willDo(Receiver.answer(200, "a\0b\u00ff"));
            var source = api.source("s");
            api.connect(source, api.destination(receiver.url(), ""));

            var accepted = api.ingest(source.text("ingest_path"), "{}");

            var delivery = EventReader.delivery(api, accepted, "succeeded");
            assertThat(delivery.path("attempts").get(0).path("response_body").asString())
                    .startsWith("a");
        }
    }

    @Test
    void history_keeps_the_url_and_name_that_an_attempt_went_to() throws IOException {
        try (var receiver = Receiver.start()) {
            var source = api.source("s");
            var destination = api.destination(receiver.url(), "");
            api.connect(source, destination);
            var accepted = api.ingest(source.text("ingest_path"), "{}");
            EventReader.delivery(api, accepted, "succeeded");

            api.patch(
                    "/api/v1/destinations/" + destination.text("id"),
                    "{'name': 'new', 'url': 'http://127.0.0.1:1234/new'}");

            var delivery = EventReader.delivery(api, accepted);
            assertThat(delivery.path("destination_name").asString()).isEqualTo("d");
            assertThat(delivery.path("attempts").get(0).path("request_url").asString())
                    .isEqualTo(receiver.url());
        }
    }

    @Test
    void an_event_without_connections_has_no_deliveries() {
        var source = api.source("s");

        var accepted = api.ingest(source.text("ingest_path"), "{}");

        assertThat(EventReader.detail(api, accepted).path("deliveries")).isEmpty();
        assertThat(item(source).path("delivery_count").asInt(-1)).isZero();
    }

    private static JsonNode item(ApiClient.ApiResponse source) {
        return api.get("/api/v1/events?source_id=" + source.text("id")).json().path("items").get(0);
    }

    private static List<String> ids(ApiClient.ApiResponse list) {
        return list.json()
                .path("items")
                .valueStream()
                .map((JsonNode item) -> item.path("id").asString())
                .toList();
    }
}
