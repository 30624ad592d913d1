package dev.sluice;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.platform.config.Settings;
import dev.sluice.platform.postgres.EmbeddedPostgres;
import dev.sluice.testkit.ApiClient;
import dev.sluice.testkit.Nightly;
import dev.sluice.testkit.Person;
import dev.sluice.testkit.TestPostgres;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/// Tests `sluice reset-password` and `sluice reset-key`.
class RecoveryCommandsTest {

    private static final String OWNER = "admin@localhost";

    @AutoClose
    private static final RunningSluice sluice =
            RunningSluice.start(Map.of("SLUICE_REGISTRATION", "open"));

    private static final ApiClient api = sluice.api();

    private record CommandRun(int status, String out, String err) {

        /// The last word of the first line: the password or the key.
        String secret() {
            String line = out.lines().findFirst().orElseThrow();
            return line.substring(line.lastIndexOf(' ') + 1);
        }
    }

    /// Runs a command in this JVM, beside the server of this class.
    private static CommandRun run(String stdin, String... command) {
        return run(
                Map.of("SLUICE_DATABASE_URL", TestPostgres.url(sluice.database())), stdin, command);
    }

    private static CommandRun run(Map<String, String> database, String stdin, String... command) {
        var settings = new HashMap<>(database);
        settings.put("SLUICE_MASTER_KEY", RunningSluice.MASTER_KEY);
        var config = Config.read(new Settings(settings));
        var arguments = Arrays.asList(command).subList(1, command.length);
        var out = new ByteArrayOutputStream();
        var err = new ByteArrayOutputStream();
        int status =
                command[0].equals("reset-key")
                        ? ResetKeyCommand.run(config, arguments, print(out), print(err))
                        : ResetPasswordCommand.run(
                                config,
                                arguments,
                                new ByteArrayInputStream(stdin.getBytes(StandardCharsets.UTF_8)),
                                print(out),
                                print(err));
        return new CommandRun(
                status, out.toString(StandardCharsets.UTF_8), err.toString(StandardCharsets.UTF_8));
    }

    private static PrintStream print(ByteArrayOutputStream to) {
        return new PrintStream(to, true, StandardCharsets.UTF_8);
    }

    @Test
    void a_new_password_is_printed_once_and_ends_all_sessions() {
        var session = Person.register(api, "ann@example.com");

        var run = run("", "reset-password", "Ann@Example.com");

        assertThat(run.status()).as(run.err()).isEqualTo(0);
        assertThat(run.out())
                .isEqualTo(
                        "The new password of ann@example.com is "
                                + run.secret()
                                + "\nAll sessions of this person have ended.\n");
        assertThat(run.secret()).hasSize(24);
        assertThat(session.get("/api/v1/me").status()).isEqualTo(401);
        Person.signIn(api, "ann@example.com", run.secret());
    }

    @Test
    void a_password_is_read_from_standard_input_and_not_printed() {
        Person.register(api, "bea@example.com");

        var run =
                run(
                        "Schönes Paßwort\nmore\n",
                        "reset-password",
                        "bea@example.com",
                        "--password-stdin");

        assertThat(run.status()).as(run.err()).isEqualTo(0);
        assertThat(run.out()).startsWith("The password of bea@example.com is set.\n");
        assertThat(run.out()).doesNotContain("Paßwort");
        Person.signIn(api, "bea@example.com", "Schönes Paßwort");
    }

    @Test
    void an_unknown_address_is_one_line_and_status_1() {
        assertThat(run("", "reset-password", "nobody@example.com"))
                .isEqualTo(
                        new CommandRun(
                                1,
                                "",
                                "There is no account with the address nobody@example.com.\n"));
    }

    @ParameterizedTest
    @CsvSource({"''", "short", "'            '"})
    void a_password_that_the_api_refuses_is_refused(String password) {
        Person.register(api, "cid" + password.hashCode() + "@example.com");

        var run =
                run(
                        password + "\n",
                        "reset-password",
                        "--password-stdin",
                        "cid" + password.hashCode() + "@example.com");

        assertThat(run.status()).isEqualTo(2);
        assertThat(run.err()).startsWith("The password must have ").hasLineCount(1);
        Person.signIn(api, "cid" + password.hashCode() + "@example.com");
    }

    @Test
    void a_new_key_is_for_the_first_workspace_and_has_no_creator() {
        var run = run("", "reset-key");

        assertThat(run.status()).as(run.err()).isEqualTo(0);
        assertThat(run.out()).startsWith("The new API key of the workspace Default is slk_");
        var key = new ApiClient(sluice.port(), run.secret());
        assertThat(key.get("/api/v1/me").body()).isEqualTo(api.get("/api/v1/me").body());
        assertThat(key.post("/api/v1/sources", "{'name':'Made'}").status()).isEqualTo(201);
        var listed = key.get("/api/v1/api-keys").json().path("items").get(0);
        assertThat(listed.path("created_by").isNull()).isTrue();
        assertThat(api.get("/api/v1/sources").status()).as("the earlier key").isEqualTo(200);
    }

    @Test
    void a_workspace_is_named_by_id_or_name() {
        var person = Person.register(api, "dia@example.com");
        String id = person.post("/api/v1/workspaces", "{'name':'Only one'}").text("id");
        person.post("/api/v1/workspaces", "{'name':'Twice'}");
        person.post("/api/v1/workspaces", "{'name':'Twice'}");

        for (String workspace : List.of(id, "Only one")) {
            var run = run("", "reset-key", "--workspace", workspace);
            var me = new ApiClient(sluice.port(), run.secret()).get("/api/v1/me");
            assertThat(me.json().path("workspace").path("id").asString()).isEqualTo(id);
        }
        var twice = run("", "reset-key", "--workspace", "Twice");
        assertThat(twice.status()).isEqualTo(1);
        assertThat(twice.err()).startsWith("Several workspaces").hasLineCount(3);
        assertThat(run("", "reset-key", "--workspace", "None"))
                .isEqualTo(new CommandRun(1, "", "There is no such workspace.\n"));
    }

    static Stream<List<String>> wrongCommands() {
        return Stream.of(
                List.of("reset-password"),
                List.of("reset-password", "--help", "a@b.example"),
                List.of("reset-password", "a@b.example", "c@d.example"),
                List.of("reset-key", "Default"),
                List.of("reset-key", "--workspace"));
    }

    @ParameterizedTest
    @MethodSource("wrongCommands")
    void wrong_arguments_are_told_the_usage(List<String> command) {
        var run = run("", command.toArray(String[]::new));

        assertThat(run.status()).isEqualTo(2);
        assertThat(run.err()).startsWith("Usage: sluice " + command.getFirst());
    }

    @ParameterizedTest
    @ValueSource(strings = {"reset-password", "reset-key"})
    void help_is_printed_without_an_error(String command) {
        var run = run("", command, "--help");

        assertThat(run.status()).isEqualTo(0);
        assertThat(run.out()).startsWith("Usage: sluice " + command);
        assertThat(run.err()).isEmpty();
    }

    @Test
    void a_database_that_cannot_be_reached_is_status_2() {
        var nowhere = Map.of("SLUICE_DATABASE_URL", "postgresql://nobody:secret@127.0.0.1:1/none");

        for (var run :
                List.of(run(nowhere, "", "reset-password", OWNER), run(nowhere, "", "reset-key"))) {
            assertThat(run.status()).isEqualTo(2);
            assertThat(run.out()).isEmpty();
            assertThat(run.err()).contains(" could not be ").doesNotContain("secret");
        }
        assertThat(run("", "reset-password", "no address").err())
                .contains("must be one e-mail address");
    }

    @Nightly
    @Test
    void an_embedded_database_is_changed_beside_its_server_and_without(@TempDir Path dataDir)
            throws Exception {
        CommandRun key;
        var embedded = Map.of("SLUICE_DATABASE_URL", "");
        try (var server = RunningSluice.start(dataDir, InstantSource.system(), embedded)) {
            key = runProcess(dataDir, "reset-key");
            assertThat(key.status()).as(key.err()).isEqualTo(0);
            assertThat(new ApiClient(server.port(), key.secret()).get("/api/v1/me").status())
                    .isEqualTo(200);
        }

        var password =
                run(Map.of("SLUICE_DATA_DIR", dataDir.toString()), "", "reset-password", OWNER);

        assertThat(password.status()).as(password.err()).isEqualTo(0);
        assertThat(EmbeddedPostgres.findRunning(dataDir.resolve("postgres")))
                .as("stopped again")
                .isEmpty();
        try (var server = RunningSluice.start(dataDir, InstantSource.system(), embedded)) {
            Person.signIn(server.api(), OWNER, password.secret());
        }
    }

    /// Runs a command as a separate process.
    private static CommandRun runProcess(Path dataDir, String... command)
            throws IOException, InterruptedException {
        var builder =
                new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-cp",
                        System.getProperty("java.class.path"),
                        "-Dlogback.configurationFile=logback.xml", // the tests' file prints
                        "dev.sluice.Main");
        builder.command().addAll(List.of(command));
        builder.environment().keySet().removeIf(name -> name.startsWith("SLUICE_"));
        builder.environment().put("SLUICE_DATA_DIR", dataDir.toString());
        var process = builder.redirectError(ProcessBuilder.Redirect.INHERIT).start();
        String out = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor(Duration.ofMinutes(2).toMillis(), TimeUnit.MILLISECONDS))
                .isTrue();
        return new CommandRun(process.exitValue(), out, "");
    }
}
