package dev.sluice.cli;

import static dev.sluice.cli.testkit.CliRun.assertRefused;

import static org.assertj.core.api.Assertions.assertThat;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.sluice.cli.testkit.CliRun;
import dev.sluice.cli.testkit.RelayServer;
import dev.sluice.cli.testkit.ScriptedServer;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/// Tests `dlq` against the real server.
class DeadLetterCommandsTest {

    private static final String NO_SUCH_ID = "018f3c5e-7a03-7000-8000-0000000000ff";

    private static final Duration LIMIT = Duration.ofSeconds(60);

    @TempDir private static Path home;

    private static Shop shop;

    /// The ids of the connections to the destinations `App 0` and so on.
    private static List<String> connections;

    /// Makes destinations where nothing listens, and lets two deliveries to each fail. One request
    /// a second asks for them, since the workspace's requests are limited.
    @BeforeAll
    static void makeDeadLetters() {
        shop = new Shop(home);
        connections = IntStream.range(0, 4).mapToObj(DeadLetterCommandsTest::connect).toList();
        Awaitility.await()
                .atMost(LIMIT)
                .pollInterval(Duration.ofSeconds(1))
                .until(() -> dlq("list").json().path("total").asInt() == 8);
    }

    private static String connect(int number) {
        var source = ok("sources", "create", "name=Shop " + number).json();
        String target =
                id(
                        ok(
                                "destinations",
                                "create",
                                "name=App " + number,
                                "url=http://127.9.8.7:8099/hook",
                                "retry_policy:={\"intervals_seconds\":[1]}"));
        String connection =
                id(
                        ok(
                                "connections",
                                "create",
                                "source_id=" + source.path("id").asString(),
                                "destination_id=" + target));
        for (String body : Shop.bodies(0, 2)) {
            RelayServer.shared()
                    .ingest(source.path("ingest_path").asString(), body.getBytes(UTF_8));
        }
        return connection;
    }

    @Test
    void they_are_listed_summed_up_and_grouped_by_the_same_filter() {
        String[] matching = {"--destination", "App 0", "--error-code", "connect_refused"};
        String[] other = {"--destination", "App 0", "--response-status", "500"};

        assertThat(dlq("list", matching).json().path("total").asInt()).isEqualTo(2);
        assertThat(dlq("list", other).json().path("total").asInt()).isZero();
        assertThat(dlq("groups", matching).json().path("items").path(0).path("count").asInt())
                .isEqualTo(2);
        assertThat(dlq("groups", other).json().path("items")).isEmpty();
        var summary = ok("dlq", "summary", "Shop 0", "--resolved", "false");
        assertThat(summary.json().path("items").path(0).path("exhausted").asInt()).isEqualTo(2);
        assertThat(
                        shop.run(
                                        "dlq",
                                        "list",
                                        "--connection",
                                        connections.get(0),
                                        "--status",
                                        "exhausted")
                                .out())
                .contains("App 0");
    }

    @Test
    void they_are_counted_and_then_resent_with_the_counts_at_the_end() {
        String[] filter = {
            "dlq", "resend", "--destination", "App 1", "--status", "exhausted", "--since", "1h"
        };

        var counted = shop.run(with(filter, "--dry-run"));
        var first = shop.run(with(filter, "--limit", "1"));
        var rest = shop.run(with(filter, "--per-second", "100", "-o", "json"));

        assertThat(counted.out()).isEqualTo("Would create 2 deliveries.\n");
        assertThat(first.status()).as(first.err()).isZero();
        assertThat(first.out()).isEqualTo("Created 1 deliveries.\n");
        assertThat(rest.json().path("status").asString()).isEqualTo("completed");
        assertThat(rest.json().path("per_second").asInt()).isEqualTo(100);
    }

    @Test
    void a_resend_that_is_not_waited_for_names_its_job() {
        var resend = shop.run("dlq", "resend", "--connection", connections.get(2), "--no-wait");

        assertThat(resend.out())
                .matches("Replay [0-9a-f-]{36} creates 2 deliveries; `sluice api GET .*\\R");
    }

    @Test
    void they_are_dismissed_and_that_is_taken_back() {
        String[] filter = {"--destination", "App 3"};

        assertThat(shop.run(with(new String[] {"dlq", "dismiss"}, filter)).out())
                .isEqualTo("2 dead letters dismissed.\n");
        assertThat(unresolved(connections.get(3))).isZero();
        assertThat(shop.run("dlq", "resend", "--destination", "App 3").out())
                .contains("no unresolved dead letter matches");
        assertThat(dlq("undismiss", filter).json().path("undismissed").asInt()).isEqualTo(2);
        assertThat(unresolved(connections.get(3))).isEqualTo(2);
    }

    @Test
    void a_dismissal_goes_on_where_the_time_of_a_request_was_over() {
        try (var server = new ScriptedServer()) {
            server.answer(200, Map.of(), dismissed(3, "\"one\""))
                    .answer(200, Map.of(), dismissed(0, "\"two\""))
                    .answer(200, Map.of(), dismissed(4, "null"));

            var run = shop.run("dlq", "dismiss", "--connection", "1", "--server", server.url());

            assertThat(run.status()).as(run.err()).isZero();
            assertThat(run.out()).isEqualTo("7 dead letters dismissed.\n");
            assertThat(run.err().lines()).containsExactly("3 dismissed", "3 dismissed");
            assertThat(server.bodies())
                    .containsExactly(
                            "{\"connection_id\":\"1\"}",
                            "{\"connection_id\":\"1\",\"cursor\":\"one\"}",
                            "{\"connection_id\":\"1\",\"cursor\":\"two\"}");
        }
    }

    private static String dismissed(int count, String cursor) {
        return "{\"dismissed\":%d,\"is_complete\":%s,\"next_cursor\":%s}"
                .formatted(count, cursor.equals("null"), cursor);
    }

    @Test
    void all_of_a_workspace_are_changed_only_when_that_is_said() {
        assertRefused(shop.run("dlq", "resend"), 2, "--all");
        assertRefused(shop.run("dlq", "dismiss"), 2, "--all");
        assertRefused(shop.run("dlq", "undismiss"), 2, "--all");
        assertThat(shop.run("dlq", "resend", "--dry-run").out()).startsWith("Would create ");
        assertThat(shop.run("dlq", "undismiss", "--all").status()).isZero();
    }

    @Test
    void what_the_server_refuses_is_one_line_with_its_exit_code() {
        assertRefused(shop.run("dlq", "resend", "--connection", NO_SUCH_ID), 3, "connection");
        assertRefused(shop.run("dlq", "resend", "--destination", "Nobody"), 3, "Nobody");
        assertRefused(
                shop.run("dlq", "resend", "--destination", "App 0", "--limit", "0"), 5, "limit");
        assertRefused(shop.run("dlq", "resend", "--status", "succeeded"), 5, "status");
        assertRefused(shop.run("dlq", "list", "--resolved", "maybe"), 2, "--resolved");
    }

    @Test
    void progress_is_shown_and_a_resend_that_does_not_complete_fails_with_its_counts() {
        try (var server = new ScriptedServer()) {
            server.answer(202, Map.of(), "{\"created\":9,\"is_exact\":true,\"replay_id\":\"7\"}")
                    .answer(200, Map.of(), replay("running", 3, "null"))
                    .answer(200, Map.of(), replay("paused", 4, "\"It was paused.\""))
                    .answer(200, Map.of(), replay("cancelled", 5, "\"It was cancelled.\""));

            var run = shop.run("dlq", "resend", "--connection", "1", "--server", server.url());

            assertThat(run.status()).isEqualTo(1);
            assertThat(run.out()).isEqualTo("Created 5 deliveries. Left out 2 events.\n");
            assertThat(run.err().lines())
                    .satisfiesExactly(
                            line -> assertThat(line).contains("replays/7/cancel"),
                            line -> assertThat(line).isEqualTo("3 of 9 deliveries created"),
                            line -> assertThat(line).contains("paused. It was paused."),
                            line -> assertThat(line).contains("cancelled. It was cancelled."));
        }
    }

    private static String replay(String status, int created, String reason) {
        return "{\"status\":\"%s\",\"created\":%d,\"planned\":9,\"is_exact\":true,\"skipped\":2,\"reason\":%s}"
                .formatted(status, created, reason);
    }

    private static int unresolved(String connection) {
        return dlq("list", "--connection", connection, "--resolved", "false")
                .json()
                .path("total")
                .asInt();
    }

    private static CliRun dlq(String command, String... options) {
        return ok(with(new String[] {"dlq", command}, options));
    }

    private static String[] with(String[] args, String... more) {
        var all = Arrays.copyOf(args, args.length + more.length);
        System.arraycopy(more, 0, all, args.length, more.length);
        return all;
    }

    private static CliRun ok(String... args) {
        return shop.run(with(args, "-o", "json")).assertOk();
    }

    private static String id(CliRun run) {
        return run.json().path("id").asString();
    }
}
