package dev.sluice.journey;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.sluice.RunningSluice;
import dev.sluice.testkit.ApiClient;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import tools.jackson.databind.JsonNode;

import java.net.URLEncoder;
import java.time.Instant;
import java.util.List;

/// Tests the query parameters of the event list, over HTTP.
class EventListTest {

    @AutoClose private static final RunningSluice sluice = RunningSluice.start();
    private static final ApiClient api = sluice.api();
    private static String source;

    /// The ids of the source's events, oldest first.
    private static List<String> ids;

    @BeforeAll
    static void ingestThree() {
        var made = api.source("s");
        source = made.text("id");
        ids =
                List.of(ingest(made), ingest(made), ingest(made)).stream()
                        .map(accepted -> accepted.text("request_id"))
                        .toList();
    }

    /// Ingests an event and waits for the next millisecond, so that no two events share a received
    /// time.
    private static ApiClient.ApiResponse ingest(ApiClient.ApiResponse source) {
        var accepted = api.ingest(source.text("ingest_path"), "{}");
        var receivedAt = receivedAt(accepted.text("request_id"));
        await().until(() -> Instant.now().isAfter(receivedAt.plusMillis(1)));
        return accepted;
    }

    private static Instant receivedAt(String id) {
        return Instant.parse(api.get("/api/v1/events/" + id).json().path("received_at").asString());
    }

    private static JsonNode list(String parameters) {
        var answer = api.get("/api/v1/events?source_id=" + source + parameters);
        assertThat(answer.status()).as(answer.body()).isEqualTo(200);
        return answer.json();
    }

    private static List<String> idsOf(JsonNode list) {
        return list.path("items")
                .valueStream()
                .map((JsonNode item) -> item.path("id").asString())
                .toList();
    }

    private static void assertList(String parameters, String... expected) {
        var list = list(parameters);
        assertThat(idsOf(list)).containsExactly(expected);
        assertThat(list.path("total").asInt(-1)).isEqualTo(expected.length);
        assertThat(list.has("total_is_exact")).isFalse();
    }

    @Test
    void verification_status_keeps_the_events_of_that_status() {
        assertList("&verification_status=skipped", ids.get(2), ids.get(1), ids.get(0));
        assertList("&verification_status=failed");
        assertList("&verification_status=verified");
    }

    @Test
    void received_after_is_inclusive_and_received_before_exclusive() {
        var middle = receivedAt(ids.get(1));

        assertList("&received_after=" + middle, ids.get(2), ids.get(1));
        assertList("&received_before=" + middle, ids.get(0));
        assertList(
                "&received_after=%s&received_before=%s".formatted(middle, middle.plusMillis(1)),
                ids.get(1));
    }

    @Test
    void a_time_may_have_an_offset() {
        String time = receivedAt(ids.get(1)).atOffset(java.time.ZoneOffset.ofHours(5)).toString();

        assertList("&received_before=" + URLEncoder.encode(time, UTF_8), ids.get(0));
        assertList("&received_before=" + time, ids.get(0));
    }

    @Test
    void a_range_that_ends_before_it_begins_is_an_empty_list() {
        assertList("&received_after=2026-03-02T00:00:00Z&received_before=2026-03-01T00:00:00Z");
    }

    @Test
    void q_finds_an_event_by_its_id_in_any_case_and_by_its_first_digits() {
        String id = ids.get(1);

        assertList("&q=" + id, id);
        assertList("&q=" + id.toUpperCase(java.util.Locale.ROOT), id);
        assertList("&q=" + id.replace("-", ""), id);
        assertList("&q=" + id.substring(0, 30), id);
        assertThat(idsOf(list("&q=" + id.substring(0, 8)))).contains(id);
    }

    @Test
    void q_finds_an_event_by_any_part_of_its_id() {
        String id = ids.get(1);

        assertList("&q=" + id.substring(19, 31), id);
        assertList("&q=" + id.substring(20, 31), id);
        assertList("&q=-", ids.get(2), ids.get(1), ids.get(0));
        assertList("&q=xyz");
    }

    @Test
    void all_parameters_hold_at_once() {
        String id = ids.get(1);
        var at = receivedAt(id);

        assertList(
                "&verification_status=skipped&received_after=%s&received_before=%s&q=%s&page=1&limit=1"
                        .formatted(at, at.plusMillis(1), id.substring(0, 18)),
                id);
        assertList("&verification_status=failed&q=" + id);
        assertList("&received_after=%s&q=%s".formatted(at.plusMillis(1), id));
        assertList("&received_before=%s&q=%s".formatted(at, id.substring(20, 31)));
    }

    @Test
    void a_page_far_behind_the_end_is_empty_and_still_has_the_total() {
        var list = list("&page=10000000&limit=200");

        assertThat(idsOf(list)).isEmpty();
        assertThat(list.path("total").asInt()).isEqualTo(3);
    }

    @ParameterizedTest
    @CsvSource({
        "source_id=7,                     400, malformed_request",
        "received_after=yesterday,        400, malformed_request",
        "received_before=2026-03-01,      400, malformed_request",
        "verification_status=unverified,  422, validation_failed",
        "verification_status=Failed,      422, validation_failed",
        "limit=201,                       422, validation_failed",
        "page=0,                          422, validation_failed",
    })
    void what_cannot_be_read_or_is_out_of_bounds_is_refused(
            String parameter, int status, String code) {
        var answer = api.get("/api/v1/events?" + parameter);

        assertThat(answer.status()).isEqualTo(status);
        assertThat(answer.errorCode()).isEqualTo(code);
        assertThat(answer.errorMessage())
                .startsWith(parameter.substring(0, parameter.indexOf('=')));
    }

    @Test
    void an_empty_parameter_counts_as_absent() {
        assertList(
                "&verification_status=&received_after=&received_before=&q=",
                ids.get(2),
                ids.get(1),
                ids.get(0));
    }

    @Test
    void no_parameter_shows_anything_of_another_workspace() {
        var theirs = WorkspaceFixture.create(sluice, "business");
        String id = ids.get(1);
        for (String parameters :
                List.of(
                        "source_id=" + source,
                        "q=" + id,
                        "q=" + id.substring(0, 8),
                        "q=" + id.substring(20, 31),
                        "verification_status=skipped",
                        "received_after=2020-01-01T00:00:00Z")) {
            var list = theirs.get("/api/v1/events?" + parameters).json();

            assertThat(list.path("items")).as(parameters).isEmpty();
            assertThat(list.path("total").asInt(-1)).as(parameters).isZero();
        }
    }
}
