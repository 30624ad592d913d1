package dev.sluice.journey;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sluice.RunningSluice;
import dev.sluice.engine.DeliveryId;
import dev.sluice.engine.DeliveryStatus;
import dev.sluice.engine.ErrorCode;
import dev.sluice.engine.EventId;
import dev.sluice.engine.commit.PartitionStore;
import dev.sluice.gateway.connection.ConnectionId;
import dev.sluice.gateway.source.SourceId;
import dev.sluice.platform.db.Db;
import dev.sluice.testkit.ApiClient;
import dev.sluice.testkit.EventsOfDeliveries;
import dev.sluice.testkit.FinishedDeliveries;
import dev.sluice.testkit.FinishedDeliveries.FinishedDelivery;
import dev.sluice.testkit.GivenRows;
import dev.sluice.testkit.Receiver;
import dev.sluice.testkit.Some;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import tools.jackson.databind.JsonNode;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/// Tests the dead letter API over HTTP.
class DeadLetterTest {

    private static final String UNREACHED_URL = "https://example.com/hook";

    @AutoClose private static final RunningSluice sluice = RunningSluice.start();
    @AutoClose private static final Db db = sluice.db();
    private static final ApiClient api = sluice.api();

    @SuppressWarnings("TimeInStaticInitializer") // the server of this class starts right after
    private static final Instant now = Instant.now().truncatedTo(ChronoUnit.MILLIS);

    @BeforeAll
    static void makePartitions() {
        EventsOfDeliveries.insertAlways(db);
        for (int days : new int[] {31, 21, 11, 5, 1}) {
            new PartitionStore(db).makeAhead(now.minus(Duration.ofDays(days)));
        }
    }

    /// A source with one connection, in the first workspace or another.
    private record DeadLetterFixture(ApiClient client, SourceId source, ConnectionId connection) {

        static DeadLetterFixture create() {
            return create(api);
        }

        static DeadLetterFixture create(ApiClient api) {
            return from(api, api.source("s"));
        }

        private static DeadLetterFixture from(ApiClient api, ApiClient.ApiResponse source) {
            var destination = api.destination(UNREACHED_URL, ", 'status': 'paused'");
            var connection = api.connect(source, destination);
            return new DeadLetterFixture(
                    api,
                    new SourceId(UUID.fromString(source.text("id"))),
                    new ConnectionId(UUID.fromString(connection.text("id"))));
        }

        /// Makes another connection of the same source.
        DeadLetterFixture withFurtherConnection() {
            return from(client, client.get("/api/v1/sources/" + source));
        }

        String path() {
            return "/api/v1/sources/" + source + "/dlq";
        }

        JsonNode list(String parameters) {
            var answer = client.get(path() + "?" + parameters);
            assertThat(answer.status()).as(answer.body()).isEqualTo(200);
            return answer.json();
        }

        JsonNode only() {
            var list = list("");
            assertThat(list.path("items")).hasSize(1);
            return list.path("items").get(0);
        }

        FinishedDelivery end(DeliveryId id, DeliveryStatus status) {
            return new FinishedDeliveries(db).add(id, source, connection, status);
        }

        FinishedDelivery failed(Instant at) {
            return new FinishedDeliveries(db).failed(source, connection, at);
        }

        void assertList(String parameters, FinishedDelivery... expected) {
            var list = list(parameters);
            assertThat(ids(list))
                    .as(parameters)
                    .containsExactly(
                            List.of(expected).stream()
                                    .map(end -> end.id().toString())
                                    .toArray(String[]::new));
            assertThat(list.path("total").asInt(-1)).as(parameters).isEqualTo(expected.length);
            assertThat(list.has("total_is_exact")).isFalse();
        }
    }

    private static List<String> ids(JsonNode list) {
        return list.path("items")
                .valueStream()
                .map((JsonNode item) -> item.path("id").asString())
                .toList();
    }

    private static DeliveryId id(Instant at) {
        return DeliveryId.of(Some.eventId(at), 1);
    }

    private static Instant ago(int minutes) {
        return now.minus(Duration.ofMinutes(minutes));
    }

    @Test
    void what_a_destination_refused_is_listed_with_all_that_is_known() throws IOException {
        try (var receiver = Receiver.start()) {
            receiver.willAnswer(410);
            var source = api.source("s");
            var destination = api.destination(receiver.url(), "");
            var connection = api.connect(source, destination);
            var event = api.ingest(source.text("ingest_path"), "{}");
            var delivery = EventReader.delivery(api, event, "failed");
            String path = "/api/v1/sources/" + source.text("id") + "/dlq";
            await().until(() -> api.get(path).json().path("total").asInt() == 1);

            var item = api.get(path).json().path("items").get(0);

            assertThat(item.path("id").asString()).isEqualTo(delivery.path("id").asString());
            assertThat(item.path("event_id").asString()).isEqualTo(event.text("request_id"));
            assertThat(item.path("source_id").asString()).isEqualTo(source.text("id"));
            assertThat(item.path("connection_id").asString()).isEqualTo(connection.text("id"));
            assertThat(item.path("destination_id").asString()).isEqualTo(destination.text("id"));
            assertThat(item.path("destination_name").asString()).isEqualTo("d");
            assertThat(item.path("status").asString()).isEqualTo("failed");
            assertThat(item.path("latest_status").asString()).isEqualTo("failed");
            assertThat(item.path("trigger").asString()).isEqualTo("ingest");
            assertThat(item.path("attempt_count").asInt()).isEqualTo(1);
            assertThat(item.path("last_error").asString()).isEqualTo("Destination answered 410");
            assertThat(item.path("last_error_code").asString()).isEqualTo("http_status");
            assertThat(item.path("last_response_status").asInt()).isEqualTo(410);
            assertThat(item.path("last_latency_ms"))
                    .isEqualTo(delivery.path("attempts").get(0).path("latency_ms"));
            assertThat(item.path("reason").asString())
                    .isEqualTo(delivery.path("reason").asString())
                    .contains("410");
            assertThat(item.path("created_at").asString())
                    .isEqualTo(item.path("received_at").asString())
                    .isEqualTo(delivery.path("created_at").asString());
            assertThat(item.path("finished_at").asString())
                    .isEqualTo(delivery.path("finished_at").asString());
        }
    }

    @Test
    void a_delivery_whose_retries_are_used_up_is_listed_as_exhausted() throws IOException {
        try (var receiver = Receiver.start()) {
            receiver.willAnswer(503, 503);
            var source = api.source("s");
            api.connect(
                    source,
                    api.destination(
                            receiver.url(), ", 'retry_policy': {'intervals_seconds': [1]}"));
            var event = api.ingest(source.text("ingest_path"), "{}");
            EventReader.delivery(api, event, "exhausted");

            var item =
                    api.get("/api/v1/sources/" + source.text("id") + "/dlq?status=exhausted")
                            .json()
                            .path("items")
                            .get(0);

            assertThat(item.path("event_id").asString()).isEqualTo(event.text("request_id"));
            assertThat(item.path("attempt_count").asInt()).isEqualTo(2);
            assertThat(item.path("last_response_status").asInt()).isEqualTo(503);
        }
    }

    @Test
    void status_chooses_among_the_ways_to_end() {
        var fixture = DeadLetterFixture.create();
        var exhausted = fixture.end(id(ago(1)), DeliveryStatus.EXHAUSTED);
        var failed = fixture.end(id(ago(2)), DeliveryStatus.FAILED);
        var succeeded = fixture.end(id(ago(3)), DeliveryStatus.SUCCEEDED);
        var filtered =
                new FinishedDeliveries(db)
                        .filtered(fixture.source(), ago(4), List.of(fixture.connection()), 0)
                        .getFirst();

        fixture.assertList("", exhausted, failed);
        fixture.assertList("status=", exhausted, failed);
        fixture.assertList("status=exhausted,failed", exhausted, failed);
        fixture.assertList("status=exhausted", exhausted);
        fixture.assertList("status=failed", failed);
        fixture.assertList("status=succeeded", succeeded);
        fixture.assertList("status=filtered", filtered);
        fixture.assertList("status=filtered,%20succeeded,filtered", succeeded, filtered);
        fixture.assertList(
                "status=succeeded,failed,exhausted,filtered",
                exhausted,
                failed,
                succeeded,
                filtered);
    }

    @Test
    void what_a_filter_kept_back_has_the_id_that_the_events_detail_shows() {
        var source = api.source("s");
        var destination = api.destination(UNREACHED_URL, "");
        var connection =
                api.post(
                        "/api/v1/connections",
                        """
                        {'source_id': '%s', 'destination_id': '%s', 'filter_rules': {'operator': 'and',
                         'rules': [{'path': 'body.a', 'op': 'exists'}]}}
                        """
                                .formatted(source.text("id"), destination.text("id")));
        api.connect(source, api.destination(UNREACHED_URL, ", 'status': 'paused'"));
        var event = api.ingest(source.text("ingest_path"), "{}");

        var list = api.get("/api/v1/sources/" + source.text("id") + "/dlq?status=filtered").json();

        var shown =
                EventReader.detail(api, event)
                        .path("deliveries")
                        .valueStream()
                        .filter(delivery -> delivery.path("status").asString().equals("filtered"))
                        .findFirst()
                        .orElseThrow();
        assertThat(list.path("total").asInt()).isEqualTo(1);
        var item = list.path("items").get(0);
        assertThat(item.path("id")).isEqualTo(shown.path("id"));
        assertThat(item.path("reason")).isEqualTo(shown.path("reason"));
        assertThat(item.path("finished_at")).isEqualTo(shown.path("finished_at"));
        assertThat(item.path("connection_id").asString()).isEqualTo(connection.text("id"));
        assertThat(item.path("destination_name").asString()).isEqualTo("d");
        assertThat(item.path("last_error").isNull()).isTrue();
    }

    @Test
    void received_after_is_inclusive_and_received_before_exclusive() {
        var fixture = DeadLetterFixture.create();
        var newest = fixture.failed(ago(70));
        var middle = fixture.failed(ago(80));
        var oldest = fixture.failed(ago(190));
        var at = middle.receivedAt();

        fixture.assertList("", newest, middle, oldest);
        fixture.assertList("received_after=" + at, newest, middle);
        fixture.assertList("received_before=" + at, oldest);
        fixture.assertList(
                "received_after=%s&received_before=%s".formatted(at, at.plusMillis(1)), middle);
        fixture.assertList(
                "received_after=%s&received_before=%s".formatted(at, oldest.receivedAt()));
    }

    @Test
    void pages_are_cut_and_keep_the_total() {
        var fixture = DeadLetterFixture.create();
        var ends =
                List.of(fixture.failed(ago(10)), fixture.failed(ago(11)), fixture.failed(ago(700)));

        var second = fixture.list("limit=2&page=2");
        var behind = fixture.list("page=10000000&limit=200");

        assertThat(ids(second)).containsExactly(ends.get(2).id().toString());
        assertThat(second.path("total").asInt()).isEqualTo(3);
        assertThat(behind.path("items")).isEmpty();
        assertThat(behind.path("total").asInt()).isEqualTo(3);
    }

    @Test
    void a_connection_a_destination_a_code_or_an_answer_narrows_the_list() {
        var fixture = DeadLetterFixture.create();
        var beside = fixture.withFurtherConnection();
        var one = fixture.failed(ago(5));
        var other = beside.failed(ago(6));
        var unreachable =
                new FinishedDelivery(
                        id(ago(7)),
                        fixture.source(),
                        fixture.connection(),
                        DeliveryStatus.FAILED,
                        Optional.of(ErrorCode.CONNECTION_DELETED),
                        Optional.empty());
        new FinishedDeliveries(db).add(List.of(unreachable));
        String destination =
                api.get("/api/v1/connections/" + beside.connection()).text("destination_id");

        fixture.assertList("", one, other, unreachable);
        fixture.assertList("connection_id=" + fixture.connection(), one, unreachable);
        fixture.assertList("destination_id=" + destination, other);
        fixture.assertList("error_code=http_status", one, other);
        fixture.assertList("error_code=connection_deleted", unreachable);
        fixture.assertList("response_status=410&connection_id=" + fixture.connection(), one);
        fixture.assertList("connection_id=" + UUID.randomUUID());
        var item = fixture.list("error_code=connection_deleted").path("items").get(0);
        assertThat(item.path("last_error").asString())
                .isEqualTo("the connection was deleted before this could be delivered");
        assertThat(item.path("last_response_status").isNull()).isTrue();
        assertThat(item.path("attempt_count").asInt(-1)).isZero();
    }

    @Test
    void latest_status_is_that_of_the_newest_delivery_of_the_event_on_that_connection() {
        var fixture = DeadLetterFixture.create();
        var beside = fixture.withFurtherConnection();
        var event = Some.eventId(ago(3));
        fixture.end(DeliveryId.of(event, 1), DeliveryStatus.EXHAUSTED);
        beside.end(DeliveryId.of(event, DeliveryId.MAX_ORDINAL), DeliveryStatus.SUCCEEDED);

        assertThat(fixture.only().path("latest_status").asString()).isEqualTo("exhausted");

        addWork(fixture, event, DeliveryId.MIN_RESEND_ORDINAL);
        assertThat(fixture.only().path("latest_status").asString()).isEqualTo("pending");

        db.run(tx ->
                tx.update(
                        "delete from delivery_work where source_id = ?", fixture.source().value()));
        fixture.end(DeliveryId.of(event, DeliveryId.MIN_RESEND_ORDINAL), DeliveryStatus.SUCCEEDED);
        assertThat(fixture.only().path("latest_status").asString()).isEqualTo("succeeded");
    }

    /// Inserts a waiting delivery, as a resend does.
    private static void addWork(DeadLetterFixture fixture, EventId event, int ordinal) {
        var row =
                GivenRows.WorkRow.waiting(
                                DeliveryId.of(event, ordinal),
                                fixture.source(),
                                fixture.connection(),
                                now.plus(Duration.ofDays(1)))
                        .withCreatedAt(now);
        db.run(tx -> GivenRows.insertWork(tx, List.of(row)));
    }

    @Test
    void a_resend_that_fails_is_a_dead_letter_of_its_own() {
        var fixture = DeadLetterFixture.create();
        var event = Some.eventId(ago(3));
        var first = fixture.end(DeliveryId.of(event, 1), DeliveryStatus.FAILED);
        var again =
                fixture.end(
                        DeliveryId.of(event, DeliveryId.MIN_RESEND_ORDINAL),
                        DeliveryStatus.EXHAUSTED);

        fixture.assertList("", again, first);
        var items = fixture.list("").path("items");
        assertThat(items.get(0).path("trigger").asString()).isEqualTo("resend");
        assertThat(items.get(0).path("latest_status").asString()).isEqualTo("exhausted");
        assertThat(items.get(1).path("trigger").asString()).isEqualTo("ingest");
        assertThat(items.get(1).path("latest_status").asString()).isEqualTo("exhausted");
        assertThat(items.get(0).path("event_id")).isEqualTo(items.get(1).path("event_id"));
    }

    @Test
    void the_summary_counts_for_each_connection() {
        var fixture = DeadLetterFixture.create();
        var beside = fixture.withFurtherConnection();
        fixture.failed(ago(1));
        fixture.failed(ago(200));
        fixture.end(id(ago(2)), DeliveryStatus.EXHAUSTED);
        fixture.end(id(ago(3)), DeliveryStatus.SUCCEEDED);

        var items = api.get(fixture.path() + "/summary").json().path("items");

        assertThat(items).hasSize(2);
        assertThat(items.get(0).path("connection_id").asString())
                .isEqualTo(beside.connection().toString());
        assertThat(items.get(0).path("failed").asInt(-1)).isZero();
        assertThat(items.get(1).path("connection_id").asString())
                .isEqualTo(fixture.connection().toString());
        assertThat(items.get(1).path("destination_name").asString()).isEqualTo("d");
        assertThat(items.get(1).path("exhausted").asInt()).isEqualTo(1);
        assertThat(items.get(1).path("failed").asInt()).isEqualTo(2);
    }

    @Test
    void a_deleted_connection_keeps_its_dead_letters() {
        var fixture = DeadLetterFixture.create();
        var beside = fixture.withFurtherConnection();
        var end = fixture.failed(ago(1));
        api.delete("/api/v1/connections/" + fixture.connection());
        api.delete("/api/v1/connections/" + beside.connection());

        fixture.assertList("", end);
        assertThat(fixture.only().path("destination_name").asString()).isEqualTo("d");
        var items = api.get(fixture.path() + "/summary").json().path("items");
        assertThat(items).as("the other has nothing to show").hasSize(1);
        assertThat(items.get(0).path("connection_id").asString())
                .isEqualTo(fixture.connection().toString());
    }

    @Test
    void dead_letters_of_all_sources_are_listed_together() {
        var theirs = WorkspaceFixture.create(sluice, "business");
        var one = DeadLetterFixture.create(theirs);
        var other = DeadLetterFixture.create(theirs);
        var newest = one.failed(ago(1));
        var middle = other.end(id(ago(2)), DeliveryStatus.EXHAUSTED);
        var oldest = one.failed(ago(3));

        assertThat(ids(theirs.get("/api/v1/dlq").json()))
                .containsExactly(
                        newest.id().toString(), middle.id().toString(), oldest.id().toString());
        assertAll(theirs, "source_id=" + one.source(), newest, oldest);
        assertAll(theirs, "connection_id=" + other.connection(), middle);
        assertAll(theirs, "error_code=http_status&response_status=410", newest, middle, oldest);
        assertAll(theirs, "error_code=tls_failed");
        assertAll(theirs, "status=exhausted", middle);
        assertAll(theirs, "received_before=" + newest.receivedAt(), middle, oldest);
        String destination =
                theirs.get("/api/v1/connections/" + one.connection()).text("destination_id");
        assertAll(theirs, "destination_id=" + destination, newest, oldest);
        assertAll(theirs, "source_id=" + UUID.randomUUID());
        theirs.delete("/api/v1/sources/" + one.source());
        assertAll(theirs, "", middle);
    }

    private static void assertAll(ApiClient api, String parameters, FinishedDelivery... expected) {
        var list = api.get("/api/v1/dlq?" + parameters).json();
        assertThat(ids(list))
                .as(parameters)
                .containsExactlyElementsOf(
                        List.of(expected).stream().map(end -> end.id().toString()).toList());
        assertThat(list.path("total").asInt(-1)).as(parameters).isEqualTo(expected.length);
    }

    @Test
    void groups_say_what_went_wrong_how_often_and_when() {
        var theirs = WorkspaceFixture.create(sluice, "business");
        var one = DeadLetterFixture.create(theirs);
        var other = DeadLetterFixture.create(theirs);
        one.failed(ago(100));
        one.end(id(ago(30)), DeliveryStatus.EXHAUSTED);
        var newest = one.failed(ago(10));
        other.failed(ago(5));

        var groups = theirs.get("/api/v1/dlq/groups").json();

        assertThat(groups.path("total").asInt()).isEqualTo(2);
        assertThat(groups.path("looked_at").asInt()).isEqualTo(4);
        assertThat(groups.path("is_exact").asBoolean()).isTrue();
        var largest = groups.path("items").get(0);
        assertThat(largest.path("count").asInt()).isEqualTo(3);
        assertThat(largest.path("destination_name").asString()).isEqualTo("d");
        assertThat(largest.path("error_code").asString()).isEqualTo("http_status");
        assertThat(largest.path("response_status").asInt()).isEqualTo(410);
        assertThat(Instant.parse(largest.path("first_seen").asString())).isEqualTo(ago(99));
        assertThat(Instant.parse(largest.path("last_seen").asString())).isEqualTo(ago(9));
        assertThat(largest.path("example_delivery_id").asString())
                .isEqualTo(newest.id().toString());
        assertThat(largest.path("example_event_id").asString())
                .isEqualTo(newest.id().event().toString());

        assertThat(groups(theirs, "source_id=" + other.source())).isEqualTo(new GroupCounts(1, 1));
        assertThat(groups(theirs, "status=exhausted")).isEqualTo(new GroupCounts(1, 1));
        assertThat(groups(theirs, "received_after=" + ago(31))).isEqualTo(new GroupCounts(2, 3));
        assertThat(groups(theirs, "received_before=" + ago(31))).isEqualTo(new GroupCounts(1, 1));
        assertThat(groups(theirs, "connection_id=" + one.connection()))
                .isEqualTo(new GroupCounts(1, 3));
        assertThat(groups(theirs, "error_code=dns_failure")).isEqualTo(new GroupCounts(0, 4));
        var second = theirs.get("/api/v1/dlq/groups?limit=1&page=2").json();
        assertThat(second.path("items").get(0).path("count").asInt()).isEqualTo(1);
        assertThat(second.path("total").asInt()).isEqualTo(2);
    }

    /// The number of matching groups, and the number of deliveries scanned to find them.
    private record GroupCounts(int total, int lookedAt) {}

    private static GroupCounts groups(ApiClient api, String parameters) {
        var groups = api.get("/api/v1/dlq/groups?" + parameters).json();
        return new GroupCounts(groups.path("total").asInt(), groups.path("looked_at").asInt());
    }

    @Test
    void what_is_past_the_plans_retention_is_neither_listed_nor_counted() {
        var free = WorkspaceFixture.create(sluice, "free");
        var fixture = DeadLetterFixture.create(free);
        var kept = fixture.failed(now.minus(Duration.ofDays(3)).plus(Duration.ofMinutes(5)));
        fixture.failed(now.minus(Duration.ofDays(3)).minus(Duration.ofMinutes(5)));
        fixture.failed(now.minus(Duration.ofDays(20)));
        new FinishedDeliveries(db)
                .filtered(
                        fixture.source(),
                        now.minus(Duration.ofDays(20)),
                        List.of(fixture.connection()),
                        0);

        fixture.assertList("", kept);
        fixture.assertList("status=filtered");
        fixture.assertList("received_after=2020-01-01T00:00:00Z", kept);
        assertAll(free, "", kept);
        var counts = free.get(fixture.path() + "/summary").json().path("items").get(0);
        assertThat(counts.path("failed").asInt()).isEqualTo(1);
        assertThat(groups(free, "")).isEqualTo(new GroupCounts(1, 1));
    }

    @Test
    void under_a_trashed_source_there_is_nothing_until_it_is_restored() {
        var fixture = DeadLetterFixture.create();
        var end = fixture.failed(ago(1));
        api.delete("/api/v1/sources/" + fixture.source());

        assertThat(api.get(fixture.path()).status()).isEqualTo(404);
        assertThat(api.get(fixture.path() + "/summary").status()).isEqualTo(404);
        assertAll(api, "source_id=" + fixture.source());

        api.post("/api/v1/sources/" + fixture.source() + "/restore", "");
        fixture.assertList("", end);
    }

    @Test
    void anothers_dead_letters_are_not_found() {
        var fixture = DeadLetterFixture.create();
        fixture.failed(ago(1));
        var theirs = WorkspaceFixture.create(sluice, "business");

        for (String path : List.of(fixture.path(), fixture.path() + "/summary")) {
            assertThat(api.get(path).status()).isEqualTo(200);
            assertThat(theirs.get(path).status()).isEqualTo(404);
        }
        for (String parameters :
                List.of(
                        "",
                        "source_id=" + fixture.source(),
                        "connection_id=" + fixture.connection(),
                        "error_code=http_status")) {
            assertAll(theirs, parameters);
            assertThat(groups(theirs, parameters)).isEqualTo(new GroupCounts(0, 0));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"sources/SOURCE/dlq", "dlq", "dlq/groups"})
    void every_wrong_parameter_is_named(String path) {
        var answer =
                api.get(
                        "/api/v1/"
                                + path.replace(
                                        "SOURCE", DeadLetterFixture.create().source().toString())
                                + "?status=pending&error_code=bad&limit=0&page=0&response_status=7");

        assertThat(answer.status()).isEqualTo(422);
        assertThat(
                        answer.json()
                                .path("error")
                                .path("details")
                                .valueStream()
                                .map(detail -> detail.path("field").asString()))
                .containsExactlyInAnyOrder(
                        "page", "limit", "status", "error_code", "response_status");
    }

    @ParameterizedTest
    @CsvSource({
        "sources/SOURCE/dlq, status=pending,             422, validation_failed",
        "sources/SOURCE/dlq, status=delivering,          422, validation_failed",
        "sources/SOURCE/dlq, status=Failed,              422, validation_failed",
        "sources/SOURCE/dlq, 'status=failed,',           422, validation_failed",
        "sources/SOURCE/dlq, 'status=failed,gone',       422, validation_failed",
        "sources/SOURCE/dlq, connection_id=7,            400, malformed_request",
        "sources/SOURCE/dlq, destination_id=7,           400, malformed_request",
        "sources/SOURCE/dlq, received_after=yesterday,   400, malformed_request",
        "sources/SOURCE/dlq, received_before=2026-03-01, 400, malformed_request",
        "sources/SOURCE/dlq, error_code=http,            422, validation_failed",
        "sources/SOURCE/dlq, limit=201,                  422, validation_failed",
        "dlq,                source_id=7,                400, malformed_request",
        "dlq,                response_status=ok,         400, malformed_request",
        "dlq/groups,         status=succeeded,           422, validation_failed",
        "dlq/groups,         status=filtered,            422, validation_failed",
    })
    void what_cannot_be_read_or_is_out_of_bounds_is_refused(
            String path, String parameter, int status, String code) {
        var answer =
                api.get(
                        "/api/v1/"
                                + path.replace(
                                        "SOURCE", DeadLetterFixture.create().source().toString())
                                + "?"
                                + parameter);

        assertThat(answer.status()).isEqualTo(status);
        assertThat(answer.errorCode()).isEqualTo(code);
        assertThat(answer.errorMessage())
                .startsWith(parameter.substring(0, parameter.indexOf('=')));
    }

    @ParameterizedTest
    @ValueSource(strings = {"7", "018f0000-0000-7000-8000-000000000000"})
    void a_source_that_does_not_exist_is_not_found(String id) {
        assertThat(api.get("/api/v1/sources/" + id + "/dlq").status()).isEqualTo(404);
        assertThat(api.get("/api/v1/sources/" + id + "/dlq/summary").status()).isEqualTo(404);
    }
}
