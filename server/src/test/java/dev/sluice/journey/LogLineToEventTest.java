package dev.sluice.journey;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sluice.RunningSluice;
import dev.sluice.engine.settle.FailureLog;
import dev.sluice.testkit.ApiClient;
import dev.sluice.testkit.LogRecorder;
import dev.sluice.testkit.Receiver;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import tools.jackson.databind.JsonNode;

import java.io.IOException;
import java.util.UUID;

/// Tests the way of somebody on call: from a line of the log to the event, to its end.
@ResourceLock("the log of failures")
class LogLineToEventTest {

    @AutoClose private static final RunningSluice sluice = RunningSluice.start();
    private static final ApiClient api = sluice.api();

    private static JsonNode get(String path) {
        var answer = api.get(path);
        assertThat(answer.status()).as(answer.body()).isEqualTo(200);
        return answer.json();
    }

    @Test
    void a_log_line_leads_to_the_event_and_to_an_empty_list() throws IOException {
        try (var log = LogRecorder.of(FailureLog.class);
                var receiver = Receiver.start()) {
            receiver.willAnswer(410);
            var source = api.source("Shop");
            var destination = api.destination(receiver.url() + "?of=old", "");
            api.connect(source, destination);
            String destinationId = destination.text("id");
            String ofDestination = "?destination_id=" + destinationId;
            api.ingest(source.text("ingest_path"), "{'order':7}");
            await().until(() ->
                    log.values("delivery.ended", "destination_id").contains(destinationId));

            // The line names the delivery, the event and the destination.
            int line = log.values("delivery.ended", "destination_id").indexOf(destinationId);
            String deliveryId = log.values("delivery.ended", "delivery_id").get(line);
            String eventId = log.values("delivery.ended", "event_id").get(line);
            await().until(() ->
                    api.get("/api/v1/deliveries/" + deliveryId).text("status").equals("failed"));
            var delivery = get("/api/v1/deliveries/" + deliveryId);
            assertThat(delivery.path("event_id").asString()).isEqualTo(eventId);
            assertThat(delivery.path("source_id").asString()).isEqualTo(source.text("id"));
            assertThat(delivery.path("attempts").path(0).path("response_status").asInt())
                    .isEqualTo(410);
            var found = get("/api/v1/events?q=" + deliveryId);
            assertThat(found.path("total").asInt()).isEqualTo(1);
            assertThat(found.path("items").path(0).path("id").asString()).isEqualTo(eventId);

            // What else fails there, and why.
            var failing = get("/api/v1/deliveries" + ofDestination + "&status=failed,exhausted");
            assertThat(failing.path("items").path(0).path("id").asString()).isEqualTo(deliveryId);
            var group = get("/api/v1/dlq/groups" + ofDestination).path("items").path(0);
            assertThat(group.path("response_status").asInt()).isEqualTo(410);
            assertThat(group.path("count").asInt()).isEqualTo(1);

            // What was sent.
            var sent = get("/api/v1/deliveries/" + deliveryId + "/attempts/1/request");
            assertThat(sent.path("url").asString()).isEqualTo(receiver.url() + "?of=old");
            assertThat(sent.path("body").asString()).isEqualTo("{'order':7}");
            assertThat(sent.path("was_sent").asBoolean()).isTrue();

            // Mend it, send it again, and have an empty list.
            receiver.willAnswer(200);
            var mended =
                    api.patch(
                            "/api/v1/destinations/" + destinationId,
                            "{'url':'" + receiver.url() + "?of=new'}");
            assertThat(mended.status()).as(mended.body()).isEqualTo(200);
            var resent =
                    api.post("/api/v1/dlq/resend", "{'destination_id':'" + destinationId + "'}");
            assertThat(resent.status()).as(resent.body()).isEqualTo(202);
            await().until(() ->
                    get("/api/v1/dlq/groups" + ofDestination).path("items").isEmpty()
                            && get("/api/v1/dlq" + ofDestination + "&resolved=false")
                                    .path("items")
                                    .isEmpty());
            assertThat(receiver.requests().getLast().line()).contains("?of=new");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"x", "00000000-0000-0000-0000-000000000000"})
    void a_delivery_that_is_not_there_is_not_found(String id) {
        assertThat(api.get("/api/v1/deliveries/" + id).status()).isEqualTo(404);
        assertThat(api.get("/api/v1/deliveries/" + UUID.randomUUID()).status()).isEqualTo(404);
    }

    @Test
    void the_id_of_a_delivery_that_an_event_does_not_have_finds_nothing() {
        var source = api.source("Quiet");
        String event = api.ingest(source.text("ingest_path"), "{}").text("request_id");
        String delivery = event.substring(0, event.length() - 3) + "001";

        assertThat(get("/api/v1/events?q=" + event).path("total").asInt()).isEqualTo(1);
        assertThat(get("/api/v1/events?q=" + delivery).path("total").asInt(-1)).isZero();
        assertThat(api.get("/api/v1/deliveries/" + delivery).status()).isEqualTo(404);
    }

    @Test
    void connections_are_found_by_source_and_destination_and_destinations_by_name() {
        var source = api.source("Finder");
        var one = api.destination("https://one.example.com/", "");
        var other = api.destination("https://other.example.com/", "");
        api.patch("/api/v1/destinations/" + one.text("id"), "{'name':'Warehouse North'}");
        var connection = api.connect(source, one);
        api.connect(source, other);
        String path = "/api/v1/connections?source_id=" + source.text("id");

        assertThat(get(path).path("items")).hasSize(2);
        var both = get(path + "&limit=10&destination_id=" + one.text("id"));
        assertThat(both.path("items").path(0).path("id").asString())
                .isEqualTo(connection.text("id"));
        assertThat(both.path("total").asInt()).isEqualTo(1);
        assertThat(get("/api/v1/connections?source_id=" + UUID.randomUUID()).path("items"))
                .isEmpty();
        assertThat(api.get("/api/v1/connections?source_id=x").status()).isEqualTo(400);
        var named = get("/api/v1/destinations?q=house%20n&limit=5");
        assertThat(named.path("items").path(0).path("id").asString()).isEqualTo(one.text("id"));
        assertThat(named.path("total").asInt()).isEqualTo(1);
    }
}
