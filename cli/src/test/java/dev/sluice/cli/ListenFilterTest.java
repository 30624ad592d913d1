package dev.sluice.cli;

import static org.assertj.core.api.Assertions.assertThat;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.sluice.cli.shell.JsonTree;
import dev.sluice.cli.testkit.CliRun;
import dev.sluice.cli.testkit.LocalService;
import dev.sluice.cli.testkit.RelayServer;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import tools.jackson.databind.JsonNode;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;

/// Tests `--filter` and `--connection` of `listen` and `tail` against the real server.
class ListenFilterTest {

    private static final RelayServer SERVER = RelayServer.shared();

    private static final String NO_SUCH_ID = "018f3c5e-7a03-7000-8000-0000000000ff";

    /// Nothing listens there.
    private static final String DEAD_URL = "http://127.9.8.7:8099/hook";

    @TempDir private Path home;

    private String key = "";
    private String ingestPath = "";

    @BeforeEach
    void makeSource() {
        key = SERVER.newWorkspaceKey();
        ingestPath = makeSource("Shop");
    }

    @Test
    void only_what_matches_is_forwarded_and_the_rest_is_named() {
        String dropped = send("{\"type\": \"a\", \"n\": 1}", "X-Test", "7");
        send("{\"type\": \"b\", \"n\": 2}", "X-Test", "7");
        send("{\"type\": \"b\", \"n\": 3}", "X-Test", "8");
        String last = send("{\"type\": \"b\", \"n\": 4}", "X-Test", "7");
        try (var service = new LocalService()) {
            String[] listen = {
                "listen",
                "--from-start",
                "-f",
                "" + service.port(),
                "--filter",
                "body.type in b,c",
                "--filter",
                "headers.X-Test eq 7",
                "--max-events",
                "2"
            };
            var json = run(with(listen, "-o", "json"));
            var text = run(listen);

            assertThat(json.status()).as(json.err()).isZero();
            var lines = lines(json);
            assertThat(lines)
                    .extracting(line -> line.path("type").asString())
                    .containsExactly(
                            "ready",
                            "filtered",
                            "event",
                            "response",
                            "filtered",
                            "event",
                            "response",
                            "summary");
            assertThat(lines.get(0).path("filter").path("rules")).hasSize(2);
            assertThat(lines.get(1).path("event_id").asString()).isEqualTo(dropped);
            assertThat(lines.get(1).path("source").asString()).isEqualTo("Shop");
            assertThat(lines.get(1).path("reason").asString()).isEqualTo("filter");
            assertThat(lines.get(5).path("id").asString()).isEqualTo(last);
            assertThat(lines.getLast().path("received").asInt()).isEqualTo(4);
            assertThat(lines.getLast().path("filtered").asInt()).isEqualTo(2);
            assertThat(service.bodies())
                    .containsExactly(
                            "{\"type\": \"b\", \"n\": 2}",
                            "{\"type\": \"b\", \"n\": 4}",
                            "{\"type\": \"b\", \"n\": 2}",
                            "{\"type\": \"b\", \"n\": 4}");
            assertThat(text.out().lines())
                    .filteredOn(line -> line.contains(dropped))
                    .singleElement()
                    .asString()
                    .contains("Shop", "--  filtered: it does not match --filter");
            assertThat(text.err())
                    .contains("that match {\"operator\":\"and\"", "4 received", "2 filtered");
        }
    }

    @Test
    void a_filter_is_read_from_a_file_or_standard_input() throws IOException {
        send("{\"n\": 1}");
        send("{\"n\": 2}");
        String rules =
                "{\"operator\": \"or\", \"rules\": [\n"
                        + "  {\"path\": \"body.n\", \"op\": \"gt\", \"value\": 1}]}\n";
        var file = Files.writeString(home.resolve("rules.json"), rules);
        String[] tail = {"tail", "--from-start", "--payload", "--max-events", "1"};

        var fromFile = run(with(tail, "--filter", "@" + file, "-o", "json"));
        var piped = cli().runWithInput(rules, with(tail, "--filter", "@-", "-o", "json"));

        assertThat(fromFile.status()).as(fromFile.err()).isZero();
        assertThat(fromFile.out()).contains("{\\\"n\\\": 2}").doesNotContain("{\\\"n\\\": 1}");
        assertThat(piped.out()).isEqualTo(fromFile.out());
    }

    @Test
    void a_connection_s_filter_and_transformation_decide_what_comes() {
        String connection =
                connect(
                        "filter_rules:={\"operator\":\"and\",\"rules\":"
                                + "[{\"path\":\"body.keep\",\"op\":\"eq\",\"value\":true}]}",
                        "transformation:={\"merge_body_fields\":{\"note\":\"changed\"}}");
        String other = makeSource("Other");
        SERVER.ingest(other, "{\"keep\": true, \"of\": \"other\"}".getBytes(UTF_8));
        send("{\"keep\": false}");
        send("{\"keep\": true}");
        try (var service = new LocalService()) {
            var listen =
                    run(
                            "listen",
                            "--from-start",
                            "-f",
                            "" + service.port(),
                            "--connection",
                            connection,
                            "--max-events",
                            "1",
                            "-o",
                            "json");

            assertThat(listen.status()).as(listen.err()).isZero();
            assertThat(service.bodies()).singleElement().asString().contains("changed");
            var lines = lines(listen);
            assertThat(lines.getFirst().path("connection_id").asString()).isEqualTo(connection);
            assertThat(lines.getFirst().path("sources")).hasSize(1);
            assertThat(lines.get(1).path("reason").asString()).isEqualTo("connection_filter");
            assertThat(lines.get(1).path("message").asString()).contains("connection's filter");
        }
    }

    @Test
    void a_connection_that_is_deleted_meanwhile_ends_the_command() {
        String connection = connect();
        var tail = cli().runInBackground("tail", "--connection", connection);
        tail.awaitOutput("as connection " + connection + " sends them");
        tail.awaitOutput("Ready.");

        assertThat(run("connections", "delete", connection).status()).isZero();

        var end = tail.awaitEnd();
        assertThat(end.status()).as(end.err()).isEqualTo(3);
        assertThat(end.err()).contains("connection");
    }

    /// The place of one filter says nothing of what another would have shown before it.
    @Test
    void each_filter_catches_up_from_its_own_place() {
        try (var service = new LocalService()) {
            String[] listen = {"listen", "-f", "" + service.port(), "--max-events", "1"};
            var first = cli().runInBackground(with(listen, "--filter", "body.type eq b"));
            first.awaitOutput("Ready.");
            send("{\"type\": \"a\"}");
            send("{\"type\": \"b\"}");
            assertThat(first.awaitEnd().status()).isZero();
            send("{\"type\": \"b\", \"n\": 2}");

            var without = run(with(listen, "--catch-up", "--duration", "1s"));
            var same = run(with(listen, "--filter", "body.type eq b", "--catch-up"));

            assertThat(without.status()).isEqualTo(124);
            assertThat(without.err()).contains("were not listened to before");
            assertThat(same.status()).as(same.err()).isZero();
            assertThat(service.bodies())
                    .containsExactly("{\"type\": \"b\"}", "{\"type\": \"b\", \"n\": 2}");
        }
    }

    @Test
    void what_is_wrong_with_a_filter_or_a_connection_is_one_line_with_the_fix() {
        String connection = connect();
        makeSource("Other");

        assertRefused(run("tail", "--filter", "body.type=a"), 2, "body.type eq order.created");
        assertRefused(run("tail", "--filter", "{\"operator\""), 2, "no JSON object");
        assertRefused(run("tail", "--filter", "@nowhere"), 2, "nowhere");
        assertRefused(run("tail", "--filter", "body.n like 1"), 5, "contains");
        assertRefused(run("tail", "--filter", "type eq 1"), 5, "path");
        assertRefused(run("tail", "--filter", "body.n eq"), 5, "value");
        assertRefused(run("tail", "--filter", "{}"), 5, "operator");
        assertRefused(run("tail", "--connection", "Shop"), 2, "sluice connections list");
        assertRefused(run("tail", "--connection", NO_SUCH_ID), 3, "connection");
        assertRefused(run("tail", "Other", "--connection", connection), 3, "connection");
        var stranger =
                new CliRunner(home)
                        .with("SLUICE_SERVER", SERVER.url())
                        .with("SLUICE_API_KEY", SERVER.newWorkspaceKey());
        assertRefused(stranger.run("tail", "--connection", connection), 3, "connection");
    }

    private static void assertRefused(CliRun run, int status, String part) {
        assertThat(run.status()).as(run.err()).isEqualTo(status);
        assertThat(run.err().lines().filter(line -> !line.startsWith("Summary"))).hasSize(1);
        assertThat(run.err()).contains(part);
        assertThat(run.out()).isEmpty();
    }

    private String makeSource(String name) {
        return run("sources", "create", "name=" + name, "-o", "json")
                .json()
                .path("ingest_path")
                .asString();
    }

    /// Connects the source to a destination where nothing listens.
    ///
    /// @return the connection's id
    private String connect(String... fields) {
        var source = run("sources", "get", "Shop", "-o", "json").json();
        var destination =
                run("destinations", "create", "name=App", "url=" + DEAD_URL, "-o", "json").json();
        String[] create = {
            "connections",
            "create",
            "source_id=" + source.path("id").asString(),
            "destination_id=" + destination.path("id").asString(),
            "-o",
            "json"
        };
        var created = run(with(create, fields));
        assertThat(created.status()).as(created.err()).isZero();
        return created.json().path("id").asString();
    }

    private String send(String body, String... headers) {
        return SERVER.ingest(ingestPath, body.getBytes(UTF_8), headers);
    }

    private static List<JsonNode> lines(CliRun run) {
        return run.out().lines().map(JsonTree::read).toList();
    }

    private static String[] with(String[] args, String... more) {
        var all = Arrays.copyOf(args, args.length + more.length);
        System.arraycopy(more, 0, all, args.length, more.length);
        return all;
    }

    private CliRun run(String... args) {
        return cli().run(args);
    }

    private CliRunner cli() {
        return new CliRunner(home).with("SLUICE_SERVER", SERVER.url()).with("SLUICE_API_KEY", key);
    }
}
