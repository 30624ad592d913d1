package dev.sluice.cli;

import static dev.sluice.cli.testkit.CliRun.assertRefused;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.cli.testkit.CliRun;
import dev.sluice.cli.testkit.RelayServer;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import tools.jackson.databind.JsonNode;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/// Tests `sluice trigger` against the real server.
class TriggerTest {

    private static final RelayServer SERVER = RelayServer.shared();

    @TempDir private Path home;

    private String key = "";

    @BeforeEach
    void makeWorkspace() {
        key = SERVER.newWorkspaceKey();
        ok(
                "sources",
                "create",
                "name=Shop",
                "verification_config.provider=slack",
                "verification_config.secret=topsecret");
    }

    @Test
    void a_sample_of_the_source_s_provider_passes_its_verification() {
        var sent = ok("trigger", "Shop", "-o", "json").json();

        assertThat(sent.path("verification_status").asString()).isEqualTo("verified");
        assertThat(event(sent).path("body").asString()).contains("event_callback");
        assertThat(ok("trigger", "Shop").out())
                .startsWith("Sent event ")
                .contains("verification: verified", "sluice events get");
        assertThat(ok("trigger", "Shop", "-o", "quiet").out()).matches("[0-9a-f-]{36}\\R");
    }

    @Test
    void a_file_is_sent_byte_for_byte_with_headers_of_ones_own() throws IOException {
        var file = Files.write(home.resolve("body.bin"), new byte[] {(byte) 0xff, 0, '{'});

        var sent =
                ok("trigger", "Shop", "--body", file.toString(), "-H", "X-Topic: a:b", "-o", "json")
                        .json();

        var event = event(sent);
        assertThat(sent.path("verification_status").asString()).isEqualTo("verified");
        assertThat(event.path("body_base64").asString()).isEqualTo("/wB7");
        assertThat(event.path("headers").path("X-Topic").asString()).isEqualTo("a:b");
    }

    @Test
    void standard_input_is_a_body_and_another_provider_s_sample_can_be_sent() {
        var piped =
                runner().runWithInput("{\"a\":1}", "trigger", "Shop", "--body", "-", "-o", "json");
        var sample = ok("trigger", "Shop", "--provider", "provider_code_host", "-o", "json");

        assertThat(piped.status()).as(piped.err()).isZero();
        assertThat(event(piped.json()).path("body").asString()).isEqualTo("{\"a\":1}");
        assertThat(event(sample.json()).path("headers").path("X-GitHub-Event").asString())
                .isEqualTo("ping");
    }

    @Test
    void an_event_that_the_source_refuses_fails_with_the_reason() {
        var refused = run("trigger", "Shop", "-H", "X-Slack-Signature: v0=00");

        assertThat(refused.status()).isEqualTo(1);
        assertThat(refused.out()).isEmpty();
        assertThat(refused.err()).contains("refused it: The timestamp is missing.");
    }

    @Test
    void errors_are_one_line_with_the_fix_and_have_their_exit_code() {
        assertRefused(run("trigger"), 2, "SOURCE");
        assertRefused(run("trigger", "Nobody"), 3, "sluice sources list");
        assertRefused(run("trigger", "Shop", "--provider", "pigeon"), 5, "must be one of generic");
        assertRefused(run("trigger", "Shop", "-H", "none"), 2, "-H 'X-Topic: orders'");
        assertRefused(run("trigger", "Shop", "--body", "/no/such/file"), 2, "no file");
        assertRefused(run("trigger", "Shop", "--body", "-", "--provider", "slack"), 2, "exclude");
    }

    private JsonNode event(JsonNode sent) {
        return ok("events", "get", sent.path("event_id").asString(), "-o", "json").json();
    }

    private CliRun ok(String... args) {
        return run(args).assertOk();
    }

    private CliRun run(String... args) {
        return runner().run(args);
    }

    private CliRunner runner() {
        return new CliRunner(home).with("SLUICE_SERVER", SERVER.url()).with("SLUICE_API_KEY", key);
    }
}
