package dev.sluice.journey;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sluice.RunningSluice;
import dev.sluice.testkit.ApiClient;
import dev.sluice.testkit.ManualClock;
import dev.sluice.testkit.RawHttp;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.function.IntFunction;

/// Tests the limits of a plan over HTTP.
///
/// Each test has its own workspace, and the clock moves only when a test moves it. Two nodes share
/// the database.
class PlanLimitsTest {

    private static final String PLANS_JSON =
            """
            {"items": [
              {"name": "few-requests", "limits": {"api_requests_per_minute": 4, "retention_days": 30}},
              {"name": "few-a-minute", "limits": {"ingest_per_minute_per_source": 2, "retention_days": 30}},
              {"name": "few-a-month",  "limits": {"events_per_month": 3, "retention_days": 30}},
              {"name": "sixty",        "limits": {"events_per_month": 60, "retention_days": 30}},
              {"name": "nothing",      "limits": {"api_requests_per_minute": 0, "ingest_per_minute_per_source": 0,
                                                  "events_per_month": 0, "retention_days": 30}},
              {"name": "few-things",   "limits": {"destinations": 3, "connections_per_source": 2, "retention_days": 30}},
              {"name": "open",         "limits": {"retention_days": 30}}
            ]}
            """;

    /// 20 seconds into a minute, which is not the last minute of the month.
    private static final ManualClock clock = new ManualClock(Instant.parse("2026-03-10T12:00:20Z"));

    @AutoClose
    private static final RunningSluice sluice =
            RunningSluice.startWithPlans(PLANS_JSON, clock, Map.of());

    private static final RunningSluice second = sluice.second();

    private static void toSecond20() {
        long into = clock.instant().getEpochSecond() % 60;
        clock.advance(Duration.ofSeconds(80 - into));
    }

    /// Gives the client's workspace this plan, as its owner would.
    private static void plan(ApiClient api, String name) {
        var workspace = UUID.fromString(workspace(api));
        try (var db = sluice.db()) {
            db.run(tx ->
                    tx.update(
                            """
                            with next as (
                              update config_version set version = version + 1 returning version)
                            update workspace set plan = ?, version = next.version
                              from next
                             where id = ?
                            """,
                            name,
                            workspace));
        }
    }

    private static String workspace(ApiClient api) {
        return api.get("/api/v1/me").json().path("workspace").path("id").asString();
    }

    private static long events(ApiClient api) {
        return api.get("/api/v1/events?limit=1").json().path("total").asLong();
    }

    private static void assertBudget(ApiClient.ApiResponse answer, int status, int remaining) {
        assertThat(answer.status()).isEqualTo(status);
        assertThat(answer.header("RateLimit-Limit")).contains("4");
        assertThat(answer.header("RateLimit-Remaining")).contains(Integer.toString(remaining));
        assertThat(answer.header("RateLimit-Reset")).contains("40");
    }

    @Test
    void every_metered_answer_says_what_is_left_and_the_one_too_many_is_429() {
        toSecond20();
        var api = WorkspaceFixture.create(sluice, "few-requests");

        assertBudget(api.get("/api/v1/sources"), 200, 3);
        assertBudget(api.get("/api/v1/sources/" + UUID.randomUUID()), 404, 2);
        assertBudget(api.post("/api/v1/sources", "{}"), 422, 1);
        assertBudget(api.post("/api/v1/sources", "{'name': 'one'}"), 201, 0);
        var refused = api.post("/api/v1/sources", "{'name': 'two'}");

        assertBudget(refused, 429, 0);
        assertThat(refused.header("Retry-After")).contains("40");
        assertThat(refused.errorCode()).isEqualTo("rate_limited");
        assertThat(refused.errorMessage())
                .isEqualTo("The workspace's plan allows 4 requests a minute. Try again in 40 s.");

        clock.advance(Duration.ofSeconds(39));
        assertThat(api.get("/api/v1/me").header("Retry-After")).contains("1");
        clock.advance(Duration.ofSeconds(1));
        var next = api.get("/api/v1/sources");
        assertThat(next.status()).isEqualTo(200);
        assertThat(next.header("RateLimit-Remaining")).contains("3");
        assertThat(next.header("RateLimit-Reset")).contains("60");
        assertThat(next.json().path("items")).as("what was refused was not done").hasSize(1);
    }

    @Test
    void the_nodes_count_requests_together_however_many_come_at_once() throws Exception {
        toSecond20();
        var api = WorkspaceFixture.create(sluice, "few-requests");
        var elsewhere = api.onPort(second.port());
        var requests = new ArrayList<Callable<Integer>>();
        for (int i = 0; i < 20; i++) {
            var on = i % 2 == 0 ? api : elsewhere;
            requests.add(() -> on.get("/api/v1/sources").status());
        }
        var statuses = new ArrayList<Integer>();
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            for (var status : threads.invokeAll(requests)) {
                statuses.add(status.get());
            }
        }

        assertThat(statuses).containsOnly(200, 429);
        assertThat(statuses).filteredOn(status -> status == 200).hasSize(4);
    }

    @Test
    void without_a_limit_nothing_is_said_of_one() {
        var answer = WorkspaceFixture.create(sluice, "open").get("/api/v1/sources");

        assertThat(answer.status()).isEqualTo(200);
        for (String name : List.of("Limit", "Remaining", "Reset")) {
            assertThat(answer.header("RateLimit-" + name)).as(name).isEmpty();
        }
    }

    @Test
    void requests_without_a_known_key_are_not_metered() {
        toSecond20();
        var api = WorkspaceFixture.create(sluice, "few-requests");
        for (int i = 0; i < 6; i++) {
            var stranger = new ApiClient(sluice.port(), "slk_unknown").get("/api/v1/sources");
            assertThat(stranger.status()).isEqualTo(401);
            assertThat(stranger.header("RateLimit-Limit")).isEmpty();
            assertThat(api.send(api.anonymous("/api/v1/plans").GET()).status()).isEqualTo(200);
        }

        assertBudget(api.get("/api/v1/sources"), 200, 3);
    }

    @Test
    void another_plan_has_another_budget_at_once() {
        toSecond20();
        var api = WorkspaceFixture.create(sluice, "open");
        for (int i = 0; i < 5; i++) {
            assertThat(api.get("/api/v1/me").status()).isEqualTo(200);
        }

        plan(api, "few-requests");

        assertBudget(api.get("/api/v1/me"), 200, 3);
    }

    @Test
    void a_plan_may_allow_nothing() {
        toSecond20();
        var api = WorkspaceFixture.create(sluice, "open");
        var source = api.source("one");
        plan(api, "nothing");

        await().untilAsserted(() -> assertThat(ingest(api, source).status()).isEqualTo(429));

        var refused = api.get("/api/v1/me");
        assertThat(refused.status()).isEqualTo(429);
        assertThat(refused.header("RateLimit-Limit")).contains("0");
        assertThat(refused.header("RateLimit-Remaining")).contains("0");
    }

    private static ApiClient.ApiResponse ingest(ApiClient api, ApiClient.ApiResponse source) {
        return api.ingest(source.text("ingest_path"), "{}");
    }

    @Test
    void a_minute_takes_exactly_what_the_plan_says_and_each_source_has_its_own() {
        toSecond20();
        var api = WorkspaceFixture.create(sluice, "few-a-minute");
        var source = api.source("one");
        var other = api.source("other");

        assertThat(statuses(api, source, 4)).containsExactly(200, 200, 429, 429);
        assertThat(statuses(api, other, 2)).containsExactly(200, 200);
        var refused = ingest(api, other);
        assertThat(refused.status()).isEqualTo(429);
        assertThat(refused.errorCode()).isEqualTo("rate_limited");
        assertThat(refused.header("Retry-After")).contains("40");
        assertThat(refused.errorMessage())
                .isEqualTo(
                        "The source takes 2 requests a minute. Nothing was stored; send the event"
                                + " again in 40 s.");
        assertThat(events(api)).isEqualTo(4);

        clock.advance(Duration.ofSeconds(40));
        assertThat(statuses(api, source, 3)).containsExactly(200, 200, 429);
        assertThat(events(api)).isEqualTo(6);
    }

    private static List<Integer> statuses(
            ApiClient api, ApiClient.ApiResponse source, int requests) {
        var statuses = new ArrayList<Integer>();
        for (int i = 0; i < requests; i++) {
            statuses.add(ingest(api, source).status());
        }
        return statuses;
    }

    /// Ingests until `requests` have an answer other than 500. A 500 means that the quota did not
    /// answer in time and nothing was stored, so the request is repeated.
    private static List<Integer> answeredStatuses(
            ApiClient api, ApiClient.ApiResponse source, int requests) {
        var statuses = new ArrayList<Integer>();
        while (statuses.size() < requests) {
            int status = ingest(api, source).status();
            if (status != 500) {
                statuses.add(status);
            }
        }
        return statuses;
    }

    @Test
    void over_the_minute_it_is_refused_before_its_body_is_there() {
        toSecond20();
        var api = WorkspaceFixture.create(sluice, "few-a-minute");
        var source = api.source("one");
        statuses(api, source, 2);

        var refused =
                RawHttp.send(
                        sluice.port(),
                        "POST "
                                + source.text("ingest_path")
                                + " HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000\r\n\r\n");

        assertThat(refused.status()).isEqualTo(429);
        assertThat(refused.values("Retry-After")).containsExactly("40");
        assertThat(refused.values("Content-Security-Policy")).hasSize(1);
    }

    @Test
    void the_nodes_tell_each_other_what_a_source_took() {
        toSecond20();
        var api = WorkspaceFixture.create(sluice, "few-a-minute");
        var elsewhere = api.onPort(second.port());
        var source = api.source("one");
        await().untilAsserted(() ->
                assertThat(
                                elsewhere
                                        .send(elsewhere.anonymous(source.text("ingest_path")).GET())
                                        .status())
                        .isEqualTo(200));
        assertThat(statuses(api, source, 2)).containsExactly(200, 200);
        var rows = "select coalesce(sum(n), 0) as n from ingest_use where source_id = ?";
        try (var db = sluice.db()) {
            await().untilAsserted(() ->
                    assertThat(
                                    db.<Long>call(tx ->
                                            tx.single(
                                                    rows,
                                                    row -> row.number("n"),
                                                    UUID.fromString(source.text("id")))))
                            .isEqualTo(2));
        }

        assertThat(statuses(elsewhere, source, 1)).as("not heard of yet").containsExactly(200);
        await().untilAsserted(
                        () -> assertThat(statuses(elsewhere, source, 1)).containsExactly(429));
        assertThat(events(api)).isLessThanOrEqualTo(4);
    }

    @Test
    void an_event_over_the_month_is_402_and_nothing_is_stored() {
        var api = WorkspaceFixture.create(sluice, "few-a-month");
        var source = api.source("one");

        assertThat(statuses(api, source, 3)).containsExactly(200, 200, 200);
        var refused = ingest(api, source);

        assertThat(refused.status()).isEqualTo(402);
        assertThat(refused.errorCode()).isEqualTo("quota_exceeded");
        assertThat(refused.errorMessage())
                .isEqualTo(
                        "The workspace's plan has 3 events a month (UTC), and they are used up."
                                + " Nothing was stored.");
        assertThat(events(api)).isEqualTo(3);
        assertThat(ingest(api, api.source("another")).status())
                .as("it is the workspace's number")
                .isEqualTo(402);
    }

    @Test
    void events_stored_without_a_quota_count_once_there_is_one_again() {
        var api = WorkspaceFixture.create(sluice, "few-a-month");
        var source = api.source("one");
        assertThat(statuses(api, source, 4)).containsExactly(200, 200, 200, 402);
        plan(api, "open");
        await().untilAsserted(() -> assertThat(ingest(api, source).status()).isEqualTo(200));
        for (int i = 0; i < 60; i++) {
            assertThat(ingest(api, source).status()).isEqualTo(200);
        }
        await().until(() -> eventsOfMonth(api) == 64);

        plan(api, "sixty");

        await().untilAsserted(() -> assertThat(ingest(api, source).status()).isEqualTo(402));
    }

    private static long eventsOfMonth(ApiClient api) {
        return api.get("/api/v1/usage").json().path("events").path("used").asLong();
    }

    @Test
    void a_larger_plan_lets_events_in_again() {
        var api = WorkspaceFixture.create(sluice, "few-a-month");
        var source = api.source("one");
        assertThat(statuses(api, source, 4)).containsExactly(200, 200, 200, 402);

        plan(api, "sixty");

        await().untilAsserted(() -> assertThat(ingest(api, source).status()).isEqualTo(200));
    }

    @Test
    void two_nodes_together_store_exactly_the_months_number() throws Exception {
        var api = WorkspaceFixture.create(sluice, "sixty");
        var elsewhere = api.onPort(second.port());
        var source = api.source("one");
        await().untilAsserted(() ->
                assertThat(
                                elsewhere
                                        .send(elsewhere.anonymous(source.text("ingest_path")).GET())
                                        .status())
                        .isEqualTo(200));
        var senders = new ArrayList<Callable<List<Integer>>>();
        for (int i = 0; i < 8; i++) {
            var on = i % 2 == 0 ? api : elsewhere;
            senders.add(() -> answeredStatuses(on, source, 12));
        }
        var statuses = new ArrayList<Integer>();
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            for (var some : threads.invokeAll(senders)) {
                statuses.addAll(some.get());
            }
        }

        assertThat(statuses).containsOnly(200, 402);
        assertThat(statuses).filteredOn(status -> status == 200).hasSize(60);
        assertThat(events(api)).isEqualTo(60);
    }

    @Test
    void a_new_month_begins_anew() {
        var api = WorkspaceFixture.create(sluice, "few-a-month");
        var source = api.source("one");
        assertThat(statuses(api, source, 4)).containsExactly(200, 200, 200, 402);

        clock.advance(Duration.ofDays(31));

        assertThat(statuses(api, source, 4)).containsExactly(200, 200, 200, 402);
    }

    private static ApiClient.ApiResponse createDestination(ApiClient api) {
        return api.post(
                "/api/v1/destinations",
                "{'name': 'one more', 'url': 'https://" + UUID.randomUUID() + ".example/'}");
    }

    private static ApiClient.ApiResponse tryConnect(
            ApiClient api, ApiClient.ApiResponse source, ApiClient.ApiResponse destination) {
        return tryConnect(api, source.text("id"), destination.text("id"));
    }

    private static ApiClient.ApiResponse tryConnect(
            ApiClient api, String source, String destination) {
        return api.post(
                "/api/v1/connections",
                "{'source_id': '%s', 'destination_id': '%s'}".formatted(source, destination));
    }

    private static void assertNoRoom(ApiClient.ApiResponse refused, String message) {
        assertThat(refused.status()).isEqualTo(402);
        assertThat(refused.errorCode()).isEqualTo("plan_limit_reached");
        assertThat(refused.errorMessage()).isEqualTo(message);
    }

    @Test
    void a_plan_has_room_for_so_many_destinations_and_connections_of_a_source() {
        var api = WorkspaceFixture.create(sluice, "few-things");
        var source = api.source("one");
        var other = api.source("two");
        var destinations =
                List.of(createDestination(api), createDestination(api), createDestination(api));

        assertNoRoom(
                createDestination(api),
                "The few-things plan allows 3 destinations. Delete one first.");
        var connection = tryConnect(api, source, destinations.get(0));
        assertThat(connection.status()).isEqualTo(201);
        assertThat(tryConnect(api, source, destinations.get(1)).status()).isEqualTo(201);
        assertNoRoom(
                tryConnect(api, source, destinations.get(2)),
                "The few-things plan allows 2 connections per source. Delete one first, or use"
                        + " another source.");
        assertThat(tryConnect(api, other, destinations.get(2)).status()).isEqualTo(201);

        api.delete("/api/v1/connections/" + connection.text("id"));
        assertThat(tryConnect(api, source, destinations.get(2)).status()).isEqualTo(201);
        api.delete("/api/v1/destinations/" + destinations.get(1).text("id"));
        assertThat(createDestination(api).status()).isEqualTo(201);
        assertThat(tryConnect(api, source, destinations.get(0)).status())
                .as("the connection to the deleted destination does not count")
                .isEqualTo(201);
    }

    @Test
    void what_a_workspace_had_before_its_plan_had_a_cap_goes_on() {
        var api = WorkspaceFixture.create(sluice, "open");
        var source = api.source("one");
        var connections = new ArrayList<ApiClient.ApiResponse>();
        for (int i = 0; i < 4; i++) {
            connections.add(tryConnect(api, source, createDestination(api)));
        }
        plan(api, "few-things");

        assertThat(createDestination(api).status()).isEqualTo(402);
        assertThat(api.get("/api/v1/connections").json().path("items")).hasSize(4);
        var patched =
                api.patch(
                        "/api/v1/connections/" + connections.getFirst().text("id"),
                        "{'enabled': false}");
        assertThat(patched.status()).isEqualTo(200);
        var event = api.ingest(source.text("ingest_path"), "{}").text("request_id");
        assertThat(api.get("/api/v1/events/" + event).json().path("deliveries")).hasSize(3);
        var usage = api.get("/api/v1/usage").json();
        assertThat(usage.path("destinations").toString()).isEqualTo("{\"used\":4,\"limit\":3}");
        assertThat(usage.path("connections_per_source").toString())
                .isEqualTo("{\"used\":4,\"limit\":2}");
    }

    @Test
    void the_last_place_is_given_once_however_many_nodes_are_asked_at_once() throws Exception {
        var api = WorkspaceFixture.create(sluice, "few-things");
        var elsewhere = api.onPort(second.port());
        var source = api.source("one");
        var destinations = List.of(createDestination(api), createDestination(api));

        assertThat(statuses(8, i -> createDestination(i % 2 == 0 ? api : elsewhere)))
                .containsExactlyInAnyOrder(201, 402, 402, 402, 402, 402, 402, 402);
        assertThat(api.get("/api/v1/destinations").json().path("items")).hasSize(3);

        tryConnect(api, source, destinations.get(0));
        var unconnected = destinationsBut(api, destinations.get(0).text("id"));
        assertThat(
                        statuses(
                                4,
                                i ->
                                        tryConnect(
                                                i % 2 == 0 ? api : elsewhere,
                                                source.text("id"),
                                                unconnected.get(i / 2))))
                .containsExactlyInAnyOrder(201, 402, 402, 402);
    }

    private static List<String> destinationsBut(ApiClient api, String id) {
        return api.get("/api/v1/destinations")
                .json()
                .path("items")
                .valueStream()
                .map(each -> each.path("id").asString())
                .filter(each -> !each.equals(id))
                .toList();
    }

    private static List<Integer> statuses(int count, IntFunction<ApiClient.ApiResponse> request)
            throws Exception {
        var requests = new ArrayList<Callable<Integer>>();
        for (int i = 0; i < count; i++) {
            int number = i;
            requests.add(() -> request.apply(number).status());
        }
        var statuses = new ArrayList<Integer>();
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            for (var status : threads.invokeAll(requests)) {
                statuses.add(status.get());
            }
        }
        return statuses;
    }
}
