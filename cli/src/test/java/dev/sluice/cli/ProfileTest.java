package dev.sluice.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.cli.testkit.CliRun;
import dev.sluice.cli.testkit.RelayServer;
import dev.sluice.cli.testkit.ScriptedServer;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Map;

/// Tests which server and key the commands use.
class ProfileTest {

    private static final RelayServer SERVER = RelayServer.shared();
    private static String key = "";

    @TempDir private Path home;

    @BeforeAll
    static void makeWorkspace() {
        key = SERVER.newWorkspaceKey();
    }

    @Test
    void a_login_is_remembered_in_a_file_that_only_the_user_may_read() throws IOException {
        var login = login("default");

        assertThat(login.status()).as(login.err()).isZero();
        assertThat(login.out()).startsWith("Signed in to " + SERVER.url() + ", workspace Tests");
        var file = home.resolve(".config/sluice/profiles.json");
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
                .isEqualTo("rw-------");
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file.getParent())))
                .isEqualTo("rwx------");
        var whoami = cli().run("whoami");
        assertThat(whoami.status()).isZero();
        assertThat(whoami.out())
                .contains(SERVER.url(), "profile 'default'", key.substring(0, 12))
                .doesNotContain(key);
    }

    @Test
    void a_key_that_the_server_does_not_know_is_not_stored() {
        var login =
                cli().runWithInput(
                                "slk_unknown",
                                "login",
                                "--server",
                                SERVER.url(),
                                "--api-key-stdin");

        assertThat(login.status()).isEqualTo(4);
        assertThat(login.err().lines()).hasSize(1);
        assertThat(login.err()).doesNotContain("slk_unknown");
        assertThat(home.resolve(".config/sluice/profiles.json")).doesNotExist();
    }

    @Test
    void a_key_that_no_header_can_hold_is_refused_without_showing_it() {
        var login =
                cli().runWithInput(
                                "two words", "login", "--server", SERVER.url(), "--api-key-stdin");

        assertThat(login.status()).isEqualTo(4);
        assertThat(login.err()).contains("malformed").doesNotContain("two words");
    }

    @Test
    void login_without_a_terminal_names_the_ways_to_give_a_key() {
        var login = cli().runProcess("login", "--server", SERVER.url());

        assertThat(login.status()).isEqualTo(4);
        assertThat(login.err().lines()).hasSize(1);
        assertThat(login.err()).contains("--api-key-stdin", "SLUICE_API_KEY");
    }

    @Test
    void logout_forgets_the_key() {
        login("default");

        assertThat(cli().run("logout").err()).contains("Removed profile 'default'");
        var whoami = cli().run("whoami", "--server", SERVER.url());
        assertThat(whoami.status()).isEqualTo(4);
        assertThat(whoami.err()).contains("sluice login --server " + SERVER.url());
    }

    @Test
    void the_environment_wins_over_a_profile() {
        login("default");
        String other = SERVER.newWorkspaceKey();

        var whoami = cli().with("SLUICE_API_KEY", other).run("whoami");

        assertThat(whoami.out()).contains(other.substring(0, 12), "SLUICE_API_KEY");
        var elsewhere =
                cli().with("SLUICE_SERVER", "http://127.0.0.1:1")
                        .with("SLUICE_API_KEY", other)
                        .run("whoami");
        assertThat(elsewhere.status()).isEqualTo(6);
        assertThat(elsewhere.err()).contains("http://127.0.0.1:1");
    }

    @Test
    void a_profile_s_key_is_sent_to_no_other_server() {
        login("default");
        try (var other = new ScriptedServer()) {
            var whoami = cli().with("SLUICE_SERVER", other.url()).run("whoami");

            assertThat(whoami.status()).isEqualTo(4);
            assertThat(other.requests()).isEmpty();
            var explained = cli().run("config", "explain", "--server", other.url());
            assertThat(explained.out()).contains("the profile's key is for " + SERVER.url());
        }
    }

    @Test
    void a_redirect_does_not_carry_the_key_elsewhere() {
        try (var other = new ScriptedServer();
                var target = new ScriptedServer()) {
            other.answer(302, Map.of("Location", target.url()), "");

            var whoami = cli().with("SLUICE_API_KEY", key).run("whoami", "--server", other.url());

            assertThat(whoami.status()).isEqualTo(1);
            assertThat(whoami.err()).contains("302", target.url());
            assertThat(target.requests()).isEmpty();
        }
    }

    @Test
    void profiles_are_chosen_by_option_before_or_after_the_command_and_by_variable() {
        login("work");
        login("other");

        assertThat(cli().run("whoami").out()).contains("profile 'other'");
        assertThat(cli().run("--profile", "work", "whoami").out()).contains("profile 'work'");
        assertThat(cli().run("whoami", "--profile", "work").out()).contains("profile 'work'");
        assertThat(cli().with("SLUICE_PROFILE", "work").run("whoami").out())
                .contains("profile 'work'");
        assertThat(cli().run("login", "--list").out())
                .contains("work", "other")
                .doesNotContain(key);
        var unknown = cli().run("whoami", "--profile", "nobody");
        assertThat(unknown.status()).isEqualTo(4);
        assertThat(unknown.err()).contains("There is no profile 'nobody'");
    }

    @Test
    void login_takes_the_key_of_the_environment() {
        String key = SERVER.newWorkspaceKey();

        var login = cli().with("SLUICE_API_KEY", key).run("login", "--server", SERVER.url());

        assertThat(login.status()).as(login.err()).isZero();
        assertThat(cli().run("whoami").out()).contains(key.substring(0, 12), "profile 'default'");
    }

    @Test
    void config_explain_names_a_variable_only_if_it_has_an_effect() {
        var without =
                cli().with("XDG_CONFIG_HOME", "relative").run("config", "explain", "-o", "json");
        var with =
                cli().with("XDG_CONFIG_HOME", home.toString())
                        .with("SLUICE_FORWARD_TO", "3000")
                        .run("config", "explain", "-o", "json");

        assertThat(without.json().path("profiles").path("origin").asString())
                .isEqualTo("the default");
        assertThat(without.json().path("forward_to").path("value").asString()).isEqualTo("none");
        assertThat(with.json().path("profiles").path("origin").asString())
                .isEqualTo("XDG_CONFIG_HOME");
        assertThat(with.json().path("forward_to").path("origin").asString())
                .isEqualTo("SLUICE_FORWARD_TO");
    }

    @Test
    void config_explain_names_the_origin_of_every_value() {
        login("default");

        var explained = cli().with("SLUICE_OUTPUT", "json").run("config", "explain").json();

        assertThat(explained.path("server").path("origin").asString())
                .isEqualTo("profile 'default'");
        assertThat(explained.path("output").path("origin").asString()).isEqualTo("SLUICE_OUTPUT");
        assertThat(explained.path("api_key").path("value").asString())
                .isEqualTo(key.substring(0, 12) + "…");
    }

    @Test
    void doctor_finds_nothing_wrong_after_a_login_and_says_what_to_do_otherwise()
            throws IOException {
        login("default");
        assertThat(cli().run("doctor").status()).isZero();

        var file = home.resolve(".config/sluice/profiles.json");
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r--r--"));
        assertThat(cli().run("doctor").out()).contains("check", "chmod 600 " + file);
        var wrongKey = cli().with("SLUICE_API_KEY", "slk_wrong").run("doctor");
        assertThat(wrongKey.status()).isEqualTo(4);
        assertThat(wrongKey.out()).contains("WRONG  key", "sluice login");
        var away = cli().run("doctor", "--server", "http://127.0.0.1:1");
        assertThat(away.status()).isEqualTo(6);
        assertThat(away.out()).contains("WRONG  server", "Nothing answers at http://127.0.0.1:1");
    }

    @Test
    void doctor_notices_that_another_program_answers() {
        try (var other = new ScriptedServer()) {
            other.answer(200, Map.of(), "<html>Hello</html>");

            var doctor = cli().run("doctor", "--server", other.url());

            assertThat(doctor.status()).isEqualTo(1);
            assertThat(doctor.out()).contains("WRONG  server", "not JSON");
        }
    }

    @Test
    void status_needs_no_key() {
        var status = cli().run("status", "--server", SERVER.url());

        assertThat(status.status()).isZero();
        assertThat(status.out()).contains(" is ok, version ");
        assertThat(
                        cli().run("status", "--server", SERVER.url(), "-o", "json")
                                .json()
                                .path("status")
                                .asString())
                .isEqualTo("ok");
    }

    @Test
    void a_broken_profile_file_is_named() throws IOException {
        Files.createDirectories(home.resolve(".config/sluice"));
        Files.writeString(home.resolve(".config/sluice/profiles.json"), "not json");

        var whoami = cli().run("whoami");

        assertThat(whoami.status()).isEqualTo(1);
        assertThat(whoami.err()).contains("profiles.json", "Mend the file");
    }

    @Test
    void a_relative_configuration_folder_is_ignored() {
        assertThat(cli().with("XDG_CONFIG_HOME", "elsewhere").run("config", "path").out())
                .startsWith(home.resolve(".config").toString());
    }

    private CliRun login(String profile) {
        return cli().runWithInput(
                        key + "\n",
                        "login",
                        "--server",
                        SERVER.url(),
                        "--api-key-stdin",
                        "--profile",
                        profile);
    }

    private CliRunner cli() {
        return new CliRunner(home);
    }
}
