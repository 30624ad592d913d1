package dev.sluice.journey;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sluice.RunningSluice;
import dev.sluice.engine.DeliveryId;
import dev.sluice.engine.DeliveryStatus;
import dev.sluice.engine.EventId;
import dev.sluice.engine.commit.PartitionStore;
import dev.sluice.gateway.connection.ConnectionId;
import dev.sluice.gateway.source.SourceId;
import dev.sluice.platform.db.Db;
import dev.sluice.testkit.ApiClient;
import dev.sluice.testkit.FinishedDeliveries;
import dev.sluice.testkit.FinishedEvents;
import dev.sluice.testkit.GivenRows;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import tools.jackson.databind.JsonNode;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;

/// Tests how dead letters end: by a later success, by a dismissal, by a resend of what a filter
/// finds.
class ResolvedDeadLettersTest {

    @AutoClose private static final RunningSluice sluice = RunningSluice.start();
    @AutoClose private static final Db db = sluice.db();
    private static final ApiClient api = sluice.api();

    @BeforeAll
    static void makePartitions() {
        new PartitionStore(db).makeAhead(Instant.now().minus(Duration.ofDays(1)));
    }

    /// A source with connections whose destinations are paused, so that what is resent waits.
    private record FailingSource(SourceId source, List<ConnectionId> connections) {

        static FailingSource create(int connectionCount) {
            var source = api.source("s");
            var connections = new ArrayList<ConnectionId>();
            for (int i = 0; i < connectionCount; i++) {
                var destination =
                        api.destination("https://example.com/hook", ", 'status': 'paused'");
                connections.add(
                        new ConnectionId(
                                UUID.fromString(api.connect(source, destination).text("id"))));
            }
            return new FailingSource(new SourceId(UUID.fromString(source.text("id"))), connections);
        }

        List<EventId> fail(int connection, int count) {
            return FinishedEvents.insert(
                    db,
                    source,
                    connections.get(connection),
                    DeliveryStatus.FAILED,
                    Instant.now().minusSeconds(60),
                    count);
        }

        /// Adds the outcome of a resend.
        void resent(EventId event, int ordinal, DeliveryStatus status) {
            new FinishedDeliveries(db)
                    .add(
                            DeliveryId.of(event, DeliveryId.MIN_RESEND_ORDINAL + ordinal),
                            source,
                            connections.getFirst(),
                            status);
        }

        JsonNode list(String parameters) {
            return get("/api/v1/dlq?source_id=" + source + "&" + parameters);
        }

        JsonNode groups(String parameters) {
            return get("/api/v1/dlq/groups?source_id=" + source + "&" + parameters);
        }

        JsonNode post(String action, String fields) {
            var answer =
                    api.post(
                            "/api/v1/dlq/" + action,
                            "{'source_id':'" + source + "'" + fields + "}");
            assertThat(answer.status()).as(answer.body()).isIn(200, 202);
            return answer.json();
        }
    }

    private static JsonNode get(String path) {
        var answer = api.get(path);
        assertThat(answer.status()).as(answer.body()).isEqualTo(200);
        return answer.json();
    }

    private static int total(JsonNode list) {
        return list.path("total").asInt(-1);
    }

    @Test
    void a_later_success_resolves_and_a_later_failure_does_not() {
        var failing = FailingSource.create(1);
        var events = failing.fail(0, 3);
        failing.resent(events.get(0), 0, DeliveryStatus.SUCCEEDED);
        failing.resent(events.get(1), 0, DeliveryStatus.SUCCEEDED);
        failing.resent(events.get(1), 1, DeliveryStatus.FAILED);

        assertThat(total(failing.list(""))).isEqualTo(4);
        assertThat(total(failing.list("resolved=true"))).isEqualTo(1);
        assertThat(total(failing.list("resolved=false"))).isEqualTo(3);
        assertThat(total(get("/api/v1/sources/" + failing.source() + "/dlq?resolved=true")))
                .isEqualTo(1);
        var item = failing.list("resolved=true").path("items").path(0);
        assertThat(item.path("event_id").asString()).isEqualTo(events.getFirst().toString());
        assertThat(item.path("resolved").asBoolean()).isTrue();
        assertThat(item.path("latest_status").asString()).isEqualTo("succeeded");
        assertThat(failing.groups("").path("items").path(0).path("count").asInt()).isEqualTo(3);
        assertThat(failing.groups("resolved=true").path("items").path(0).path("count").asInt())
                .isEqualTo(1);
    }

    @Test
    void a_success_with_a_newer_resend_under_way_does_not_resolve() {
        var failing = FailingSource.create(1);
        var event = failing.fail(0, 1).getFirst();
        failing.resent(event, 0, DeliveryStatus.SUCCEEDED);
        assertThat(api.post("/api/v1/events/" + event + "/resend", "{}").status()).isEqualTo(202);

        assertThat(total(failing.list("resolved=true"))).isZero();
        assertThat(failing.list("").path("items").path(0).path("resolved").asBoolean(true))
                .isFalse();
    }

    @Test
    void the_summary_counts_what_is_resolved() {
        var failing = FailingSource.create(1);
        failing.resent(failing.fail(0, 3).getFirst(), 0, DeliveryStatus.SUCCEEDED);
        String path = "/api/v1/sources/" + failing.source() + "/dlq/summary";

        var open = get(path + "?resolved=false");

        assertThat(open.path("items").path(0).path("failed").asInt()).isEqualTo(2);
        assertThat(open.path("is_exact").asBoolean()).isTrue();
        assertThat(get(path).path("items").path(0).path("failed").asInt()).isEqualTo(3);
        assertThat(get(path).has("is_exact")).isFalse();
    }

    @Test
    void a_dismissal_resolves_and_can_be_taken_back() {
        var failing = FailingSource.create(2);
        var first = failing.fail(0, 3);
        failing.fail(1, 2);
        failing.resent(first.getFirst(), 0, DeliveryStatus.SUCCEEDED);

        var dismissed =
                failing.post(
                        "dismiss", ",'connection_id':'" + failing.connections().getFirst() + "'");

        assertThat(dismissed.path("dismissed").asInt()).as("one succeeded").isEqualTo(2);
        assertThat(dismissed.path("is_complete").asBoolean()).isTrue();
        assertThat(total(failing.list("resolved=false"))).isEqualTo(2);
        assertThat(total(failing.list("resolved=true"))).isEqualTo(3);
        assertThat(
                        failing.list("resolved=true")
                                .path("items")
                                .path(0)
                                .path("dismissed_at")
                                .asString())
                .endsWith("Z");
        assertThat(failing.post("dismiss", "").path("dismissed").asInt()).isEqualTo(2);
        assertThat(failing.groups("").path("total").asInt()).isZero();
        assertThat(failing.post("undismiss", ",'response_status':200").path("undismissed").asInt())
                .isZero();
        assertThat(failing.post("undismiss", ",'resolved':true").path("undismissed").asInt())
                .isEqualTo(4);
        assertThat(total(failing.list("resolved=true"))).isEqualTo(1);
    }

    @Test
    void a_filter_names_what_is_dismissed() {
        var failing = FailingSource.create(1);
        var events = failing.fail(0, 3);
        var late = Instant.now().minusSeconds(5);
        new FinishedDeliveries(db).failed(failing.source(), failing.connections().getFirst(), late);

        assertThat(count(failing, ",'error_code':'dns_failure'")).isZero();
        assertThat(count(failing, ",'status':['exhausted']")).isZero();
        assertThat(count(failing, ",'received_after':'" + late.plusSeconds(1) + "'")).isZero();
        assertThat(count(failing, ",'event_id':'" + events.getFirst() + "'")).isEqualTo(1);
        assertThat(count(failing, ",'received_before':'" + late.minusSeconds(1) + "'"))
                .isEqualTo(2);
    }

    private static int count(FailingSource failing, String fields) {
        return failing.post("dismiss", fields).path("dismissed").asInt();
    }

    @Test
    void dismissals_are_exact_while_deliveries_fail_and_succeed() {
        var failing = FailingSource.create(1);
        var events = failing.fail(0, 4_000);
        var isOver = new AtomicBoolean();
        var traffic =
                CompletableFuture.runAsync(() -> {
                    for (int i = 0; !isOver.get() && i < 200; i++) {
                        failing.resent(events.get(i), 0, DeliveryStatus.SUCCEEDED);
                        failLater(failing, events.get(1_000 + i));
                    }
                });
        var other = CompletableFuture.supplyAsync(() -> failing.post("dismiss", ""));
        int dismissed = failing.post("dismiss", "").path("dismissed").asInt();
        dismissed += other.join().path("dismissed").asInt();
        isOver.set(true);
        traffic.join();

        long rows =
                db.call(tx ->
                        tx.single(
                                "select count(*) as n from dismissal where source_id = ?",
                                row -> row.number("n"),
                                failing.source().value()));
        assertThat(dismissed).as("counted once").isEqualTo((int) rows);
        long later =
                db.call(tx ->
                        tx.single(
                                "select count(*) as n from dismissal where delivery_id = any (?)",
                                row -> row.number("n"),
                                events.stream()
                                        .map(event -> DeliveryId.of(event, 2).value())
                                        .toList()));
        assertThat(later).as("failed after the requests").isZero();
        assertThat(total(failing.list("resolved=false&status=failed"))).isZero();
    }

    /// A further failure of the event, which ends in the future: after any request of this test.
    private static void failLater(FailingSource failing, EventId event) {
        var row =
                new GivenRows.DeliveryRow(
                        DeliveryId.of(event, 2),
                        failing.source(),
                        failing.connections().getFirst(),
                        DeliveryStatus.EXHAUSTED,
                        Instant.now().plusSeconds(60));
        db.run(tx -> GivenRows.insertDeliveries(tx, List.of(row)));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
                    {'status':['succeeded']}       | status
                    {'source_id':'x'}              | source_id
                    {'error_code':'none'}          | error_code
                    {'response_status':99}         | response_status
                    {'received_after':'yesterday'} | received_after
                    {'received_after':'2026-02-01T00:00:00Z','received_before':'2026-01-01T00:00:00Z'} | received_after
                    {'page':1}                     | page
                    """)
    void a_wrong_filter_is_refused_with_the_fields_name(String body, String field) {
        for (String action : List.of("dismiss", "undismiss", "resend")) {
            var answer = api.post("/api/v1/dlq/" + action, body);

            assertThat(answer.status()).as(answer.body()).isEqualTo(422);
            assertThat(answer.errorMessage()).contains(field);
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
                    dismiss   | {'resolved':true}  | resolved must be false
                    undismiss | {'resolved':false} | resolved must be true
                    resend    | {'resolved':true}  | resolved must be false
                    dismiss   | {'q':'019a'}       | q
                    undismiss | {'q':'019a'}       | q
                    resend    | {'q':'019a'}       | q
                    resend    | {'limit':0}        | limit
                    resend    | {'per_second':0}   | per_second
                    resend    | {'per_second':'5'} | per_second
                    """)
    void a_wrong_field_is_refused(String action, String body, String message) {
        var answer = api.post("/api/v1/dlq/" + action, body);

        assertThat(answer.status()).as(answer.body()).isEqualTo(422);
        assertThat(answer.errorMessage()).contains(message);
    }

    @ParameterizedTest
    @ValueSource(strings = {"/api/v1/dlq", "/api/v1/dlq/groups"})
    void resolved_is_true_or_false(String path) {
        assertThat(api.get(path + "?resolved=yes").status()).isEqualTo(422);
    }

    @Test
    void what_a_filter_finds_is_resent_on_all_its_connections_up_to_a_limit() {
        var failing = FailingSource.create(3);
        for (int i = 0; i < 3; i++) {
            failing.fail(i, 4);
        }

        var counted = failing.post("resend", ",'dry_run':true");
        var five = failing.post("resend", ",'limit':5");
        awaitCompleted(five.path("replay_id").asString(), 5);
        var rest = failing.post("resend", "");
        var replay = awaitCompleted(rest.path("replay_id").asString(), 7);

        assertThat(counted.path("would_create").asInt()).isEqualTo(12);
        assertThat(five.path("created").asInt()).isEqualTo(5);
        assertThat(rest.path("created").asInt()).isEqualTo(7);
        assertThat(replay.path("connection_ids")).hasSize(2);
        var nothing = failing.post("resend", "");
        assertThat(nothing.path("created").asInt(-1)).isZero();
        assertThat(nothing.path("reason").asString()).contains("no unresolved dead letter");
    }

    private static JsonNode awaitCompleted(String replay, int created) {
        await().untilAsserted(() ->
                assertThat(replay(replay).path("status").asString()).isEqualTo("completed"));
        assertThat(replay(replay).path("created").asInt()).isEqualTo(created);
        return replay(replay);
    }

    private static JsonNode replay(String id) {
        return get("/api/v1/replays/" + id);
    }

    @Test
    void a_connection_that_is_disabled_is_left_out_and_named_as_the_reason() {
        var failing = FailingSource.create(1);
        failing.fail(0, 2);
        api.patch("/api/v1/connections/" + failing.connections().getFirst(), "{'enabled':false}");

        var answer = failing.post("resend", "");

        assertThat(answer.path("created").asInt(-1)).isZero();
        assertThat(answer.path("reason").asString()).contains("disabled or deleted");
    }

    @Test
    void a_replay_is_paused_resumed_slowed_and_named_in_the_audit_log() {
        var failing = FailingSource.create(1);
        failing.fail(0, 30);
        String path =
                "/api/v1/replays/"
                        + failing.post("resend", ",'per_second':1").path("replay_id").asString();

        var paused = api.post(path + "/pause", "");
        assertThat(paused.text("status")).as(paused.body()).isEqualTo("paused");
        assertThat(api.post(path + "/pause", "").status()).isEqualTo(409);
        var changed = api.patch(path, "{'per_second':null}");
        assertThat(changed.json().path("per_second").isNull()).isTrue();
        assertThat(api.patch(path, "{'per_second':0}").status()).isEqualTo(422);
        assertThat(api.post(path + "/resume", "").status()).isEqualTo(200);
        awaitCompleted(path.substring(path.lastIndexOf('/') + 1), 30);

        assertThat(api.post(path + "/resume", "").status()).isEqualTo(409);
        assertThat(api.patch(path, "{'per_second':5}").status()).isEqualTo(409);
        var actions =
                db.call(tx ->
                        tx.query(
                                "select action from audit_log where target_id = ? order by id",
                                row -> row.text("action"),
                                UUID.fromString(path.substring(path.lastIndexOf('/') + 1))));
        assertThat(actions)
                .containsExactly(
                        "replay.started", "replay.paused", "replay.updated", "replay.resumed");
    }
}
