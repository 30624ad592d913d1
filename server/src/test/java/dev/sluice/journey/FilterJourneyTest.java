package dev.sluice.journey;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sluice.RunningSluice;
import dev.sluice.testkit.ApiClient;
import dev.sluice.testkit.Receiver;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

import tools.jackson.databind.JsonNode;

import java.net.http.HttpRequest;
import java.util.ArrayList;
import java.util.List;

/// Tests which events a connection's filter lets through, from the API to the receiver.
class FilterJourneyTest {

    private static final String PAID_FILTER =
            "{'operator':'and','rules':[{'path':'body.status','op':'eq','value':'paid'}]}";

    @AutoClose private static final RunningSluice sluice = RunningSluice.start();
    private static ApiClient api = sluice.api();

    @AutoClose private final Receiver receiver = Receiver.start();

    @Test
    void an_event_that_does_not_match_is_filtered_and_nothing_is_sent() {
        var source = api.source("s");
        connect(source, PAID_FILTER);

        var unpaid = api.ingest(source.text("ingest_path"), "{\"status\":\"open\"}");
        var paid = api.ingest(source.text("ingest_path"), "{\"status\":\"paid\"}");
        EventReader.delivery(api, paid, "succeeded");

        var filtered = EventReader.delivery(api, unpaid);
        assertThat(filtered.path("status").asString()).isEqualTo("filtered");
        assertThat(filtered.path("attempt_count").asInt()).isZero();
        assertThat(filtered.path("attempts")).isEmpty();
        assertThat(filtered.path("reason").asString())
                .isEqualTo("Filtered: the connection's filter did not match.");
        assertThat(receiver.requests())
                .extracting(Receiver.ReceivedRequest::body)
                .containsExactly("{\"status\":\"paid\"}");
    }

    @Test
    void other_connections_of_the_source_are_unaffected() {
        var source = api.source("s");
        var filtered = connect(source, PAID_FILTER);
        var open = connect(source, "null");
        var matching = connect(source, PAID_FILTER.replace("paid", "open"));

        var event = api.ingest(source.text("ingest_path"), "{\"status\":\"open\"}");

        await().untilAsserted(() ->
                assertThat(deliveries(event))
                        .containsExactly(
                                new ListedDelivery(open.text("id"), "succeeded"),
                                new ListedDelivery(matching.text("id"), "succeeded"),
                                new ListedDelivery(filtered.text("id"), "filtered")));
        assertThat(receiver.requests()).hasSize(2);
    }

    @Test
    void filtered_deliveries_are_counted_among_all() {
        var source = api.source("s");
        connect(source, PAID_FILTER);
        connect(source, "null");

        var event = api.ingest(source.text("ingest_path"), "{}");
        await().untilAsserted(() ->
                assertThat(item(source, event).path("delivered_count").asInt()).isEqualTo(1));

        assertThat(item(source, event).path("delivery_count").asInt()).isEqualTo(2);
        assertThat(item(source, event).path("failed_count").asInt()).isZero();
        assertThat(item(source, event).path("pending_count").asInt()).isZero();
    }

    @Test
    void headers_are_filtered_as_they_came_in() {
        var source = api.source("s");
        connect(
                source,
                "{'operator':'or','rules':[{'path':'headers.content-type','op':'contains',"
                        + "'value':'json'}]}");

        var json = api.ingest(source.text("ingest_path"), "not even json");
        var text =
                api.send(
                        api.anonymous(source.text("ingest_path"))
                                .header("Content-Type", "text/plain")
                                .POST(HttpRequest.BodyPublishers.ofString("{}")));

        EventReader.delivery(api, json, "succeeded");
        EventReader.delivery(api, text, "filtered");
    }

    @Test
    void a_payload_that_is_not_json_has_no_body_paths() {
        var source = api.source("s");
        connect(source, PAID_FILTER);

        EventReader.delivery(
                api, api.ingest(source.text("ingest_path"), "status=paid"), "filtered");
    }

    @Test
    void a_hostile_payload_is_accepted_and_filtered() {
        var source = api.source("s");
        connect(source, PAID_FILTER);

        var deep = api.ingest(source.text("ingest_path"), "[".repeat(1 << 20));
        var huge =
                api.ingest(source.text("ingest_path"), "{\"status\":" + "9".repeat(1 << 19) + "}");

        EventReader.delivery(api, deep, "filtered");
        EventReader.delivery(api, huge, "filtered");
    }

    @Test
    void a_changed_filter_counts_from_the_answer_on() {
        var source = api.source("s");
        var connection = connect(source, PAID_FILTER);
        String path = "/api/v1/connections/" + connection.text("id");

        EventReader.delivery(api, api.ingest(source.text("ingest_path"), "{}"), "filtered");
        api.patch(path, "{'filter_rules': null}");
        EventReader.delivery(api, api.ingest(source.text("ingest_path"), "{}"), "succeeded");
        api.patch(path, "{'filter_rules': " + PAID_FILTER + "}");
        EventReader.delivery(api, api.ingest(source.text("ingest_path"), "{}"), "filtered");
    }

    @Test
    void a_filter_outlives_a_restart() {
        var source = api.source("s");
        var connection = connect(source, PAID_FILTER);

        sluice.restart();
        api = sluice.api();

        assertThat(api.get("/api/v1/connections/" + connection.text("id")).json())
                .isEqualTo(connection.json());
        EventReader.delivery(api, api.ingest(source.text("ingest_path"), "{}"), "filtered");
    }

    private ApiClient.ApiResponse connect(ApiClient.ApiResponse source, String filter) {
        var connection = api.connect(source, api.destination(receiver.url(), ""));
        var patched =
                api.patch(
                        "/api/v1/connections/" + connection.text("id"),
                        "{'filter_rules': " + filter + "}");
        assertThat(patched.status()).as(patched.body()).isEqualTo(200);
        return patched;
    }

    private record ListedDelivery(String connection, String status) {}

    private static List<ListedDelivery> deliveries(ApiClient.ApiResponse event) {
        var deliveries = new ArrayList<ListedDelivery>();
        for (var delivery : EventReader.detail(api, event).path("deliveries")) {
            deliveries.add(
                    new ListedDelivery(
                            delivery.path("connection_id").asString(),
                            delivery.path("status").asString()));
        }
        return deliveries;
    }

    private static JsonNode item(ApiClient.ApiResponse source, ApiClient.ApiResponse event) {
        for (var item :
                api.get("/api/v1/events?source_id=" + source.text("id")).json().path("items")) {
            if (item.path("id").asString().equals(event.text("request_id"))) {
                return item;
            }
        }
        throw new AssertionError("the event is not in the list");
    }
}
