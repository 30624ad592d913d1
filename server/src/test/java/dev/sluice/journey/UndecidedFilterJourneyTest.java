package dev.sluice.journey;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sluice.RunningSluice;
import dev.sluice.features.audit.AuditReport;
import dev.sluice.features.audit.DatabaseAuditor;
import dev.sluice.platform.db.Db;
import dev.sluice.testkit.ApiClient;
import dev.sluice.testkit.Receiver;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

import java.util.Collections;

/// Tests filters that take more effort than ingest may spend, from the API to the receiver.
class UndecidedFilterJourneyTest {

    /// Thirty rules, each of which compares a list of 200 zeros with every element of a long list.
    private static final String BOMB_FILTER = filter("or", "[" + "0,".repeat(199) + "0]", 30);

    private static final String PASSING_FILTER =
            BOMB_FILTER.replace("]}", ",{'path':'body.b','op':'eq','value':1}]}");

    private static final String BODY = "{\"b\":1,\"a\":[" + "[],".repeat(60_000) + "[]]}";

    @AutoClose private static final RunningSluice sluice = RunningSluice.start();
    @AutoClose private static final Db db = sluice.db();
    private static ApiClient api = sluice.api();

    @AutoClose private final Receiver receiver = Receiver.start();

    private static String filter(String operator, String value, int rules) {
        String rule = "{'path':'body.a','op':'contains','value':" + value + "}";
        return "{'operator':'%s','rules':[%s]}"
                .formatted(operator, String.join(",", Collections.nCopies(rules, rule)));
    }

    @Test
    void an_event_that_does_not_match_is_accepted_and_filtered_later() {
        var source = api.source("s");
        connect(source, BOMB_FILTER);

        var event = api.ingest(source.text("ingest_path"), BODY);

        var delivery = EventReader.delivery(api, event, "filtered");
        assertThat(delivery.path("attempts")).isEmpty();
        assertThat(delivery.path("attempt_count").asInt()).isZero();
        assertThat(delivery.path("reason").asString())
                .isEqualTo("Filtered: the connection's filter did not match.");
        assertThat(receiver.requests()).isEmpty();
        await().untilAsserted(() -> assertListedAsFiltered(source, event));
        assertThat(DatabaseAuditor.check(db)).matches(AuditReport::isClean);
    }

    private static void assertListedAsFiltered(
            ApiClient.ApiResponse source, ApiClient.ApiResponse event) {
        var item = api.get("/api/v1/events?source_id=" + source.text("id")).json().at("/items/0");
        assertThat(item.path("delivery_count").asInt()).isEqualTo(1);
        assertThat(item.path("pending_count").asInt()).isZero();
        assertThat(item.path("failed_count").asInt()).isZero();
        assertThat(item.path("delivered_count").asInt()).isZero();
        var list = api.get("/api/v1/sources/" + source.text("id") + "/dlq?status=filtered").json();
        assertThat(list.path("total").asInt()).isEqualTo(1);
        assertThat(list.at("/items/0/event_id").asString()).isEqualTo(event.text("request_id"));
        assertThat(list.at("/items/0/status").asString()).isEqualTo("filtered");
    }

    @Test
    void an_event_that_matches_is_delivered_and_other_connections_are_unaffected() {
        var source = api.source("s");
        connect(source, PASSING_FILTER);
        connect(source, "null");
        connect(source, "{'operator':'and','rules':[{'path':'body.b','op':'eq','value':2}]}");

        var event = api.ingest(source.text("ingest_path"), BODY);

        await().untilAsserted(() ->
                assertThat(EventReader.detail(api, event).path("deliveries"))
                        .extracting(delivery -> delivery.path("status").asString())
                        .containsExactlyInAnyOrder("succeeded", "succeeded", "filtered"));
        assertThat(receiver.requests()).hasSize(2);
    }

    @Test
    void what_is_undecided_outlives_a_stop_and_the_filter_at_its_decision_counts() {
        var source = api.source("s");
        var kept = connect(source, BOMB_FILTER);
        var changed = connect(source, BOMB_FILTER);
        pause(source, "paused");

        var event = api.ingest(source.text("ingest_path"), BODY);
        assertThat(undecided()).isEqualTo(2);
        sluice.restart();
        api = sluice.api();
        assertThat(undecided()).isEqualTo(2);
        api.patch("/api/v1/connections/" + changed.text("id"), "{'filter_rules': null}");
        pause(source, "active");

        await().untilAsserted(() -> {
            assertThat(status(event, kept)).isEqualTo("filtered");
            assertThat(status(event, changed)).isEqualTo("succeeded");
        });
        assertThat(receiver.requests()).hasSize(1);
    }

    @Test
    void a_resend_ignores_the_filter() {
        var source = api.source("s");
        var connection = connect(source, BOMB_FILTER);
        var event = api.ingest(source.text("ingest_path"), BODY);
        EventReader.delivery(api, event, "filtered");

        var resent = api.post("/api/v1/events/" + event.text("request_id") + "/resend", "{}");

        assertThat(resent.status()).as(resent.body()).isLessThan(300);
        await().untilAsserted(() -> assertThat(receiver.requests()).hasSize(1));
        assertThat(EventReader.detail(api, event).path("deliveries"))
                .allMatch(delivery ->
                        delivery.path("connection_id").asString().equals(connection.text("id")));
    }

    private static void pause(ApiClient.ApiResponse source, String status) {
        api.patch("/api/v1/sources/" + source.text("id"), "{'status': '" + status + "'}");
    }

    private static int undecided() {
        return db.call(tx ->
                tx.single(
                        "select count(*) as n from delivery_work where undecided",
                        row -> row.integer("n")));
    }

    private static String status(ApiClient.ApiResponse event, ApiClient.ApiResponse connection) {
        for (var delivery : EventReader.detail(api, event).path("deliveries")) {
            if (delivery.path("connection_id").asString().equals(connection.text("id"))) {
                return delivery.path("status").asString();
            }
        }
        throw new AssertionError("the event has no delivery on this connection");
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
}
