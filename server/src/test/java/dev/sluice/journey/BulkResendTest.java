package dev.sluice.journey;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sluice.RunningSluice;
import dev.sluice.engine.DeliveryId;
import dev.sluice.engine.DeliveryStatus;
import dev.sluice.engine.EventId;
import dev.sluice.engine.commit.PartitionStore;
import dev.sluice.features.audit.AuditReport;
import dev.sluice.features.audit.DatabaseAuditor;
import dev.sluice.gateway.connection.ConnectionId;
import dev.sluice.gateway.source.SourceId;
import dev.sluice.platform.db.Db;
import dev.sluice.testkit.ApiClient;
import dev.sluice.testkit.FinishedEvents;
import dev.sluice.testkit.ManualClock;
import dev.sluice.testkit.Receiver;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import tools.jackson.databind.JsonNode;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Collectors;

/// Tests bulk resends: all failed deliveries of a connection are sent again.
class BulkResendTest {

    private static final String BULK_RESEND_PATH = "/api/v1/deliveries/resend-bulk";
    private static final Duration AWAIT_TIMEOUT = Duration.ofSeconds(90);

    private static final ManualClock clock = ManualClock.ofNow();
    @AutoClose private static final RunningSluice sluice = RunningSluice.start(clock);
    @AutoClose private static final Db db = sluice.db();
    private static final ApiClient api = sluice.api();

    private Receiver receiver;
    private ApiClient.ApiResponse source;
    private ApiClient.ApiResponse destination;
    private ApiClient.ApiResponse connection;

    @AfterAll
    static void audit() {
        assertThat(DatabaseAuditor.check(db)).matches(AuditReport::isClean);
    }

    @BeforeEach
    void open() {
        clock.advance(Duration.ofSeconds(61)); // each test has its own minute of the rate limit
        receiver = Receiver.start();
        source = api.source("s");
        destination = api.destination(receiver.url(), ", 'max_in_flight': 64, 'status': 'paused'");
        connection = api.connect(source, destination);
    }

    @AfterEach
    void shut() throws IOException {
        patch("destinations", destination, "{'status': 'paused'}");
        receiver.close();
    }

    @Test
    void what_is_exhausted_is_resent_where_nothing_else_is_asked_for() {
        var exhausted = ended(DeliveryStatus.EXHAUSTED, 3);
        ended(DeliveryStatus.FAILED, 2);
        ended(DeliveryStatus.SUCCEEDED, 1);
        patch("destinations", destination, "{'status': 'active'}");

        var answer = bulk("");

        assertThat(answer.status()).isEqualTo(202);
        assertThat(answer.body()).isEqualTo("{\"created\":3,\"is_exact\":true}");
        await().atMost(AWAIT_TIMEOUT).until(() -> receiver.requests().size() == 3);
        assertThat(receivedIds()).containsExactlyInAnyOrderElementsOf(texts(exhausted));
        assertThat(api.get("/api/v1/replays").json().path("items").toString())
                .doesNotContain(connection.text("id"));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
                    'failed'                          | 2
                    'failed', 'exhausted'             | 5
                    'succeeded'                       | 1
                    'succeeded', 'failed', 'failed'   | 3
                    """,
            quoteCharacter = '"')
    void statuses_are_chosen(String statuses, int created) {
        ended(DeliveryStatus.EXHAUSTED, 3);
        ended(DeliveryStatus.FAILED, 2);
        ended(DeliveryStatus.SUCCEEDED, 1);

        assertThat(created(bulk(", 'statuses': [" + statuses + "]"))).isEqualTo(created);
        assertThat(waiting()).isEqualTo(created);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                ", 'statuses': [], 'since': null, 'until': null, 'dry_run': null",
                ", 'statuses': null"
            })
    void null_and_an_empty_list_count_as_left_out(String more) {
        ended(DeliveryStatus.EXHAUSTED, 2);
        ended(DeliveryStatus.FAILED, 1);

        assertThat(created(bulk(more))).isEqualTo(2);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '"',
            textBlock =
                    """
                    , 'statuses': 'failed'                | statuses   | must be a list of 0 to 10 strings.
                    , 'statuses': ['failed', 'pending']   | statuses.1 | must be one of exhausted, failed, succeeded.
                    , 'statuses': [4]                     | statuses.0 | must be a string.
                    , 'since': 'yesterday'                | since      | must be a time as in RFC 3339, such as 2026-03-01T12:00:00Z.
                    , 'until': '2026-02-30T00:00:00Z'     | until      | must be a time as in RFC 3339, such as 2026-03-01T12:00:00Z.
                    , 'since': 7                          | since      | must be a string.
                    , 'since': '2026-03-02T00:00:00Z', 'until': '2026-03-01T00:00:00Z' | since | must not be after until.
                    , 'dry_run': 'yes'                    | dry_run    | must be true or false.
                    , 'filter': {}                        | filter     | is not a known field.
                    """)
    void what_cannot_be_asked_for_is_refused(String more, String field, String message) {
        var answer = bulk(more);

        assertThat(answer.status()).isEqualTo(422);
        assertThat(answer.json().path("error").path("details").path(0).path("field").asString())
                .isEqualTo(field);
        assertThat(answer.errorMessage()).isEqualTo(field + " " + message);
    }

    @Test
    void a_connection_is_needed_that_is_there() {
        var missing = api.post(BULK_RESEND_PATH, "{}");
        assertThat(missing.status()).isEqualTo(422);
        assertThat(missing.errorMessage()).isEqualTo("connection_id is required.");
        var unknown = api.post(BULK_RESEND_PATH, "{'connection_id': '" + UUID.randomUUID() + "'}");
        assertThat(unknown.status()).isEqualTo(404);
        assertThat(unknown.errorMessage()).isEqualTo("There is no such connection.");
        api.delete("/api/v1/sources/" + source.text("id"));
        assertThat(bulk("").status()).isEqualTo(404);
        api.post("/api/v1/sources/" + source.text("id") + "/restore", "{}");
        api.delete("/api/v1/connections/" + connection.text("id"));
        assertThat(bulk("").status()).isEqualTo(404);
    }

    @Test
    void what_is_anothers_is_not_found() {
        ended(DeliveryStatus.EXHAUSTED, 2_001);
        String replay = bulk("").text("replay_id");
        var theirs = WorkspaceFixture.create(sluice, "team");

        assertThat(
                        theirs.post(
                                        BULK_RESEND_PATH,
                                        "{'connection_id': '%s'}".formatted(connection.text("id")))
                                .status())
                .isEqualTo(404);
        assertThat(api.get("/api/v1/replays/" + replay).status()).isEqualTo(200);
        assertThat(theirs.get("/api/v1/replays/" + replay).status()).isEqualTo(404);
        assertThat(theirs.post("/api/v1/replays/" + replay + "/cancel", "{}").status())
                .isEqualTo(404);
        assertThat(theirs.get("/api/v1/replays").json().path("total").asInt(-1)).isZero();
        await().atMost(AWAIT_TIMEOUT)
                .until(() -> replay(replay).path("status").asString().equals("completed"));
    }

    @Test
    void a_resend_that_creates_nothing_says_why() {
        String none =
                "Nothing was resent: no event has a delivery with these statuses on the connection"
                        + " in this period, or its newest one succeeded or is under way.";

        assertThat(bulk("").text("reason")).isEqualTo(none);
        assertThat(bulk(", 'dry_run': true").text("reason")).isEqualTo(none);
        ended(DeliveryStatus.EXHAUSTED, 1);
        assertThat(bulk(", 'dry_run': true").json().has("reason")).isFalse();
        patch("connections", connection, "{'enabled': false}");
        assertThat(bulk("").text("reason"))
                .isEqualTo("Nothing was resent: the connection is disabled.");
    }

    @Test
    void since_is_inclusive_and_until_exclusive_on_the_events_arrival() {
        var noon = clock.instant().minusSeconds(600);
        for (int second = 0; second < 5; second++) {
            ended(DeliveryStatus.EXHAUSTED, noon.plusSeconds(second), 1);
        }
        String one = noon.plusSeconds(1).truncatedTo(ChronoUnit.MILLIS).toString();
        String three = noon.plusSeconds(3).truncatedTo(ChronoUnit.MILLIS).toString();

        assertThat(wouldCreate(", 'since': '" + one + "'")).isEqualTo(4);
        assertThat(wouldCreate(", 'until': '" + three + "'")).isEqualTo(3);
        assertThat(wouldCreate(", 'since': '" + one + "', 'until': '" + three + "'")).isEqualTo(2);
        assertThat(wouldCreate(", 'since': '" + one + "', 'until': '" + one + "'")).isZero();
        assertThat(wouldCreate(", 'since': null, 'until': null")).isEqualTo(5);
        assertThat(
                        wouldCreate(
                                ", 'since': '0001-01-01T00:00:00-18:00', 'until':"
                                        + " '9999-12-31T23:59:59.999999999Z'"))
                .isEqualTo(5);
        assertThat(
                        created(
                                bulk(
                                        ", 'since': '"
                                                + one.replace("Z", "+00:00")
                                                + "', 'until': '"
                                                + three
                                                + "'")))
                .isEqualTo(2);
        assertThat(waiting()).isEqualTo(2);
    }

    @Test
    void a_dry_run_counts_and_writes_nothing() {
        ended(DeliveryStatus.EXHAUSTED, 2_500);

        var answer = bulk(", 'dry_run': true");

        assertThat(answer.status()).isEqualTo(200);
        assertThat(answer.body())
                .isEqualTo(
                        "{\"dry_run\":true,\"created\":0,\"would_create\":2500,\"is_exact\":true}");
        assertThat(waiting()).isZero();
        long jobs =
                db.call(tx ->
                        tx.single(
                                "select count(*) as n from replay_job where connection_id = ?",
                                row -> row.number("n"),
                                UUID.fromString(connection.text("id"))));
        assertThat(jobs).isZero();
    }

    @Test
    void what_succeeded_or_is_under_way_by_now_is_skipped_unless_succeeded_is_asked_for() {
        var events = ended(DeliveryStatus.EXHAUSTED, 3);
        assertThat(created(resend(events.getFirst()))).isEqualTo(1);

        assertThat(created(bulk(""))).as("under way").isEqualTo(2);
        assertThat(created(bulk(""))).isZero();
        patch("destinations", destination, "{'status': 'active'}");
        await().atMost(AWAIT_TIMEOUT).until(() -> waiting() == 0);
        assertThat(created(bulk(""))).as("succeeded").isZero();
        patch("destinations", destination, "{'status': 'paused'}");
        assertThat(created(bulk(", 'statuses': ['succeeded', 'exhausted']"))).isEqualTo(3);
    }

    @Test
    void what_failed_again_is_resent_again_and_each_event_once() {
        receiver.willAnswer(400);
        ended(DeliveryStatus.FAILED, 3);
        assertThat(created(bulk(", 'statuses': ['failed']"))).isEqualTo(3);
        patch("destinations", destination, "{'status': 'active'}");
        await().atMost(AWAIT_TIMEOUT).until(() -> waiting() == 0);
        patch("destinations", destination, "{'status': 'paused'}");

        assertThat(created(bulk(", 'statuses': ['failed']"))).isEqualTo(3);
    }

    @Test
    void a_disabled_connection_creates_nothing() {
        ended(DeliveryStatus.EXHAUSTED, 3);
        patch("connections", connection, "{'enabled': false}");

        assertThat(created(bulk(""))).isZero();
        assertThat(wouldCreate("")).isZero();
        assertThat(waiting()).isZero();
    }

    @Test
    void only_what_is_inside_the_retention_is_resent(@TempDir Path ownDir) {
        var ownClock = ManualClock.ofNow();
        try (var own = RunningSluice.start(ownDir, ownClock, Map.of());
                var ownDb = own.db()) {
            var ours = own.api();
            var from = ours.source("s");
            var to = ours.connect(from, ours.destination(receiver.url(), ", 'status': 'paused'"));
            var ids = new SourceId(UUID.fromString(from.text("id")));
            var on = new ConnectionId(UUID.fromString(to.text("id")));
            var early = ownClock.instant();
            FinishedEvents.insert(ownDb, ids, on, DeliveryStatus.EXHAUSTED, early, 2);
            ownClock.advance(Duration.ofDays(29));
            new PartitionStore(ownDb).makeAhead(ownClock.instant());
            FinishedEvents.insert(ownDb, ids, on, DeliveryStatus.EXHAUSTED, ownClock.instant(), 3);
            ownClock.advance(Duration.ofDays(1));

            var answer =
                    ours.post(BULK_RESEND_PATH, "{'connection_id': '%s'}".formatted(to.text("id")));

            assertThat(created(answer)).isEqualTo(3);
        }
    }

    @Test
    void more_than_two_thousand_are_a_job_that_resends_each_once() {
        ended(DeliveryStatus.SUCCEEDED, 10);
        var events = ended(DeliveryStatus.EXHAUSTED, 5_000);
        String since =
                clock.instant().minusSeconds(3_600).truncatedTo(ChronoUnit.MILLIS).toString();

        var answer = bulk(", 'since': '" + since + "'");

        assertThat(answer.status()).isEqualTo(202);
        assertThat(created(answer)).isEqualTo(5_000);
        String id = answer.text("replay_id");
        var made = replay(id);
        assertThat(made.path("connection_id").asString()).isEqualTo(connection.text("id"));
        assertThat(made.path("statuses").toString()).isEqualTo("[\"exhausted\"]");
        assertThat(made.path("since").asString()).startsWith(since.substring(0, 19));
        assertThat(made.path("until").isNull()).isTrue();
        assertThat(made.path("planned").asInt()).isEqualTo(5_000);
        assertThat(made.path("is_exact").asBoolean()).isTrue();
        patch("destinations", destination, "{'status': 'active'}");
        completed(id);
        var done = replay(id);
        assertThat(done.path("created").asInt()).isEqualTo(5_000);
        assertThat(done.path("skipped").asInt(-1)).isZero();
        assertThat(done.path("reason").isNull()).isTrue();
        assertThat(done.path("finished_at").isNull()).isFalse();
        await().atMost(AWAIT_TIMEOUT).until(() -> waiting() == 0);
        assertThat(receivedIds()).containsExactlyInAnyOrderElementsOf(texts(events));
    }

    @Test
    void a_job_is_paced_and_can_be_cancelled_and_what_it_created_goes_on() {
        ended(DeliveryStatus.EXHAUSTED, 11_000);
        String id = bulk("").text("replay_id");

        await().atMost(AWAIT_TIMEOUT)
                .until(() -> replay(id).path("reason").asString("").startsWith("Throttled: "));
        assertThat(replay(id).path("status").asString()).isEqualTo("running");
        assertThat(replay(id).path("created").asInt()).isEqualTo(10_000);
        assertThat(waiting()).isEqualTo(10_000);
        var cancelled = api.post("/api/v1/replays/" + id + "/cancel", "{}");

        assertThat(cancelled.status()).isEqualTo(200);
        assertThat(cancelled.text("status")).isEqualTo("cancelled");
        var again = api.post("/api/v1/replays/" + id + "/cancel", "{}");
        assertThat(again.status()).isEqualTo(409);
        assertThat(again.errorCode()).isEqualTo("conflict");
        assertThat(replay(id).path("created").asInt()).isEqualTo(10_000);
        assertThat(waiting()).isEqualTo(10_000);
        api.delete("/api/v1/connections/" + connection.text("id"));
        await().atMost(AWAIT_TIMEOUT).until(() -> waiting() == 0);
    }

    @Test
    void a_finished_job_cannot_be_cancelled_and_an_unknown_one_is_not_found() {
        ended(DeliveryStatus.EXHAUSTED, 2_001);
        String id = bulk("").text("replay_id");
        completed(id);

        assertThat(api.post("/api/v1/replays/" + id + "/cancel", "{}").status()).isEqualTo(409);
        String unknown = "/api/v1/replays/" + UUID.randomUUID();
        assertThat(api.get(unknown).status()).isEqualTo(404);
        assertThat(api.get("/api/v1/replays/x").status()).isEqualTo(404);
        assertThat(api.post(unknown + "/cancel", "{}").status()).isEqualTo(404);
        assertThat(replay(id).path("status").asString()).isEqualTo("completed");
    }

    @Test
    void the_list_has_the_newest_first_in_pages() {
        ended(DeliveryStatus.EXHAUSTED, 2_001);
        String first = bulk("").text("replay_id");
        completed(first);
        ended(DeliveryStatus.FAILED, 2_001);
        clock.advance(Duration.ofSeconds(1));
        String second = bulk(", 'statuses': ['failed']").text("replay_id");
        completed(second);

        var all = api.get("/api/v1/replays").json();
        var page = api.get("/api/v1/replays?limit=1&page=2").json();

        assertThat(all.path("items").path(0).path("id").asString()).isEqualTo(second);
        assertThat(all.path("items").path(1).path("id").asString()).isEqualTo(first);
        assertThat(all.path("total").asInt()).isEqualTo(all.path("items").size());
        assertThat(page.path("items")).hasSize(1);
        assertThat(page.path("items").path(0).path("id").asString()).isEqualTo(first);
    }

    @Test
    void q_is_a_part_of_the_name_of_a_source_or_destination_of_the_job() {
        patch("sources", source, "{'name': 'Orders of Q'}");
        patch("destinations", destination, "{'name': 'Warehouse of Q'}");
        ended(DeliveryStatus.EXHAUSTED, 2_001);
        String id = bulk("").text("replay_id");

        for (String q : List.of("orders+of+q", "SE+OF+Q")) {
            var found = api.get("/api/v1/replays?q=" + q).json();
            assertThat(found.path("total").asInt()).as(q).isEqualTo(1);
            assertThat(found.path("items").path(0).path("id").asString()).isEqualTo(id);
        }
        var none = api.get("/api/v1/replays?q=orders%25q").json();
        assertThat(none.path("total").asInt(-1)).isZero();
        assertThat(none.path("items")).isEmpty();
        completed(id);
    }

    @Test
    void another_node_brings_a_job_to_its_end() {
        var events = ended(DeliveryStatus.EXHAUSTED, 4_000);
        String id;
        try (var other = sluice.startBeside()) {
            id = bulk(api.onPort(other.port()), "").text("replay_id");
        }
        completed(id);

        assertThat(replay(id).path("created").asInt()).isEqualTo(4_000);
        assertThat(waiting()).isEqualTo(4_000);
        assertThat(resent()).containsExactlyInAnyOrderElementsOf(events);
    }

    private List<EventId> ended(DeliveryStatus status, int count) {
        return ended(status, clock.instant().minusSeconds(60), count);
    }

    private List<EventId> ended(DeliveryStatus status, Instant at, int count) {
        return FinishedEvents.insert(
                db,
                new SourceId(UUID.fromString(source.text("id"))),
                new ConnectionId(UUID.fromString(connection.text("id"))),
                status,
                at,
                count);
    }

    private ApiClient.ApiResponse bulk(String more) {
        return bulk(api, more);
    }

    private ApiClient.ApiResponse bulk(ApiClient by, String more) {
        return by.post(
                BULK_RESEND_PATH, "{'connection_id': '" + connection.text("id") + "'" + more + "}");
    }

    private static ApiClient.ApiResponse resend(EventId event) {
        return api.post("/api/v1/events/" + event + "/resend", "{}");
    }

    private static int created(ApiClient.ApiResponse answer) {
        assertThat(answer.status()).as(answer.body()).isEqualTo(202);
        return answer.json().path("created").asInt(-1);
    }

    private int wouldCreate(String more) {
        var answer = bulk(more + ", 'dry_run': true");
        assertThat(answer.status()).as(answer.body()).isEqualTo(200);
        return answer.json().path("would_create").asInt(-1);
    }

    private static JsonNode replay(String id) {
        return api.get("/api/v1/replays/" + id).json();
    }

    private static void completed(String id) {
        await().atMost(AWAIT_TIMEOUT)
                .until(() -> replay(id).path("status").asString().equals("completed"));
    }

    private long waiting() {
        return db.call(tx ->
                tx.single(
                        "select count(*) as n from delivery_work where connection_id = ?",
                        row -> row.number("n"),
                        UUID.fromString(connection.text("id"))));
    }

    /// The events of the waiting deliveries, one entry for each delivery.
    private List<EventId> resent() {
        return db.call(tx ->
                tx.query(
                        "select id from delivery_work where connection_id = ?",
                        row -> new DeliveryId(row.uuid("id")).event(),
                        UUID.fromString(connection.text("id"))));
    }

    private List<String> receivedIds() {
        return receiver.requests().stream()
                .flatMap(receivedRequest -> receivedRequest.values("X-Service-Event-Id").stream())
                .collect(Collectors.toList());
    }

    private static List<String> texts(List<EventId> events) {
        return events.stream().map(EventId::toString).toList();
    }

    private static void patch(String kind, ApiClient.ApiResponse of, String json) {
        assertThat(api.patch("/api/v1/" + kind + "/" + of.text("id"), json).status())
                .isEqualTo(200);
    }
}
