package dev.sluice.cli;

import static dev.sluice.cli.testkit.CliRun.assertRefused;

import static org.assertj.core.api.Assertions.assertThat;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.sluice.cli.testkit.CliRun;
import dev.sluice.cli.testkit.RelayServer;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/// Tests the commands that call the API, against the real server.
class ResourceTest {

    private static final RelayServer SERVER = RelayServer.shared();

    /// Nothing listens there, so each attempt fails at once.
    private static final String DEAD_URL = "http://127.9.8.7:8099/hook";

    private static final String NO_SUCH_ID = "018f3c5e-7a01-7000-8000-0000000000ff";

    @TempDir private Path home;

    private String key = "";

    @BeforeEach
    void makeWorkspace() {
        key = SERVER.newWorkspaceKey();
    }

    @BeforeAll
    static void startServer() {
        assertThat(SERVER.port()).isPositive();
    }

    @Test
    void a_source_is_created_shown_changed_deleted_and_restored_by_its_name() {
        String id =
                ok("sources", "create", "name=Shop", "color=#123456", "-o", "json")
                        .json()
                        .path("id")
                        .asString();

        assertThat(ok("sources", "list").out())
                .containsSubsequence("ID", "NAME", "STATUS", "\n", id, "Shop", "active");
        assertThat(ok("sources", "get", "Shop").out()).contains("#123456");
        ok("sources", "update", "Shop", "status=paused", "description:=null");
        assertThat(ok("sources", "get", "Shop", "-o", "json").json().path("status").asString())
                .isEqualTo("paused");
        assertThat(ok("sources", "list", "-o", "quiet").out())
                .isEqualTo(id + System.lineSeparator());
        assertThat(ok("sources", "delete", "Shop").err()).contains("sluice sources restore " + id);
        assertThat(run("sources", "get", "Shop").status()).isEqualTo(3);
        assertThat(ok("sources", "trash").out()).contains(id);
        ok("sources", "restore", id);
        assertThat(ok("sources", "get", "Shop", "-o", "json").json().path("id").asString())
                .isEqualTo(id);
    }

    @Test
    void a_page_says_whether_another_follows() {
        for (int number = 1; number <= 3; number++) {
            ok("sources", "create", "name=Shop " + number);
        }

        assertThat(ok("sources", "list", "--limit", "2").err()).contains("`--page 2`");
        assertThat(ok("sources", "list", "--limit", "2", "--page", "2").err()).isEmpty();
        assertThat(ok("sources", "list", "--limit", "2", "--page", "3").err()).isEmpty();
    }

    @Test
    void json_output_is_the_server_s_answer() {
        ok("sources", "create", "name=Laden Übersee");

        var viaList = ok("sources", "list", "-o", "json").out();
        var viaApi = ok("api", "GET", "sources").out();

        assertThat(viaList).isEqualTo(viaApi).contains("Laden Übersee");
    }

    @Test
    void a_secret_is_read_from_a_file_and_never_shown() throws IOException {
        var secret = Files.writeString(home.resolve("secret.txt"), "s3cret-s3cret\n");

        var created =
                ok(
                        "destinations",
                        "create",
                        "name=App",
                        "url=" + DEAD_URL,
                        "timeout_ms:=2500",
                        "auth_config.type=hmac",
                        "auth_config.secret=@" + secret);

        assertThat(created.out()).contains("2500", "hmac", "***").doesNotContain("s3cret");
    }

    @Test
    void fields_come_from_a_file_or_standard_input_too() throws IOException {
        var file =
                Files.writeString(
                        home.resolve("source.json"),
                        "{\"name\": \"From file\", \"status\": \"paused\"}");

        ok("sources", "create", "-d", "@" + file, "status=active");
        var piped = cli().runWithInput("{\"name\": \"Piped\"}", "sources", "create", "-d", "@-");

        assertThat(piped.status()).as(piped.err()).isZero();
        assertThat(ok("sources", "get", "From file", "-o", "json").json().path("status").asString())
                .isEqualTo("active");
    }

    @Test
    void connections_are_made_and_keys_listed() {
        String connection = connect("Shop", "App");

        assertThat(ok("connections", "list").out()).contains(connection, "App");
        ok("connections", "update", connection, "enabled:=false");
        assertThat(ok("connections", "get", connection).out()).contains("enabled").contains("no");
        ok("connections", "delete", connection);
        assertThat(ok("connections", "list", "-o", "json").json().path("items")).isEmpty();
        assertThat(ok("keys", "list").out())
                .contains("command line", key.substring(0, 12))
                .doesNotContain(key);
    }

    @Test
    void errors_of_the_server_are_one_line_with_the_field_and_have_their_exit_code() {
        connect("Shop", "App");

        assertRefused(run("sources", "create", "name="), 5, "name");
        assertRefused(run("sources", "create", "nmae=x"), 5, "nmae");
        assertRefused(
                run("destinations", "create", "name=X", "url=http://10.0.0.1/"), 5, "private");
        assertRefused(run("sources", "get", NO_SUCH_ID), 3, "list");
        assertRefused(run("sources", "get", "Nothing"), 3, "no source named 'Nothing'");
        assertRefused(run("connections", "get", "Shop"), 2, "sluice connections list");
        assertRefused(run("events", "get", NO_SUCH_ID), 3, "event");
        assertRefused(run("events", "list", "--since", "yesterday"), 2, "15m");
        assertRefused(run("events", "list", "--limit", "500"), 5, "limit");
        assertRefused(run("sources", "create"), 2, "name=Shop");
        assertRefused(run("sources", "create", "Shop"), 2, "sets no field");
        assertRefused(run("sources", "create", "name:=x"), 2, "not JSON");
        assertRefused(run("sources", "create", "name=@nowhere"), 2, "nowhere");
        assertRefused(run("api", "GET", "https://example.com/"), 2, "no path");
        assertRefused(run("api", "POST", "sources", "-d", "{"), 5, "JSON");
    }

    @Test
    void a_duplicate_connection_is_a_conflict() {
        connect("Shop", "App");
        var source = ok("sources", "get", "Shop", "-o", "json").json();
        var destination = ok("destinations", "get", "App", "-o", "json").json();

        var again =
                run(
                        "connections",
                        "create",
                        "source_id=" + source.path("id").asString(),
                        "destination_id=" + destination.path("id").asString(),
                        "-o",
                        "json");

        assertThat(again.status()).isEqualTo(5);
        assertThat(again.err()).contains("\"conflict\"");
    }

    @Test
    void a_name_that_two_sources_have_asks_for_the_id() {
        String first =
                ok("sources", "create", "name=Twin", "-o", "json").json().path("id").asString();
        ok("sources", "create", "name=Twin");

        assertRefused(run("sources", "get", "Twin"), 2, first);
    }

    @Test
    void another_workspace_s_ids_are_not_found() {
        String id = ok("sources", "create", "name=Mine", "-o", "json").json().path("id").asString();
        var stranger =
                new CliRunner(home)
                        .with("SLUICE_SERVER", SERVER.url())
                        .with("SLUICE_API_KEY", SERVER.newWorkspaceKey());

        assertThat(stranger.run("sources", "get", id).status()).isEqualTo(3);
        assertThat(stranger.run("sources", "update", id, "name=Yours").status()).isEqualTo(3);
        assertThat(stranger.run("sources", "delete", id).status()).isEqualTo(3);
    }

    @Test
    void an_event_s_payload_is_printed_byte_for_byte() {
        byte[] body = {'{', (byte) 0xff, 0, '\r', '\n', '}'};
        String event = SERVER.ingest(ingestPath("Shop"), body);

        try (var get = cli().startProcess("events", "get", event, "--body")) {
            assertThat(get.run().awaitEnd().status()).isZero();
            assertThat(get.run().output()).isEqualTo(body);
        }
    }

    @Test
    void events_are_listed_by_source_and_resent() {
        connect("Shop", "App");
        String event =
                SERVER.ingest(ingestPath("Shop"), "{}".getBytes(UTF_8), "X-Test", "a \u0085 b");

        var list = ok("events", "list", "--source", "Shop", "--since", "1h");
        var get = ok("events", "get", event);
        var resent = ok("events", "resend", event);

        assertThat(list.out()).contains(event, "POST");
        assertThat(get.out()).contains("delivery", "to App").doesNotContain("\u0085");
        assertThat(resent.out()).contains("Created 1 deliveries");
        assertThat(ok("events", "list", "--until", "1h", "-o", "json").json().path("items"))
                .isEmpty();
    }

    /// Makes a source, a destination where nothing listens, and their connection.
    ///
    /// @return the connection's id
    private String connect(String source, String destination) {
        String sourceId =
                ok("sources", "create", "name=" + source, "-o", "json")
                        .json()
                        .path("id")
                        .asString();
        String destinationId =
                ok("destinations", "create", "name=" + destination, "url=" + DEAD_URL, "-o", "json")
                        .json()
                        .path("id")
                        .asString();
        return ok(
                        "connections",
                        "create",
                        "source_id=" + sourceId,
                        "destination_id=" + destinationId,
                        "-o",
                        "json")
                .json()
                .path("id")
                .asString();
    }

    private String ingestPath(String source) {
        if (run("sources", "get", source).status() != 0) {
            ok("sources", "create", "name=" + source);
        }
        return ok("sources", "get", source, "-o", "json").json().path("ingest_path").asString();
    }

    private CliRun ok(String... args) {
        return run(args).assertOk();
    }

    private CliRun run(String... args) {
        return cli().run(args);
    }

    private CliRunner cli() {
        return new CliRunner(home).with("SLUICE_SERVER", SERVER.url()).with("SLUICE_API_KEY", key);
    }
}
