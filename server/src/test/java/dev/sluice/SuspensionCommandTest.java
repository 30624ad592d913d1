package dev.sluice;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sluice.platform.config.Settings;
import dev.sluice.platform.db.Database;
import dev.sluice.testkit.ApiClient;
import dev.sluice.testkit.ApiClient.ApiResponse;
import dev.sluice.testkit.Person;
import dev.sluice.testkit.Receiver;
import dev.sluice.testkit.SseClient;
import dev.sluice.testkit.TestPostgres;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import tools.jackson.databind.JsonNode;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;

/// Tests `sluice suspend` and `sluice resume` beside a running server.
class SuspensionCommandTest {

    private record CommandRun(int status, String out, String err) {}

    private static final String UNKNOWN = "018f0000-0000-7000-8000-000000000000";

    @AutoClose
    private static final RunningSluice sluice =
            RunningSluice.start(Map.of("SLUICE_REGISTRATION", "open"));

    @AutoClose private static final Receiver receiver = Receiver.start();

    private static final ApiClient api = sluice.api();
    private static final String workspace = workspace(api.get("/api/v1/me"));

    @AfterEach
    void resume() {
        assertThat(run("resume", workspace).status).isZero();
        await().untilAsserted(() -> assertThat(ingest(api.source("any")).status()).isEqualTo(200));
    }

    private static String workspace(ApiResponse me) {
        return me.json().path("workspace").path("id").asString();
    }

    private static CommandRun run(String command, String... arguments) {
        return run(sluice.database(), command, arguments);
    }

    private static CommandRun run(Database database, String command, String... arguments) {
        var settings =
                new Settings(
                        Map.of(
                                "SLUICE_DATABASE_URL",
                                TestPostgres.url(database),
                                "SLUICE_MASTER_KEY",
                                RunningSluice.MASTER_KEY));
        var config = Config.read(settings);
        var out = new ByteArrayOutputStream();
        var err = new ByteArrayOutputStream();
        int status =
                command.equals("suspend")
                        ? SuspensionCommand.suspend(
                                config, List.of(arguments), print(out), print(err))
                        : SuspensionCommand.resume(
                                config, List.of(arguments), print(out), print(err));
        return new CommandRun(
                status, out.toString(StandardCharsets.UTF_8), err.toString(StandardCharsets.UTF_8));
    }

    private static PrintStream print(ByteArrayOutputStream to) {
        return new PrintStream(to, true, StandardCharsets.UTF_8);
    }

    private static ApiResponse ingest(ApiResponse source) {
        return api.ingest(source.text("ingest_path"), "{}");
    }

    /// Suspends the workspace, and waits until ingest knows. Returns a source of the workspace.
    private static ApiResponse suspendAndWait() {
        var source = api.source("suspended");
        assertThat(run("suspend", workspace).status).isZero();
        await().atMost(Duration.ofSeconds(5))
                .untilAsserted(() -> assertThat(ingest(source).status()).isEqualTo(429));
        return source;
    }

    @Test
    void ingest_of_a_suspended_workspace_answers_429_and_says_why() {
        var source = suspendAndWait();

        var refused = ingest(source);
        assertThat(refused.errorCode()).isEqualTo("rate_limited");
        assertThat(refused.errorMessage())
                .isEqualTo(
                        "The workspace of this source is suspended. Nothing was stored. Try again"
                                + " in 300 s.");
        assertThat(refused.header("Retry-After")).contains("300");
    }

    @Test
    void refused_webhooks_of_a_suspended_workspace_are_counted_with_their_reason() {
        var source = suspendAndWait();
        assertThat(run("resume", workspace).status).isZero();

        await().untilAsserted(() ->
                assertThat(
                                api.get("/api/v1/sources/" + source.text("id") + "/refusals")
                                        .json()
                                        .path("items")
                                        .path(0)
                                        .path("reason")
                                        .asString())
                        .isEqualTo("workspace_suspended"));
    }

    @Test
    void a_key_of_a_suspended_workspace_gets_403_with_the_reason() {
        assertThat(run("suspend", workspace, "--reason", "Write to ops@example.com").status)
                .isZero();

        var refused = api.get("/api/v1/sources");
        var me = api.get("/api/v1/me");

        assertThat(refused.status()).isEqualTo(403);
        assertThat(refused.errorCode()).isEqualTo("workspace_suspended");
        assertThat(refused.errorMessage())
                .isEqualTo(
                        "The operator of this server has suspended the workspace: Write to"
                                + " ops@example.com");
        assertThat(me.status()).isEqualTo(200);
        assertThat(me.json().path("workspace").path("suspension").path("reason").asString())
                .isEqualTo("Write to ops@example.com");
    }

    @Test
    void a_person_in_a_suspended_workspace_signs_in_lists_and_switches_and_nothing_else() {
        var person = Person.register(api, "p@example.com");
        String own = workspace(person.get("/api/v1/me"));
        var other = person.post("/api/v1/workspaces", "{'name':'other'}");
        assertThat(run("suspend", own).status).isZero();

        var again = Person.signIn(api, "p@example.com");
        var listed = again.get("/api/v1/workspaces");

        assertThat(listed.status()).isEqualTo(200);
        assertThat(listed.json().path("items").path(0).path("suspension").has("since")).isTrue();
        assertThat(listed.json().path("items").path(1).path("suspension").isNull()).isTrue();
        assertThat(again.get("/api/v1/sources").errorCode()).isEqualTo("workspace_suspended");
        assertThat(again.patch("/api/v1/workspaces/" + own, "{'name':'x'}").errorCode())
                .isEqualTo("workspace_suspended");
        assertThat(again.delete("/api/v1/workspaces/" + own).errorCode())
                .isEqualTo("workspace_suspended");
        assertThat(again.get("/api/v1/workspaces/" + own).status()).isEqualTo(200);
        assertThat(again.post("/api/v1/workspaces/" + other.text("id") + "/switch", "").status())
                .isEqualTo(200);
        assertThat(again.get("/api/v1/sources").status()).isEqualTo(200);
    }

    @Test
    void deliveries_of_a_suspended_workspace_wait_and_are_sent_when_it_is_resumed() {
        var gate = new CountDownLatch(1);
        receiver.willDo(
                new Receiver.GatedBehaviour(gate, Receiver.answer(200, "")),
                Receiver.answer(200, ""));
        var source = api.source("s");
        api.connect(source, api.destination(receiver.url(), ", 'max_in_flight': 1"));
        for (int i = 0; i < 3; i++) {
            assertThat(ingest(source).status()).isEqualTo(200);
        }
        await().untilAsserted(() -> assertThat(receiver.requests()).hasSize(1));
        var _ = suspendAndWait();

        gate.countDown();

        await().pollDelay(Duration.ZERO)
                .during(Duration.ofSeconds(2))
                .untilAsserted(() -> assertThat(receiver.requests()).hasSize(1));
        assertThat(run("resume", workspace).status).isZero();
        await().untilAsserted(() -> assertThat(receiver.requests()).hasSize(3));
    }

    @Test
    void a_stream_of_a_suspended_workspace_ends_and_says_why() {
        try (var stream = SseClient.open(sluice.port(), "/api/v1/stream", RunningSluice.API_KEY)) {
            stream.awaitReady();

            assertThat(run("suspend", workspace).status).isZero();

            await().untilAsserted(() ->
                    assertThat(stream.messages("bye"))
                            .first()
                            .satisfies(bye ->
                                    assertThat(bye.data().path("reason").asString())
                                            .isEqualTo("workspace_suspended")));
        }
    }

    @Test
    void a_server_that_starts_knows_which_workspaces_are_suspended() {
        String ingestPath = api.source("s").text("ingest_path");
        assertThat(run("suspend", workspace).status).isZero();

        try (var other = sluice.startBeside()) {
            assertThat(api.onPort(other.port()).ingest(ingestPath, "{}").status()).isEqualTo(429);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"suspend", "resume"})
    void a_repeated_command_changes_nothing_and_says_so(String command) {
        assertThat(run("suspend", workspace, "--reason", "x").status).isZero();
        String[] arguments =
                command.equals("suspend")
                        ? new String[] {workspace, "--reason", "x"}
                        : new String[] {workspace};
        assertThat(run(command, arguments).status).isZero();
        long version = configurationVersion();

        var repeated = run(command, arguments);

        assertThat(repeated)
                .isEqualTo(
                        new CommandRun(
                                0,
                                command.equals("suspend")
                                        ? "The workspace Default was suspended already.\n"
                                        : "The workspace Default was not suspended.\n",
                                ""));
        assertThat(configurationVersion()).isEqualTo(version);
    }

    private static long configurationVersion() {
        try (var db = sluice.db()) {
            return db.call(tx ->
                    tx.single("select version from config_version", row -> row.number("version")));
        }
    }

    @Test
    void another_reason_replaces_the_reason_and_not_the_time() {
        assertThat(run("suspend", workspace, "--reason", "x").status).isZero();
        var first = suspension();

        assertThat(run("suspend", workspace, "--reason", "y").out)
                .startsWith("The workspace Default is suspended.");

        assertThat(suspension().path("reason").asString()).isEqualTo("y");
        assertThat(suspension().path("since")).isEqualTo(first.path("since"));
    }

    private static JsonNode suspension() {
        return api.get("/api/v1/me").json().path("workspace").path("suspension");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
                    suspend |                              | 2 | Usage: sluice suspend WORKSPACE [--reason TEXT]. WORKSPACE is the workspace's id. Its members read TEXT.
                    suspend | Default                      | 2 | WORKSPACE must be the id of a workspace, a UUID.
                    suspend | %s                           | 1 | There is no workspace with this id.
                    suspend | %s --reason                  | 2 | Usage: sluice suspend WORKSPACE [--reason TEXT]. WORKSPACE is the workspace's id. Its members read TEXT.
                    resume  | %s                           | 1 | There is no workspace with this id.
                    resume  | %s --reason x                | 2 | Usage: sluice resume WORKSPACE. WORKSPACE is the workspace's id.
                    """)
    void a_wrong_argument_is_named(String command, String arguments, int status, String message) {
        String[] words =
                arguments == null ? new String[0] : arguments.replace("%s", UNKNOWN).split(" ", -1);

        assertThat(run(command, words)).isEqualTo(new CommandRun(status, "", message + "\n"));
    }

    @Test
    void a_reason_of_two_lines_is_refused() {
        assertThat(run("suspend", workspace, "--reason", "a\nb"))
                .isEqualTo(
                        new CommandRun(2, "", "TEXT must be one line of 1 to 200 characters.\n"));
    }
}
