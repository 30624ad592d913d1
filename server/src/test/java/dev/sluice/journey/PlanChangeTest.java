package dev.sluice.journey;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;

import dev.sluice.RunningSluice;
import dev.sluice.account.assembly.AccountAssembly;
import dev.sluice.platform.db.Db;
import dev.sluice.testkit.ApiClient.ApiResponse;
import dev.sluice.testkit.ManualClock;
import dev.sluice.testkit.Person;
import dev.sluice.testkit.TestPostgres;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.slf4j.LoggerFactory;

import java.net.http.HttpRequest.BodyPublishers;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;

/// Tests that an owner changes the plan of a workspace, and that its limits are then in force. Two
/// nodes share the database; the clock moves only when a test moves it.
class PlanChangeTest {

    private static final String PLANS_JSON =
            """
            {"items": [
              {"name": "long",   "limits": {"retention_days": 30}},
              {"name": "short",  "limits": {"retention_days": 2}},
              {"name": "one",    "limits": {"sources": 1, "retention_days": 30}},
              {"name": "closed", "limits": {"ingest_per_minute_per_source": 0, "retention_days": 30}}
            ]}
            """;

    private static final ManualClock clock = new ManualClock(Instant.parse("2026-03-10T12:00:20Z"));

    @AutoClose
    private static final RunningSluice sluice =
            RunningSluice.startWithPlans(PLANS_JSON, clock, Map.of("SLUICE_REGISTRATION", "open"));

    private static final RunningSluice second = sluice.second();
    private static int people;

    private Person owner;
    private String planPath;

    @BeforeEach
    void register() {
        people++;
        owner = Person.register(sluice.api(), "owner" + people + "@example.com");
        planPath = planPath(owner);
    }

    private static String planPath(Person person) {
        return "/api/v1/workspaces/"
                + person.get("/api/v1/me").json().path("workspace").path("id").asString()
                + "/plan";
    }

    private ApiResponse source() {
        return owner.post("/api/v1/sources", "{'name':'Source'}");
    }

    @Test
    void a_new_plans_source_limit_is_in_force_with_the_answer() {
        assertThat(source().status()).isEqualTo(201);

        var changed = owner.put(planPath, "{'plan':'one'}");

        assertThat(changed.status()).as(changed.body()).isEqualTo(200);
        assertThat(changed.text("plan")).isEqualTo("one");
        assertThat(changed.text("role")).isEqualTo("owner");
        assertThat(source().status()).isEqualTo(402);
        assertThat(owner.put(planPath, "{'plan':'long'}").status()).isEqualTo(200);
        assertThat(source().status()).isEqualTo(201);
    }

    @Test
    void a_new_plans_ingest_limit_is_in_force_with_the_answer() {
        String path = source().text("ingest_path");

        for (int i = 0; i < 5; i++) {
            assertThat(owner.put(planPath, "{'plan':'closed'}").status()).isEqualTo(200);
            assertThat(sluice.api().ingest(path, "{}").status()).isEqualTo(429);
            assertThat(owner.put(planPath, "{'plan':'long'}").status()).isEqualTo(200);
            assertThat(sluice.api().ingest(path, "{}").status()).isEqualTo(200);
        }
    }

    @Test
    void a_new_plan_is_in_force_on_another_node() {
        var source = source();
        var elsewhere = sluice.api().onPort(second.port());
        String path = source.text("ingest_path");
        await().untilAsserted(
                        () -> assertThat(elsewhere.ingest(path, "{}").status()).isEqualTo(200));

        owner.put(planPath, "{'plan':'closed'}");

        await().untilAsserted(
                        () -> assertThat(elsewhere.ingest(path, "{}").status()).isEqualTo(429));
    }

    @Test
    void a_shorter_retention_must_be_confirmed_and_the_refusal_counts_the_events_that_would_go() {
        var old = source().text("ingest_path");
        sluice.api().ingest(old, "{}");
        sluice.api().ingest(old, "{}");
        clock.advance(Duration.ofDays(3));
        sluice.api().ingest(old, "{}");
        await().untilAsserted(() ->
                assertThat(owner.put(planPath, "{'plan':'short'}").errorMessage())
                        .isEqualTo(
                                "The plan keeps events for 2 days, which is shorter than now. About"
                                        + " 2 stored events would expire at once. Send \"confirm\":"
                                        + " true to change it anyway."));
        var refused = owner.put(planPath, "{'plan':'short','confirm':false}");
        assertThat(refused.status()).isEqualTo(409);
        assertThat(owner.get("/api/v1/events").json().path("total").asInt()).isEqualTo(3);

        assertThat(owner.put(planPath, "{'plan':'short','confirm':true}").status()).isEqualTo(200);

        assertThat(owner.get("/api/v1/events").json().path("total").asInt()).isEqualTo(1);
        assertThat(owner.put(planPath, "{'plan':'long'}").status()).isEqualTo(200);
    }

    @Test
    void a_change_that_is_not_confirmed_writes_nothing() {
        try (var db = TestPostgres.open(sluice.database())) {
            var before = written(db);

            var refused =
                    owner.send(
                            Person.withBody(owner.request(planPath), "")
                                    .header("Idempotency-Key", "once")
                                    .PUT(BodyPublishers.ofString("{\"plan\":\"short\"}")));

            assertThat(refused.status()).as(refused.body()).isEqualTo(409);
            assertThat(written(db)).isEqualTo(before);
            assertThat(owner.put(planPath, "{'plan':'short','confirm':true}").status())
                    .isEqualTo(200);
            assertThat(written(db)).isNotEqualTo(before);
        }
    }

    /// Returns what the change of a plan may write, as text.
    private static String written(Db db) {
        return db.call(tx ->
                tx.single(
                        """
                        select concat_ws(' ',
                                 (select version from config_version),
                                 (select json_agg(workspace order by id) from workspace),
                                 (select json_agg(audit_log order by id) from audit_log),
                                 (select json_agg(idempotency_key order by owner_id, key)
                                    from idempotency_key)) as rows
                        """,
                        row -> row.text("rows")));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '"',
            textBlock =
                    """
                    {}                             | plan is required.
                    {'plan':null}                  | plan is required.
                    {'plan':'huge'}                | plan must be one of closed, long, one, short.
                    {'plan':7}                     | plan must be one of closed, long, one, short.
                    {'plan':'one','confirm':'yes'} | confirm must be true or false.
                    {'plan':'one','confirm':null}  | confirm cannot be null.
                    {'plan':'one','name':'x'}      | name is not a known field.
                    """)
    void a_wrong_field_is_named(String body, String message) {
        var refused = owner.put(planPath, body);

        assertThat(refused.status()).isEqualTo(422);
        assertThat(refused.errorMessage()).isEqualTo(message);
        assertThat(owner.get("/api/v1/me").json().path("workspace").path("plan").asString())
                .isEqualTo("long");
    }

    @Test
    void where_the_operator_changes_plans_an_owner_is_refused_with_the_reason() {
        try (var strict =
                RunningSluice.start(
                        Map.of("SLUICE_REGISTRATION", "open", "SLUICE_PLAN_CHANGE", "operator"))) {
            var person = Person.register(strict.api(), "owner@example.com");

            var refused = person.put(planPath(person), "{'plan':'team'}");

            assertThat(refused.status()).isEqualTo(403);
            assertThat(refused.errorMessage())
                    .isEqualTo(
                            "On this server only the operator changes plans, with `sluice"
                                    + " set-plan`.");
        }
    }

    @Test
    void open_registration_warns_unless_the_operator_changes_plans() {
        var open = Map.of("SLUICE_REGISTRATION", "open");
        var strict = Map.of("SLUICE_REGISTRATION", "open", "SLUICE_PLAN_CHANGE", "operator");

        assertThat(warningsOfStart(open)).containsExactly("plans.exposed");
        assertThat(warningsOfStart(strict)).isEmpty();
        assertThat(warningsOfStart(Map.of())).isEmpty();
    }

    /// Returns what the start logged. Other test classes start servers at the same time, so only
    /// this thread's lines count.
    private static List<String> warningsOfStart(Map<String, String> settings) {
        var logger = (Logger) LoggerFactory.getLogger(AccountAssembly.class);
        var lines = new ListAppender<ILoggingEvent>();
        lines.start();
        logger.addAppender(lines);
        try (var _ = RunningSluice.start(settings)) {
            return List.copyOf(lines.list).stream()
                    .filter(line -> line.getThreadName().equals(Thread.currentThread().getName()))
                    .map(ILoggingEvent::getMessage)
                    .toList();
        } finally {
            logger.detachAppender(lines);
        }
    }
}
