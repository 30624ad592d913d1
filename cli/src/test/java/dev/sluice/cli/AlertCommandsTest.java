package dev.sluice.cli;

import static dev.sluice.cli.testkit.CliRun.assertRefused;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.cli.shell.JsonTree;
import dev.sluice.cli.testkit.CliRun;
import dev.sluice.cli.testkit.LocalService;
import dev.sluice.cli.testkit.RelayServer;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/// Tests the commands `sluice alerts` against the real server.
class AlertCommandsTest {

    private static final RelayServer SERVER = RelayServer.shared();

    /// Nothing listens there.
    private static final String DEAD_URL = "http://127.9.8.7:8099/hook";

    private static final String NO_SUCH_ID = "018f3c5e-7a0b-7000-8000-0000000000ff";

    @TempDir private Path home;

    private String key = "";

    @BeforeEach
    void makeWorkspace() {
        key = SERVER.newWorkspaceKey();
    }

    @Test
    void a_channel_is_created_listed_shown_changed_and_deleted() {
        String id = create("channel=email", "config.to=oncall@example.com");

        assertThat(ok("alerts", "list").out())
                .containsSubsequence(
                        "ID", "CHANNEL", "ENABLED", "\n", id, "email", "oncall@example.com", "yes");
        ok("alerts", "update", id, "enabled:=false", "config.to=night@example.com");
        assertThat(ok("alerts", "get", id).out())
                .contains("night@example.com", "enabled")
                .contains("no");
        assertThat(ok("alerts", "list", "-o", "quiet").out())
                .isEqualTo(id + System.lineSeparator());
        assertThat(ok("alerts", "delete", id).err()).contains("Deleted alert channel " + id);
        assertThat(ok("alerts", "list", "-o", "json").json().path("items")).isEmpty();
    }

    @Test
    void a_channel_s_token_is_read_from_a_file_and_never_shown() throws IOException {
        var token = Files.writeString(home.resolve("token.txt"), "123456:Aa-Bb_Cc\n");

        var created =
                ok(
                        "alerts",
                        "create",
                        "channel=messenger",
                        "config.token=@" + token,
                        "config.chat_id=-1001234567890");

        assertThat(created.out()).contains("***", "-1001234567890").doesNotContain("Aa-Bb_Cc");
    }

    @Test
    void a_test_message_arrives_or_the_command_fails_with_the_reason() {
        try (var channel = new LocalService()) {
            String url = "config.url=http://127.0.0.1:" + channel.port() + "/alerts";
            String id = create("channel=webhook", url);

            assertThat(ok("alerts", "test", id).out()).contains("Sent a test message.");

            assertThat(channel.bodies()).singleElement().asString().contains("\"kind\":\"test\"");
        }
        String dead = create("channel=webhook", "config.url=" + DEAD_URL);

        var failed = run("alerts", "test", dead);
        var json = run("alerts", "test", dead, "-o", "json");

        assertThat(failed.status()).isEqualTo(1);
        assertThat(failed.out()).isEmpty();
        assertThat(failed.err().lines())
                .singleElement()
                .asString()
                .contains("The test message was not sent: ", "sluice alerts update " + dead);
        assertThat(json.status()).isEqualTo(1);
        assertThat(json.json().path("sent").asBoolean(true)).isFalse();
        assertThat(JsonTree.read(json.err()).path("error").path("code").asString())
                .isEqualTo("alert_not_sent");
    }

    @Test
    void errors_are_one_line_with_the_fix_and_have_their_exit_code() {
        String id = create("channel=email", "config.to=oncall@example.com");

        assertRefused(run("alerts", "create"), 2, "channel=email");
        assertRefused(run("alerts", "update", id), 2, "enabled:=false");
        assertRefused(run("alerts", "create", "channel=pigeon", "config.to=x"), 5, "messenger");
        assertRefused(run("alerts", "create", "channel=email", "config.to=x"), 5, "config.to");
        assertRefused(run("alerts", "update", id, "channel=webhook"), 5, "channel");
        assertRefused(run("alerts", "get", "oncall"), 2, "sluice alerts list");
        assertRefused(run("alerts", "test", "oncall"), 2, "sluice alerts list");
        assertRefused(run("alerts", "test", NO_SUCH_ID), 3, "alert");
    }

    @Test
    void another_workspace_s_channels_are_not_found() {
        String id = create("channel=email", "config.to=oncall@example.com");
        key = SERVER.newWorkspaceKey();

        assertThat(run("alerts", "get", id).status()).isEqualTo(3);
        assertThat(run("alerts", "update", id, "enabled:=false").status()).isEqualTo(3);
        assertThat(run("alerts", "test", id).status()).isEqualTo(3);
        assertThat(run("alerts", "delete", id).status()).isEqualTo(3);
    }

    private String create(String... fields) {
        var args = new String[fields.length + 4];
        args[0] = "alerts";
        args[1] = "create";
        args[2] = "-o";
        args[3] = "json";
        System.arraycopy(fields, 0, args, 4, fields.length);
        return ok(args).json().path("id").asString();
    }

    private CliRun ok(String... args) {
        return run(args).assertOk();
    }

    private CliRun run(String... args) {
        return new CliRunner(home)
                .with("SLUICE_SERVER", SERVER.url())
                .with("SLUICE_API_KEY", key)
                .run(args);
    }
}
