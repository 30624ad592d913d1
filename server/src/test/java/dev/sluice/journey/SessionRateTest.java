package dev.sluice.journey;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.RunningSluice;
import dev.sluice.account.access.SessionUseStore;
import dev.sluice.account.plan.MinuteWindow;
import dev.sluice.testkit.ApiClient;
import dev.sluice.testkit.ApiClient.ApiResponse;
import dev.sluice.testkit.ManualClock;
import dev.sluice.testkit.Person;
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

/// Tests the limits of requests with a session over HTTP. The clock moves only when a test moves
/// it. Two nodes share the database.
class SessionRateTest {

    private static final ManualClock clock = new ManualClock(Instant.parse("2026-03-10T12:00:20Z"));

    @AutoClose
    private static final RunningSluice sluice =
            RunningSluice.start(
                    clock, Map.of("SLUICE_REGISTRATION", "open", "SLUICE_METRICS_PORT", "0"));

    private static final ApiClient api = sluice.api();
    private static final ApiClient second = api.onPort(sluice.second().port());

    private static void toSecond20() {
        long into = clock.instant().getEpochSecond() % 60;
        clock.advance(Duration.ofSeconds(80 - into));
    }

    private static String me(Person person, String field) {
        return person.get("/api/v1/me").json().path(field).path("id").asString();
    }

    /// Pretends that so many requests were made in this minute.
    private static void setUsed(String owner, int requests) {
        try (var db = sluice.db()) {
            db.run(tx ->
                    tx.update(
                            """
                            insert into session_use (owner, minute, n)
                            values (?, ?, ?)
                            on conflict (owner) do update
                               set minute = excluded.minute, n = excluded.n
                            """,
                            UUID.fromString(owner),
                            MinuteWindow.number(clock.instant()),
                            requests));
        }
    }

    private static ApiResponse get(ApiClient node, Person person, String workspace) {
        return node.send(
                node.anonymous("/api/v1/sources")
                        .header("Cookie", "sluice_session=" + person.token())
                        .header("X-Sluice-Workspace", workspace));
    }

    private static List<Integer> statuses(int count, IntFunction<ApiResponse> request)
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

    private static void assertLimit(ApiResponse answer, int status, int limit, int remaining) {
        assertThat(answer.status()).isEqualTo(status);
        assertThat(answer.header("RateLimit-Limit")).contains(Integer.toString(limit));
        assertThat(answer.header("RateLimit-Remaining")).contains(Integer.toString(remaining));
        assertThat(answer.header("RateLimit-Reset")).contains("40");
    }

    @Test
    void an_account_has_three_thousand_requests_a_minute_over_all_its_workspaces_and_nodes()
            throws Exception {
        var person = Person.register(api, "many@example.com");
        String main = me(person, "workspace");
        String staging = person.post("/api/v1/workspaces", "{'name':'Staging'}").text("id");
        String account = me(person, "user");
        toSecond20();
        setUsed(account, 2_990);

        var statuses =
                statuses(
                        40,
                        i -> get(i % 2 == 0 ? api : second, person, i % 4 < 2 ? main : staging));

        assertThat(statuses).containsOnly(200, 429);
        assertThat(statuses).filteredOn(status -> status == 200).hasSize(10);
        var refused = get(second, person, main);
        assertLimit(refused, 429, 3_000, 0);
        assertThat(refused.header("Retry-After")).contains("40");
        assertThat(refused.errorCode()).isEqualTo("rate_limited");
        assertThat(refused.errorMessage())
                .isEqualTo(
                        "Your account may make 3000 requests a minute while signed in. Try again"
                                + " in 40 s.");
        assertThat(person.post("/api/v1/sources", "{'name':'late'}").status()).isEqualTo(429);
        assertThat(person.post("/api/v1/workspaces", "{'name':'Late'}").status())
                .as("a request for no workspace")
                .isEqualTo(429);

        clock.advance(Duration.ofSeconds(40));
        var next = person.get("/api/v1/sources");
        assertThat(next.status()).isEqualTo(200);
        assertThat(next.header("RateLimit-Remaining")).contains("2999");
        assertThat(next.json().path("items")).as("what was refused was not done").isEmpty();
    }

    @Test
    void a_workspace_has_six_thousand_requests_a_minute_over_all_its_people() throws Exception {
        var owner = Person.register(api, "owner@example.com");
        String workspace = me(owner, "workspace");
        String elsewhere = owner.post("/api/v1/workspaces", "{'name':'Elsewhere'}").text("id");
        var invite =
                owner.post(
                        "/api/v1/workspaces/" + workspace + "/invites",
                        "{'email':'member@example.com','role':'member'}");
        var member = Person.registerInvited(api, "member@example.com", invite.text("token"));
        toSecond20();
        setUsed(workspace, 5_994);

        var statuses =
                statuses(
                        30,
                        i -> get(i % 2 == 0 ? api : second, i % 4 < 2 ? owner : member, workspace));

        assertThat(statuses).containsOnly(200, 429);
        assertThat(statuses).filteredOn(status -> status == 200).hasSize(6);
        var refused = member.get("/api/v1/sources");
        assertLimit(refused, 429, 6_000, 0);
        assertThat(refused.errorMessage())
                .isEqualTo(
                        "The people of a workspace together may make 6000 requests a minute. Try"
                                + " again in 40 s.");
        assertThat(get(api, owner, elsewhere).status())
                .as("another workspace of the same person")
                .isEqualTo(200);
        assertThat(Person.register(api, "stranger@example.com").get("/api/v1/sources").status())
                .as("a neighbour")
                .isEqualTo(200);
    }

    @Test
    void every_answer_to_a_session_says_what_is_left_of_the_nearer_limit() {
        var person = Person.register(api, "counted@example.com");
        String workspace = me(person, "workspace");
        toSecond20();

        assertLimit(person.get("/api/v1/sources"), 200, 3_000, 2_999);
        assertLimit(person.get("/api/v1/sources/" + UUID.randomUUID()), 404, 3_000, 2_998);
        assertLimit(person.post("/api/v1/sources", "{}"), 422, 3_000, 2_997);
        assertLimit(get(api, person, UUID.randomUUID().toString()), 404, 3_000, 2_996);
        setUsed(workspace, 5_000);
        assertLimit(person.get("/api/v1/sources"), 200, 6_000, 999);
    }

    @Test
    void keys_and_sessions_are_counted_apart() {
        var person = Person.register(api, "both@example.com");
        String key = person.post("/api/v1/api-keys", "{'name':'Key'}").text("key");
        toSecond20();
        setUsed(me(person, "user"), 3_000);

        assertThat(person.get("/api/v1/sources").status()).isEqualTo(429);
        assertThat(new ApiClient(sluice.port(), key).get("/api/v1/sources").status())
                .isEqualTo(200);
    }

    @Test
    void what_is_refused_is_counted_in_the_metrics() {
        var person = Person.register(api, "metered@example.com");
        toSecond20();
        setUsed(me(person, "user"), 3_000);
        long before = refusedOfAccounts();

        assertThat(person.get("/api/v1/sources").status()).isEqualTo(429);

        assertThat(refusedOfAccounts()).isEqualTo(before + 1);
    }

    private static long refusedOfAccounts() {
        String line = "sluice_api_refused_requests_total{limit=\"account\"} ";
        return RawHttp.send(sluice.metricsPort(), "GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n")
                .body()
                .lines()
                .filter(each -> each.startsWith(line))
                .mapToLong(each -> (long) Double.parseDouble(each.substring(line.length())))
                .sum();
    }

    @Test
    void counts_of_earlier_minutes_are_deleted() {
        toSecond20();
        String past = UUID.randomUUID().toString();
        setUsed(past, 7);
        clock.advance(Duration.ofMinutes(1));
        String present = UUID.randomUUID().toString();
        setUsed(present, 7);

        try (var db = sluice.db()) {
            db.run(tx -> SessionUseStore.deleteBefore(tx, MinuteWindow.number(clock.instant())));
            var left =
                    db.<List<UUID>>call(tx ->
                            tx.query("select owner from session_use", row -> row.uuid("owner")));
            assertThat(left)
                    .contains(UUID.fromString(present))
                    .doesNotContain(UUID.fromString(past));
        }
    }
}
