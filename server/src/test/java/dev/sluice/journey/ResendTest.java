package dev.sluice.journey;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sluice.RunningSluice;
import dev.sluice.engine.DeliveryId;
import dev.sluice.engine.DeliveryStatus;
import dev.sluice.engine.ErrorCode;
import dev.sluice.engine.EventId;
import dev.sluice.gateway.connection.ConnectionId;
import dev.sluice.gateway.source.SourceId;
import dev.sluice.platform.db.Db;
import dev.sluice.testkit.ApiClient;
import dev.sluice.testkit.GivenRows;
import dev.sluice.testkit.ManualClock;
import dev.sluice.testkit.Receiver;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import tools.jackson.databind.JsonNode;

import java.io.IOException;
import java.net.http.HttpRequest;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;

/// Tests the resend of one event.
class ResendTest {

    private static final ManualClock clock = ManualClock.ofNow();
    @AutoClose private static final RunningSluice sluice = RunningSluice.start(clock);
    @AutoClose private static final Db db = sluice.db();
    private static final ApiClient api = sluice.api();

    private Receiver receiver;
    private ApiClient.ApiResponse source;
    private ApiClient.ApiResponse destination;
    private ApiClient.ApiResponse connection;

    @BeforeEach
    void open() {
        clock.advance(Duration.ofSeconds(61)); // each test has its own minute of the rate limit
        receiver = Receiver.start();
        source = api.source("s");
        destination =
                api.destination(receiver.url(), ", 'retry_policy': {'intervals_seconds': [30]}");
        connection = api.connect(source, destination);
    }

    @AfterEach
    void shut() throws IOException {
        receiver.close();
    }

    @Test
    void no_body_resends_to_every_connection_disabled_ones_included_and_deleted_ones_not() {
        var disabled = api.connect(source, api.destination(receiver.url(), ""));
        patch("connections", disabled, "{'enabled': false}");
        var deleted = api.connect(source, api.destination(receiver.url(), ""));
        api.delete("/api/v1/connections/" + deleted.text("id"));
        var doomed = api.destination(receiver.url(), "");
        api.connect(source, doomed);
        api.delete("/api/v1/destinations/" + doomed.text("id"));
        var event = delivered();

        var answer = api.send(api.request(path(event)).POST(HttpRequest.BodyPublishers.noBody()));

        assertThat(answer.status()).isEqualTo(202);
        assertThat(answer.json().path("created").asInt()).isEqualTo(2);
        var resends = resends(event, 2, "succeeded");
        assertThat(resends)
                .extracting(resend -> resend.path("connection_id").asString())
                .containsExactly(connection.text("id"), disabled.text("id"));
        assertThat(receiver.requests()).hasSize(3);
    }

    @Test
    void an_empty_object_and_an_empty_body_are_as_no_body() {
        var event = delivered();

        assertThat(resend(event, "{}").json().path("created").asInt()).isEqualTo(1);
        assertThat(resend(event, "").json().path("created").asInt()).isEqualTo(1);

        resends(event, 2, "succeeded");
    }

    @Test
    void chosen_connections_alone_are_resent_to_and_each_once() {
        var other = api.connect(source, api.destination(receiver.url(), ""));
        var event = delivered();

        var answer =
                resend(event, "{'connection_ids': ['%1$s', '%1$s']}".formatted(other.text("id")));

        assertThat(answer.json().path("created").asInt()).isEqualTo(1);
        var resend = resends(event, 1, "succeeded").getFirst();
        assertThat(resend.path("connection_id").asString()).isEqualTo(other.text("id"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"null", " null ", "{}", "{'connection_ids': null}"})
    void null_counts_as_left_out(String body) {
        var event = delivered();

        assertThat(resend(event, body).json().path("created").asInt()).isEqualTo(1);
    }

    @Test
    void what_cannot_be_chosen_is_refused_and_nothing_is_created() {
        var elsewhere = api.connect(api.source("other"), destination);
        var gone = api.connect(source, api.destination(receiver.url(), ""));
        api.delete("/api/v1/connections/" + gone.text("id"));
        var event = delivered();
        String good = connection.text("id");

        refused(
                event,
                "{'connection_ids': []}",
                "connection_ids",
                "must be a list of 1 to 1000 strings.");
        refused(
                event,
                "{'connection_ids': '" + good + "'}",
                "connection_ids",
                "must be a list of 1 to 1000 strings.");
        refused(
                event,
                "{'connection_ids': ['" + good + "', 'x']}",
                "connection_ids.1",
                "must be a UUID.");
        refused(event, "{'connection_ids': [7]}", "connection_ids.0", "must be a string.");
        refused(
                event,
                "{'connection_ids': ['" + good + "', '" + elsewhere.text("id") + "']}",
                "connection_ids.1",
                "must be a connection of the event's source.");
        refused(event, "{'connections': []}", "connections", "is not a known field.");
        for (String unknown : List.of(UUID.randomUUID().toString(), gone.text("id"))) {
            var answer = resend(event, "{'connection_ids': ['" + unknown + "']}");
            assertThat(answer.status()).isEqualTo(404);
            assertThat(answer.errorMessage()).isEqualTo("There is no such connection.");
        }
        assertThat(EventReader.detail(api, event).path("deliveries")).hasSize(1);
    }

    private void refused(ApiClient.ApiResponse event, String body, String field, String message) {
        var answer = resend(event, body);
        assertThat(answer.status()).as(body).isEqualTo(422);
        assertThat(answer.json().path("error").path("details").path(0).path("field").asString())
                .isEqualTo(field);
        assertThat(answer.errorMessage()).isEqualTo(field + " " + message);
    }

    @Test
    void a_body_that_is_no_json_is_refused() {
        var event = delivered();

        var answer =
                api.send(api.request(path(event)).POST(HttpRequest.BodyPublishers.ofString("{}")));

        assertThat(answer.status()).isEqualTo(415);
    }

    @Test
    void an_event_that_is_not_there_is_not_found() {
        var event = delivered();

        assertThat(post("/api/v1/events/018f0000-0000-7000-8000-000000000000/resend").status())
                .isEqualTo(404);
        assertThat(post("/api/v1/events/018f0000-0000-7000-8000-000000000001/resend").status())
                .isEqualTo(404);
        assertThat(post("/api/v1/events/x/resend").status()).isEqualTo(404);
        api.delete("/api/v1/sources/" + source.text("id"));
        assertThat(resend(event, "{}").status()).isEqualTo(404);
        api.post("/api/v1/sources/" + source.text("id") + "/restore", "{}");
        assertThat(resend(event, "{}").status()).isEqualTo(202);
    }

    @Test
    void an_event_past_its_retention_is_not_found(@TempDir Path ownDir) {
        var ownClock = ManualClock.ofNow();
        try (var own = RunningSluice.start(ownDir, ownClock, Map.of())) {
            var ours = own.api();
            var event = ours.ingest(ours.source("s").text("ingest_path"), "{}");
            String path = "/api/v1/events/" + event.text("request_id") + "/resend";
            assertThat(ours.post(path, "{}").status()).isEqualTo(202);

            ownClock.advance(Duration.ofDays(30));

            assertThat(ours.post(path, "{}").status()).isEqualTo(404);
        }
    }

    @Test
    void an_event_without_connections_makes_nothing() {
        var lonely = api.source("lonely");
        var event = api.ingest(lonely.text("ingest_path"), "{}");

        var answer = resend(event, "{}");

        assertThat(answer.status()).isEqualTo(202);
        assertThat(answer.json().path("created").asInt(-1)).isZero();
    }

    @Test
    void a_filter_does_not_keep_a_resend() {
        patch(
                "connections",
                connection,
                "{'filter_rules': {'operator': 'and', 'rules': [{'path': 'body.a', 'op': 'eq',"
                        + " 'value': 1}]}}");
        var event = api.ingest(source.text("ingest_path"), "{}");
        assertThat(EventReader.delivery(api, event).path("status").asString())
                .isEqualTo("filtered");

        resend(event, "{}");

        resends(event, 1, "succeeded");
        assertThat(receiver.requests()).hasSize(1);
    }

    @Test
    void a_resend_takes_todays_url_and_transformation() throws IOException {
        var event = delivered();
        try (var today = Receiver.start()) {
            patch("destinations", destination, "{'url': '" + today.url() + "'}");
            patch(
                    "connections",
                    connection,
                    "{'transformation': {'set_headers': [{'name': 'X-Today', 'value': 'yes'}]}}");

            resend(event, "{}");

            var resend = resends(event, 1, "succeeded").getFirst();
            assertThat(resend.path("attempts").path(0).path("request_url").asString())
                    .isEqualTo(today.url());
            assertThat(today.requests()).hasSize(1);
            assertThat(today.requests().getFirst().values("X-Today")).containsExactly("yes");
            assertThat(receiver.requests()).hasSize(1);
        }
    }

    @Test
    void a_resend_follows_the_whole_schedule_again() {
        receiver.willAnswer(500);
        var event = api.ingest(source.text("ingest_path"), "{}");
        EventReader.deliveryAfter(1, api, event);
        clock.advance(Duration.ofSeconds(60));
        EventReader.delivery(api, event, "exhausted");

        resend(event, "{}");

        await().untilAsserted(
                        () -> assertThat(resends(event).getFirst().path("attempts")).hasSize(1));
        var resend = resends(event).getFirst();
        assertThat(resend.path("status").asString()).isEqualTo("pending");
        assertThat(
                        Duration.between(
                                clock.instant(),
                                Instant.parse(resend.path("next_attempt_at").asString())))
                .isBetween(Duration.ofSeconds(23), Duration.ofSeconds(37));
        clock.advance(Duration.ofSeconds(60));
        assertThat(resends(event, 1, "exhausted").getFirst().path("attempts")).hasSize(2);
        assertThat(receiver.requests()).hasSize(4);
    }

    @Test
    void a_signed_receiver_sees_the_same_event_id_and_another_delivery_id() {
        patch(
                "destinations",
                destination,
                "{'auth_config': {'type': 'hmac', 'secret': 'whisper'}}");
        var event = delivered();

        resend(event, "{}");
        resends(event, 1, "succeeded");

        var requests = receiver.requests();
        assertThat(requests).hasSize(2);
        assertThat(requests)
                .allSatisfy(receivedRequest -> {
                    assertThat(receivedRequest.values("X-Service-Event-Id"))
                            .containsExactly(event.text("request_id"));
                    assertThat(receivedRequest.values("X-Service-Signature")).hasSize(1);
                });
        assertThat(requests.get(1).values("X-Service-Delivery-Id"))
                .isNotEqualTo(requests.get(0).values("X-Service-Delivery-Id"));
        assertThat(requests.get(1).body()).isEqualTo(requests.get(0).body());
        assertThat(requests.get(1).values("X-Service-Attempt")).containsExactly("1");
    }

    @Test
    void a_resend_waits_while_its_source_is_paused() {
        var event = delivered();
        patch("sources", source, "{'status': 'paused'}");

        resend(event, "{}");

        var resend = resends(event).getFirst();
        assertThat(resend.path("status").asString()).isEqualTo("pending");
        assertThat(resend.path("reason").asString()).startsWith("Held: the source is paused.");
        patch("sources", source, "{'status': 'active'}");
        resends(event, 1, "succeeded");
    }

    @Test
    void an_event_that_failed_its_verification_can_be_resent() {
        patch(
                "sources",
                source,
                "{'verification_config': {'provider': 'api_key', 'header': 'X-Key', 'key': 'k'}}");
        var event = api.ingest(source.text("ingest_path"), "{'a': 1}");
        assertThat(event.status()).isEqualTo(401);
        var stored = api.get("/api/v1/events?source_id=" + source.text("id")).json();
        String id = stored.path("items").path(0).path("id").asString();

        var answer = post("/api/v1/events/" + id + "/resend");

        assertThat(answer.json().path("created").asInt()).isEqualTo(1);
        await().until(() -> receiver.requests().size() == 1);
    }

    @Test
    void a_resend_is_sent_without_waiting_for_the_sweep() {
        var event = delivered();
        long start = System.nanoTime();

        resend(event, "{}");
        await().until(() -> receiver.requests().size() == 2);

        assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(8));
    }

    @Test
    void resends_made_at_once_get_ordinals_of_their_own() {
        patch("destinations", destination, "{'status': 'paused'}");
        var event = api.ingest(source.text("ingest_path"), "{}");
        var answers = new ArrayList<CompletableFuture<ApiClient.ApiResponse>>();
        for (int i = 0; i < 16; i++) {
            answers.add(CompletableFuture.supplyAsync(() -> resend(event, "{}")));
        }

        assertThat(answers).extracting(answer -> answer.join().status()).containsOnly(202);
        assertThat(resends(event))
                .extracting(resend ->
                        new DeliveryId(UUID.fromString(resend.path("id").asString())).ordinal())
                .containsExactly(
                        1024, 1025, 1026, 1027, 1028, 1029, 1030, 1031, 1032, 1033, 1034, 1035,
                        1036, 1037, 1038, 1039);
        patch("destinations", destination, "{'status': 'active'}");
        resends(event, 16, "succeeded");
    }

    @Test
    void an_event_that_was_resent_too_often_is_a_conflict_and_nothing_is_created() {
        api.connect(source, api.destination(receiver.url(), ""));
        var event = delivered();
        var id = new EventId(UUID.fromString(event.text("request_id")));
        var last = DeliveryId.of(id, DeliveryId.MAX_ORDINAL - 1);
        var row =
                new GivenRows.DeliveryRow(
                                last,
                                new SourceId(UUID.fromString(source.text("id"))),
                                new ConnectionId(UUID.fromString(connection.text("id"))),
                                DeliveryStatus.FAILED,
                                clock.instant())
                        .withCreatedAt(clock.instant())
                        .withoutAttempt(ErrorCode.EVENT_EXPIRED);
        db.run(tx -> GivenRows.insertDeliveries(tx, List.of(row)));
        try {
            var both = resend(event, "{}");
            assertThat(both.status()).isEqualTo(409);
            assertThat(both.errorCode()).isEqualTo("conflict");
            assertThat(resends(event)).hasSize(1);

            String one = "{'connection_ids': ['" + connection.text("id") + "']}";
            assertThat(resend(event, one).status()).isEqualTo(202);
            assertThat(resend(event, one).status()).isEqualTo(409);
            assertThat(resends(event)).hasSize(2);
        } finally {
            db.run(tx ->
                    tx.update("delete from delivery where id >= ? and trigger = 2", last.value()));
            db.run(tx ->
                    tx.update(
                            "delete from delivery_work where id >= ? and id <= ?",
                            last.value(),
                            DeliveryId.maxIdOf(id)));
        }
    }

    @Test
    void a_resend_is_no_event() {
        var event = delivered();
        resend(event, "{}");
        resends(event, 1, "succeeded");

        var events = api.get("/api/v1/events?source_id=" + source.text("id")).json();
        assertThat(events.path("total").asInt()).isEqualTo(1);
        assertThat(events.path("items").path(0).path("delivered_count").asInt()).isEqualTo(2);
    }

    private ApiClient.ApiResponse delivered() {
        var event = api.ingest(source.text("ingest_path"), "{\"a\": 1}");
        await().untilAsserted(() ->
                assertThat(EventReader.detail(api, event).path("deliveries"))
                        .allMatch(one -> one.path("status").asString().equals("succeeded")));
        return event;
    }

    private static String path(ApiClient.ApiResponse event) {
        return "/api/v1/events/" + event.text("request_id") + "/resend";
    }

    private static ApiClient.ApiResponse resend(ApiClient.ApiResponse event, String body) {
        return api.post(path(event), body);
    }

    private static ApiClient.ApiResponse post(String path) {
        return api.post(path, "{}");
    }

    private static List<JsonNode> resends(ApiClient.ApiResponse event) {
        var resends = new ArrayList<JsonNode>();
        EventReader.detail(api, event)
                .path("deliveries")
                .forEach(delivery -> {
                    if (delivery.path("trigger").asString().equals("resend")) {
                        resends.add(delivery);
                    }
                });
        return resends;
    }

    private static List<JsonNode> resends(ApiClient.ApiResponse event, int count, String status) {
        await().untilAsserted(() ->
                assertThat(resends(event))
                        .hasSize(count)
                        .allMatch(one -> one.path("status").asString().equals(status)));
        return resends(event);
    }

    private static void patch(String kind, ApiClient.ApiResponse of, String json) {
        assertThat(api.patch("/api/v1/" + kind + "/" + of.text("id"), json).status())
                .isEqualTo(200);
    }
}
