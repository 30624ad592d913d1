package dev.sluice.journey;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sluice.RunningSluice;
import dev.sluice.platform.db.Db;
import dev.sluice.platform.id.Uuid7;
import dev.sluice.platform.json.JsonObject;
import dev.sluice.testkit.ApiClient;
import dev.sluice.testkit.ManualClock;
import dev.sluice.testkit.Receiver;
import dev.sluice.testkit.StatsRecount;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import tools.jackson.databind.JsonNode;

import java.io.IOException;
import java.net.http.HttpRequest;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// Tests the statistics over HTTP, after a run with every kind of event and delivery in two hours.
class StatsTest {

    private static final ManualClock clock = ManualClock.ofNow();

    @AutoClose private static final RunningSluice sluice = RunningSluice.start(clock);
    @AutoClose private static final Db db = sluice.db();
    private static final ApiClient api = sluice.api();
    private static final List<Receiver> receivers = new ArrayList<>();

    private static ApiClient.ApiResponse checked;
    private static ApiClient.ApiResponse open;
    private static ApiClient.ApiResponse good;
    private static ApiClient.ApiResponse paused;
    private static ApiClient.ApiResponse pausedConnection;
    private static ApiClient.ApiResponse goodConnection;
    private static Instant begun;

    @BeforeAll
    static void run() {
        checked = api.source("checked");
        api.patch(
                "/api/v1/sources/" + checked.text("id"),
                "{'verification_config': {'provider': 'api_key', 'header': 'X-Key',"
                        + " 'key': 'hunter2-hunter2'}}");
        open = api.source("open");
        good = destination("[10]", 200);
        paused = api.destination("https://example.com/", ", 'status': 'paused'");
        goodConnection = api.connect(checked, good);
        api.connect(checked, destination("[10, 20]", 503, 200, 429, 200));
        api.connect(checked, destination("[10]", 500, 503, 502, 500));
        api.connect(open, destination("[10]", 410, 404));
        pausedConnection = api.connect(open, paused);
        var picky = api.connect(open, good);
        api.patch(
                "/api/v1/connections/" + picky.text("id"),
                "{'filter_rules': {'operator': 'and', 'rules':"
                        + " [{'path': 'body.wanted', 'op': 'eq', 'value': true}]}}");

        begun = clock.instant();
        round("{\"wanted\": true, \"n\": 12345}");
        clock.advance(Duration.ofHours(1));
        round("{\"wanted\": false}");
    }

    private static ApiClient.ApiResponse destination(String intervals, int... statuses) {
        var receiver = Receiver.start();
        receiver.willAnswer(statuses);
        receivers.add(receiver);
        return api.destination(
                receiver.url(), ", 'retry_policy': {'intervals_seconds': " + intervals + "}");
    }

    /// Sends to both sources, lets each retry become due, and resends one event.
    private static void round(String body) {
        var first = ingest(checked, "hunter2-hunter2", "{}");
        assertThat(ingest(checked, "wrong", "{'a': 1}").status()).isEqualTo(401);
        ingest(open, "", body);
        settle();
        var resent =
                api.post(
                        "/api/v1/events/" + first.text("request_id") + "/resend",
                        "{'connection_ids': ['" + goodConnection.text("id") + "']}");
        assertThat(resent.status()).isEqualTo(202);
        settle();
    }

    private static ApiClient.ApiResponse ingest(
            ApiClient.ApiResponse source, String key, String body) {
        return api.send(
                api.anonymous(source.text("ingest_path"))
                        .header("X-Key", key)
                        .header("Content-Type", "application/json")
                        .POST(HttpRequest.BodyPublishers.ofString(body)));
    }

    /// Waits for what is due, and moves the clock on while something is to be retried.
    private static void settle() {
        while (unfinished("") > 0) {
            await().until(() ->
                    unfinished(" and (owner is not null or next_at <= '" + clock.instant() + "')")
                            == 0);
            clock.advance(Duration.ofSeconds(30));
        }
    }

    /// Counts the unfinished deliveries, without those of the paused destination.
    private static long unfinished(String condition) {
        return db.call(tx ->
                tx.single(
                        "select count(*) as n from delivery_work where connection_id <> ?"
                                + condition,
                        row -> row.number("n"),
                        UUID.fromString(pausedConnection.text("id"))));
    }

    @AfterAll
    static void close() throws IOException {
        for (var receiver : receivers) {
            receiver.close();
        }
    }

    private static JsonNode get(String path) {
        var answer = api.get("/api/v1/stats/" + path);
        assertThat(answer.status()).as(answer.body()).isEqualTo(200);
        return answer.json();
    }

    private static String wholeRun() {
        return "received_after="
                + begun.minusSeconds(3_600)
                + "&received_before="
                + clock.instant().plusMillis(1);
    }

    private static Map<Instant, Map<String, Long>> recount(String condition) {
        return StatsRecount.byHour(db, condition);
    }

    private static Map<String, Long> counts(JsonNode node) {
        return StatsRecount.counts(node);
    }

    @Test
    void every_bucket_is_a_recount_of_the_hour_in_which_its_events_arrived() {
        var expected = recount("true");
        var overview = get("overview?" + wholeRun());

        assertThat(expected).hasSize(2);
        assertThat(overview.path("bucket").asString()).isEqualTo("hour");
        assertThat(StatsRecount.buckets(overview)).isEqualTo(expected);
        var totals = StatsRecount.total(expected);
        assertThat(counts(overview.path("totals"))).isEqualTo(totals);
        assertThat(totals)
                .containsKeys(
                        StatsRecount.FIELDS.toArray(
                                new String[0])); // the run had everything there is
        assertThat(overview.path("totals").path("refused").path("401").asLong()).isEqualTo(2);
    }

    @Test
    void days_and_months_add_up_to_the_same() {
        String after = begun.minus(Duration.ofDays(60)).toString();
        String longAgo = begun.minus(Duration.ofDays(400)).toString();
        var hours = get("overview?" + wholeRun());
        String until = "&received_before=" + clock.instant().plusMillis(1);
        var days = get("overview?received_after=" + after + until);
        var months = get("overview?received_after=" + longAgo + until);

        assertThat(days.path("bucket").asString()).isEqualTo("day");
        assertThat(months.path("bucket").asString()).isEqualTo("month");
        assertThat(days.path("histogram").size()).isBetween(61, 62);
        assertThat(months.path("histogram").size()).isBetween(14, 15);
        assertThat(days.path("totals")).isEqualTo(hours.path("totals"));
        assertThat(months.path("totals")).isEqualTo(hours.path("totals"));
    }

    @Test
    void the_latency_counts_each_attempt_that_was_answered() {
        long answered =
                db.call(tx ->
                        tx.single(
                                """
                                select (select count(*) from attempt where response_status is not null)
                                     + (select count(*) from delivery where response_status is not null)
                                  as n
                                """,
                                row -> row.number("n")));
        long counted =
                db.call(tx ->
                        tx.single(
                                """
                                select (select coalesce(sum(n), 0) from total where kind = 4)
                                     + (select coalesce(sum(n), 0)
                                          from ledger, unnest(kinds, counts) as unfolded (kind, n)
                                         where kind = 4) as n
                                """,
                                row -> row.number("n")));
        var latency = get("overview?" + wholeRun()).path("totals").path("latency_ms");

        assertThat(answered).isGreaterThan(12);
        assertThat(counted).isEqualTo(answered);
        assertThat(latency.path("p50").asLong(-1)).isBetween(0L, latency.path("p95").asLong(-1));
        assertThat(latency.path("p95").asLong(-1))
                .isLessThanOrEqualTo(latency.path("p99").asLong(-1));
    }

    @Test
    void each_source_is_a_recount_of_its_own_and_the_busiest_comes_first() {
        var items = get("by-source?" + wholeRun()).path("items");

        assertThat(items).hasSize(2);
        assertThat(items.get(0).path("source_id").asString()).isEqualTo(checked.text("id"));
        for (var item : items) {
            var expected = recount("source_id = '" + item.path("source_id").asString() + "'");
            assertThat(counts(item)).isEqualTo(StatsRecount.total(expected));
        }
        assertThat(items.get(1).path("success_rate").asDouble()).isEqualTo(0.3333);
    }

    @Test
    void the_volume_counts_events_and_their_bytes() {
        var items = get("volume-by-source?" + wholeRun()).path("items");

        assertThat(items).hasSize(2);
        for (var item : items) {
            long bytes =
                    db.call(tx ->
                            tx.single(
                                    "select sum(body_size) as n from event where source_id = ?",
                                    row -> row.number("n"),
                                    UUID.fromString(item.path("source_id").asString())));
            assertThat(item.path("bytes").asLong()).isEqualTo(bytes);
        }
        assertThat(items.get(0).path("events").asLong()).isEqualTo(4);
        assertThat(items.get(0).path("source_name").asString()).isEqualTo("checked");
        assertThat(items.get(0).path("color").asString()).isEqualTo(checked.text("color"));
    }

    @Test
    void each_destination_has_its_deliveries_and_what_is_waiting() {
        var items = get("by-destination?" + wholeRun()).path("items");

        assertThat(items).hasSize(5);
        var first = items.get(0);
        assertThat(first.path("destination_id").asString()).isEqualTo(good.text("id"));
        assertThat(first.path("deliveries").asLong()).isEqualTo(6);
        assertThat(first.path("filtered").asLong()).isEqualTo(1);
        assertThat(first.path("success_rate").asDouble()).isEqualTo(1);
        assertThat(first.path("waiting").path("count").asLong(-1)).isZero();
        assertThat(first.path("waiting").path("oldest_received_at").isNull()).isTrue();
        var held =
                items.valueStream()
                        .filter(item ->
                                item.path("destination_id").asString().equals(paused.text("id")))
                        .findFirst()
                        .orElseThrow();
        assertThat(held.path("pending").asLong()).isEqualTo(2);
        assertThat(held.path("success_rate").isNull()).isTrue();
        assertThat(held.path("latency_ms").isNull()).isTrue();
        assertThat(held.path("waiting").path("count").asLong()).isEqualTo(2);
        assertThat(Instant.parse(held.path("waiting").path("oldest_received_at").asString()))
                .isEqualTo(oldestWaiting());
        assertThat(held.path("waiting").path("oldest_age_seconds").asLong())
                .isEqualTo(Duration.between(oldestWaiting(), clock.instant()).toSeconds());
    }

    private static Instant oldestWaiting() {
        return db.call(tx ->
                        tx.single(
                                "select id from delivery_work order by id limit 1",
                                row -> Uuid7.timeOf(row.uuid("id"))))
                .truncatedTo(ChronoUnit.MILLIS);
    }

    @Test
    void the_waiting_deliveries_do_not_depend_on_the_window() {
        var overview = get("overview?received_before=" + begun.minus(Duration.ofHours(5)));

        assertThat(counts(overview.path("totals"))).isEmpty();
        assertThat(overview.path("totals").path("success_rate").isNull()).isTrue();
        assertThat(overview.path("waiting").path("count").asLong()).isEqualTo(2);
        assertThat(Instant.parse(overview.path("waiting").path("oldest_received_at").asString()))
                .isEqualTo(oldestWaiting());
    }

    @Test
    void sources_and_destinations_can_be_chosen() {
        String one = "&source_ids=" + open.text("id") + "," + UUID.randomUUID();
        String other = "&destination_ids=" + good.text("id");

        var ofSource = get("overview?" + wholeRun() + one).path("totals");
        var ofDestination = get("overview?" + wholeRun() + other).path("totals");
        var ofBoth = get("overview?" + wholeRun() + one + other).path("totals");

        assertThat(ofSource.path("events").asLong()).isEqualTo(2);
        assertThat(ofSource.path("skipped").asLong()).isEqualTo(2);
        assertThat(ofDestination.path("events").asLong()).isEqualTo(6);
        assertThat(ofDestination.path("deliveries").asLong()).isEqualTo(6);
        assertThat(ofBoth.path("events").asLong()).isEqualTo(2);
        assertThat(ofBoth.path("deliveries").asLong()).isEqualTo(2);
        assertThat(get("by-source?" + wholeRun() + one).path("items")).hasSize(1);
        assertThat(get("volume-by-source?" + wholeRun() + one).path("items")).hasSize(1);
        assertThat(get("by-destination?" + wholeRun() + other).path("items")).hasSize(1);
    }

    @Test
    void the_answer_says_what_was_asked_for_and_what_was_counted() {
        var before = begun.truncatedTo(ChronoUnit.HOURS).plusSeconds(245);
        var overview = get("overview?received_before=" + before);

        assertThat(range(overview.path("asked")))
                .containsExactly(before.minus(Duration.ofDays(1)), before);
        assertThat(range(overview.path("window")))
                .containsExactly(
                        before.minusSeconds(245).minus(Duration.ofDays(1)),
                        before.minusSeconds(245).plusSeconds(3_600));
        assertThat(overview.path("histogram")).hasSize(25);
        assertThat(get("by-source").path("asked").path("before").asString())
                .isEqualTo(JsonObject.time(clock.instant()));
    }

    private static List<Instant> range(JsonNode window) {
        return List.of(
                Instant.parse(window.path("after").asString()),
                Instant.parse(window.path("before").asString()));
    }

    @Test
    void q_is_a_part_of_the_name_in_any_case_and_no_pattern() {
        var all = get("by-source?" + wholeRun()).path("items").valueStream().toList();
        var found = get("by-source?limit=10&q=CHECK&" + wholeRun());

        assertThat(found.path("total").asLong()).isEqualTo(1);
        assertThat(found.path("items").valueStream())
                .containsExactlyElementsOf(
                        all.stream()
                                .filter(item ->
                                        item.path("source_name").asString().equals("checked"))
                                .toList());
        assertThat(get("volume-by-source?q=heck").path("items")).hasSize(1);
        assertThat(get("volume-by-source?q=c%25d").path("items")).isEmpty();
        var name = good.text("name");
        assertThat(
                        get("by-destination?q=" + name.toUpperCase(Locale.ROOT) + "&" + wholeRun())
                                .path("items"))
                .isNotEmpty()
                .allMatch(item -> item.path("destination_name").asString().contains(name));
        assertThat(get("by-destination?q=no+such+name&" + wholeRun()).path("items")).isEmpty();
    }

    @Test
    void lists_come_in_pages_where_that_is_asked_for() {
        var page = get("by-destination?limit=2&page=2&" + wholeRun());

        assertThat(page.path("items")).hasSize(2);
        assertThat(page.path("total").asLong()).isEqualTo(5);
        assertThat(get("by-source").has("total")).isFalse();
        assertThat(get("volume-by-source?page=1").path("total").asLong()).isEqualTo(2);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
                    source_ids=x                                   | 400 | source_ids must be a comma-separated list of UUIDs.
                    source_ids=018f3c5e-7a01-7000-8000-000000000001, | 400 | source_ids must be a comma-separated list of UUIDs.
                    destination_ids=1                              | 400 | destination_ids must be a comma-separated list of UUIDs.
                    received_after=yesterday                       | 400 | received_after must be a time as in RFC 3339, such as 2026-03-01T12:00:00Z.
                    received_after=2999-01-01T00:00:00Z            | 422 | received_after must be before the present time.
                    received_after=2026-01-02T00:00:00Z&received_before=2026-01-02T00:00:00Z | 422 | received_after must be before received_before.
                    received_after=2001-01-01T00:00:00Z&received_before=2026-01-02T00:00:00Z | 422 | received_after must be at most ten years before the end.
                    """)
    void what_cannot_be_asked_for_is_refused(String query, int status, String message) {
        for (String path : new String[] {"overview", "by-destination"}) {
            var answer = api.get("/api/v1/stats/" + path + "?" + query);

            assertThat(answer.status()).isEqualTo(status);
            assertThat(answer.errorMessage()).isEqualTo(message);
        }
    }

    @Test
    void more_than_two_hundred_ids_are_refused() {
        String ids =
                Stream.generate(() -> UUID.randomUUID().toString())
                        .limit(201)
                        .collect(Collectors.joining(","));
        var answer = api.get("/api/v1/stats/by-source?source_ids=" + ids);

        assertThat(answer.status()).isEqualTo(422);
        assertThat(answer.errorMessage()).isEqualTo("source_ids must have at most 200 ids.");
    }

    @Test
    void another_workspace_counts_nothing_of_this_one() {
        var theirs = WorkspaceFixture.create(sluice, "team");
        String ours =
                "?source_ids="
                        + open.text("id")
                        + "&destination_ids="
                        + paused.text("id")
                        + "&"
                        + wholeRun();

        var overview = theirs.get("/api/v1/stats/overview" + ours).json();
        assertThat(counts(overview.path("totals"))).isEmpty();
        assertThat(overview.path("waiting").path("count").asLong(-1)).isZero();
        for (String path : new String[] {"volume-by-source", "by-source", "by-destination"}) {
            assertThat(theirs.get("/api/v1/stats/" + path + ours).json().path("items")).isEmpty();
            assertThat(theirs.get("/api/v1/stats/" + path).json().path("items")).isEmpty();
        }
    }

    @Test
    void sources_in_the_trash_and_deleted_destinations_are_left_out() {
        var source = api.source("trashed");
        var destination = api.destination("https://example.com/gone", ", 'status': 'paused'");
        api.connect(source, destination);
        api.ingest(source.text("ingest_path"), "{}");
        api.delete("/api/v1/sources/" + source.text("id"));
        api.delete("/api/v1/destinations/" + destination.text("id"));

        assertThat(get("by-source").path("items")).hasSize(2);
        assertThat(get("by-destination").path("items")).hasSize(5);
        assertThat(get("overview").path("waiting").path("count").asLong()).isEqualTo(2);
    }
}
