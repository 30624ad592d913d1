package dev.sluice.journey;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.sluice.RunningSluice;
import dev.sluice.platform.id.Uuid7;
import dev.sluice.testkit.ApiClient;
import dev.sluice.testkit.Receiver;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.NullNode;

import java.io.IOException;
import java.net.URLEncoder;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.UUID;

/// Tests the list of deliveries, the event list's filters by delivery, and cursors, over HTTP.
class DeliveryListTest {

    private static final String FILTER =
            ", 'filter_rules': {'operator':'and','rules':[{'path':'body.never','op':'exists'}]}";

    @AutoClose private static final RunningSluice sluice = RunningSluice.start();
    private static final ApiClient api = sluice.api();
    private static ApiClient.ApiResponse source;

    /// A source like the other one. Tests may send more events to it.
    private static ApiClient.ApiResponse busySource;

    private static String refusing;
    private static String waiting;
    private static String waitingConnection = "";
    private static String refusingConnection = "";

    /// The ids of the source's events, oldest first.
    private static List<String> events = List.of();

    /// Makes three events of a source with three connections: to a destination that answers 410, to
    /// one that is paused, and to one whose filter matches nothing.
    @BeforeAll
    static void makeDeliveries() throws IOException {
        try (var receiver = Receiver.start()) {
            receiver.willAnswer(410);
            var refuser = api.destination(receiver.url(), "");
            var paused = api.destination("https://example.com/", ", 'status': 'paused'");
            var unwanted = api.destination("https://example.com/other", "");
            refusing = refuser.text("id");
            waiting = paused.text("id");
            busySource = api.source("busy");
            source = api.source("s");
            for (var each : List.of(busySource, source)) {
                refusingConnection = api.connect(each, refuser).text("id");
                waitingConnection = api.connect(each, paused).text("id");
                api.post(
                        "/api/v1/connections",
                        "{'source_id':'%s','destination_id':'%s'%s}"
                                .formatted(each.text("id"), unwanted.text("id"), FILTER));
                events = List.of(ingest(each), ingest(each), ingest(each));
            }
            await().until(() -> get("/api/v1/deliveries?status=failed").path("total").asInt() == 6);
        }
    }

    /// Ingests an event and waits for the next millisecond, so that no two events share a received
    /// time.
    private static String ingest(ApiClient.ApiResponse source) {
        String id = api.ingest(source.text("ingest_path"), "{}").text("request_id");
        var receivedAt = Uuid7.timeOf(UUID.fromString(id));
        await().until(() -> Instant.now().isAfter(receivedAt.plusMillis(1)));
        return id;
    }

    private static JsonNode get(String path) {
        var answer = api.get(path);
        assertThat(answer.status()).as(answer.body()).isEqualTo(200);
        return answer.json();
    }

    private static JsonNode list(String parameters) {
        return get("/api/v1/deliveries?source_id=" + source.text("id") + parameters);
    }

    private static List<String> values(JsonNode list, String field) {
        return list.path("items")
                .valueStream()
                .map((JsonNode item) -> item.path(field).asString())
                .toList();
    }

    private static void assertEvents(String parameters, String... expected) {
        var list = list(parameters);
        assertThat(values(list, "event_id")).as(parameters).containsExactly(expected);
        assertThat(list.path("total").asInt(-1)).as(parameters).isEqualTo(expected.length);
        assertThat(list.has("total_is_exact")).as(parameters).isFalse();
        assertThat(list.path("next_cursor").isNull()).as(parameters).isTrue();
    }

    @Test
    void the_list_has_each_delivery_of_the_newest_event_first() {
        var list = list("");

        assertThat(list.path("total").asInt()).isEqualTo(9);
        assertThat(values(list, "event_id"))
                .containsExactly(
                        events.get(2),
                        events.get(2),
                        events.get(2),
                        events.get(1),
                        events.get(1),
                        events.get(1),
                        events.get(0),
                        events.get(0),
                        events.get(0));
        assertThat(values(list, "status").subList(0, 3))
                .containsExactlyInAnyOrder("failed", "pending", "filtered");
    }

    @Test
    void an_item_says_what_the_delivery_itself_says() {
        for (var item : list("").path("items")) {
            var delivery = get("/api/v1/deliveries/" + item.path("id").asString());
            for (String field :
                    List.of(
                            "event_id",
                            "source_id",
                            "connection_id",
                            "destination_id",
                            "destination_name",
                            "status",
                            "trigger",
                            "attempt_count",
                            "reason",
                            "received_at",
                            "created_at",
                            "finished_at")) {
                assertThat(item.path(field)).as(field).isEqualTo(delivery.path(field));
            }
            var attempts = delivery.path("attempts");
            assertThat(item.path("last_latency_ms"))
                    .as("last_latency_ms")
                    .isEqualTo(
                            attempts.isEmpty()
                                    ? NullNode.getInstance()
                                    : attempts.get(attempts.size() - 1).path("latency_ms"));
        }
    }

    @Test
    void each_filter_keeps_what_matches() {
        String[] all = {events.get(2), events.get(1), events.get(0)};

        assertEvents("&status=failed", all);
        assertEvents("&status=filtered", all);
        assertEvents("&status=succeeded");
        assertEvents("&status=pending", all);
        assertEvents("&status=delivering");
        assertEvents("&destination_id=" + waiting, all);
        assertEvents("&connection_id=" + waitingConnection, all);
        assertEvents("&error_code=http_status", all);
        assertEvents("&error_code=tls_failed");
        assertEvents("&response_status=410", all);
        assertEvents("&response_status=411");
    }

    @Test
    void filters_hold_all_at_once() {
        String at = get("/api/v1/events/" + events.get(1)).path("received_at").asString();

        assertEvents("&status=failed&destination_id=" + waiting);
        assertEvents("&status=pending,delivering&destination_id=" + refusing);
        assertEvents(
                "&status=failed,succeeded&error_code=http_status&response_status=410"
                        + "&destination_id=%s&connection_id=%s&q=%s"
                                .formatted(refusing, refusingConnection, events.get(1)),
                events.get(1));
        assertThat(values(list("&status=failed&received_after=" + at), "event_id"))
                .contains(events.get(1), events.get(2));
        assertThat(values(list("&status=failed&received_before=" + at), "event_id"))
                .contains(events.get(0))
                .doesNotContain(events.get(1));
    }

    @Test
    void q_finds_a_delivery_by_its_id_and_those_of_an_event_by_the_events() {
        String id = list("&status=failed").path("items").path(1).path("id").asString();

        assertEvents("&q=" + id, events.get(1));
        assertEvents("&q=" + id.toUpperCase(Locale.ROOT).replace("-", ""), events.get(1));
        assertEvents("&status=failed&q=" + id.substring(20, 31), events.get(1));
        assertEvents("&q=" + events.get(1), events.get(1), events.get(1), events.get(1));
        assertEvents("&q=xyz");
    }

    @Test
    void events_are_found_by_their_deliveries() {
        String path = "/api/v1/events?source_id=" + source.text("id");
        for (String parameters :
                List.of(
                        "&status=failed",
                        "&status=pending,filtered",
                        "&destination_id=" + waiting,
                        "&connection_id=" + refusingConnection + "&status=failed,exhausted",
                        "&verification_status=skipped&destination_id=" + refusing)) {
            var list = get(path + parameters);
            assertThat(values(list, "id"))
                    .as(parameters)
                    .containsExactly(events.get(2), events.get(1), events.get(0));
            assertThat(list.path("total").asInt()).isEqualTo(3);
        }
        for (String parameters :
                List.of(
                        "&status=succeeded",
                        "&status=failed&connection_id=" + waitingConnection,
                        "&status=failed&verification_status=verified",
                        "&status=failed&q=xyz")) {
            assertThat(get(path + parameters).path("items")).as(parameters).isEmpty();
        }
        String delivery = list("&status=failed").path("items").path(1).path("id").asString();
        for (String q :
                List.of(
                        events.get(1),
                        events.get(1).substring(0, 35),
                        events.get(1).substring(20, 33),
                        delivery)) {
            assertThat(values(get(path + "&status=failed&q=" + q), "id"))
                    .as(q)
                    .containsExactly(events.get(1));
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/api/v1/deliveries?",
                "/api/v1/deliveries?status=failed&",
                "/api/v1/deliveries?status=pending&destination_id={waiting}&",
                "/api/v1/deliveries?response_status=410&",
                "/api/v1/events?",
                "/api/v1/events?status=failed&",
                "/api/v1/events?q=-&",
                "/api/v1/dlq?",
                "/api/v1/dlq?resolved=false&",
            })
    void cursors_lead_through_the_list_once_while_events_arrive(String path) {
        String filtered = path.replace("{waiting}", waiting) + "source_id=" + busySource.text("id");
        var expected = values(get(filtered + "&limit=200"), "id");
        var page = get(filtered + "&limit=3");
        var found = new ArrayList<>(values(page, "id"));
        for (int arrivals = 0; !page.path("next_cursor").isNull(); arrivals++) {
            if (arrivals < 2) {
                ingest(busySource);
            }
            page = get(filtered + "&limit=3&cursor=" + page.path("next_cursor").asString());
            found.addAll(values(page, "id"));
        }

        assertThat(expected).isNotEmpty();
        assertThat(found).containsExactlyElementsOf(expected);
    }

    @Test
    void the_cursor_of_a_list_begins_where_the_page_ended() {
        var first = list("&limit=4");
        var second = list("&limit=200&cursor=" + first.path("next_cursor").asString());

        assertThat(first.path("items")).hasSize(4);
        assertThat(second.path("items")).hasSize(5);
        assertThat(second.path("total").asInt()).isEqualTo(9);
        assertThat(second.path("next_cursor").isNull()).isTrue();
        var page = list("&limit=4&page=2");
        assertThat(values(second, "id").subList(0, 4)).isEqualTo(values(page, "id"));
        assertThat(values(list("&limit=200&cursor=" + page.path("next_cursor").asString()), "id"))
                .isEqualTo(values(second, "id").subList(4, 5));
    }

    @Test
    void a_cursor_is_bound_to_its_list_and_its_filter() {
        String cursor = list("&limit=1").path("next_cursor").asString();
        String tampered = (cursor.startsWith("A") ? "B" : "A") + cursor.substring(1);
        String id = "source_id=" + source.text("id");
        for (String path :
                List.of(
                        "/api/v1/deliveries?" + id + "&status=failed&cursor=" + cursor,
                        "/api/v1/deliveries?cursor=" + cursor,
                        "/api/v1/events?" + id + "&cursor=" + cursor,
                        "/api/v1/dlq?" + id + "&cursor=" + cursor,
                        "/api/v1/deliveries?" + id + "&cursor=" + tampered,
                        "/api/v1/deliveries?" + id + "&page=1&cursor=" + cursor)) {
            var answer = api.get(path);

            assertThat(answer.status()).as(path).isEqualTo(422);
            assertThat(answer.errorMessage()).startsWith("cursor ");
        }
        var theirs = WorkspaceFixture.create(sluice, "business");
        assertThat(theirs.get("/api/v1/deliveries?" + id + "&cursor=" + cursor).status())
                .isEqualTo(422);
    }

    @ParameterizedTest
    @CsvSource({
        "cursor=x,                    400, malformed_request",
        "cursor=%2B%2F%3D,            400, malformed_request",
        "source_id=7,                 400, malformed_request",
        "destination_id=7,            400, malformed_request",
        "connection_id=7,             400, malformed_request",
        "received_after=yesterday,    400, malformed_request",
        "response_status=x,           400, malformed_request",
        "response_status=99,          422, validation_failed",
        "status=done,                 422, validation_failed",
        "'status=failed,',            422, validation_failed",
        "error_code=none,             422, validation_failed",
        "limit=201,                   422, validation_failed",
        "page=0,                      422, validation_failed",
    })
    void what_cannot_be_read_or_is_out_of_bounds_is_refused(
            String parameter, int status, String code) {
        for (String list : List.of("deliveries", "dlq")) {
            var answer = api.get("/api/v1/" + list + "?" + parameter);

            assertThat(answer.status()).as(answer.body()).isEqualTo(status);
            assertThat(answer.errorCode()).isEqualTo(code);
            assertThat(answer.errorMessage())
                    .startsWith(parameter.substring(0, parameter.indexOf('=')));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"status=done", "destination_id=7", "connection_id=7", "cursor=x"})
    void a_wrong_filter_of_events_is_refused(String parameter) {
        var answer = api.get("/api/v1/events?" + parameter);

        assertThat(answer.status()).isIn(400, 422);
        assertThat(answer.errorMessage())
                .startsWith(parameter.substring(0, parameter.indexOf('=')));
    }

    @Test
    void an_empty_parameter_counts_as_absent() {
        var list = list("&status=&destination_id=&error_code=&q=&cursor=&received_after=");

        assertThat(list.path("total").asInt()).isEqualTo(9);
    }

    @Test
    void no_parameter_shows_anything_of_another_workspace() {
        var theirs = WorkspaceFixture.create(sluice, "business");
        String delivery = list("").path("items").path(0).path("id").asString();
        for (String parameters :
                List.of(
                        "",
                        "source_id=" + source.text("id"),
                        "destination_id=" + refusing,
                        "connection_id=" + refusingConnection,
                        "status=failed",
                        "status=pending,delivering",
                        "error_code=http_status",
                        "q=" + delivery,
                        "q=" + URLEncoder.encode(delivery.substring(20, 31), UTF_8))) {
            for (String list : List.of("deliveries", "events")) {
                var answer = theirs.get("/api/v1/" + list + "?" + parameters);

                assertThat(answer.status()).isEqualTo(200);
                assertThat(answer.json().path("items")).as(parameters).isEmpty();
                assertThat(answer.json().path("total").asInt(-1)).as(parameters).isZero();
            }
        }
    }
}
