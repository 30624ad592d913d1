package dev.sluice.cli;

import static org.assertj.core.api.Assertions.assertThat;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.sluice.cli.shell.JsonTree;
import dev.sluice.cli.shell.Shell;
import dev.sluice.cli.testkit.ScriptedServer;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import picocli.CommandLine;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;

/// Tests help, usage errors and exit codes.
class UsageTest {

    /// The commands that `bin/sluice` gives to the server's jar.
    private static final Set<String> SERVER_COMMANDS =
            Set.of(
                    "serve",
                    "audit",
                    "set-plan",
                    "suspend",
                    "resume",
                    "tenants",
                    "reset-password",
                    "reset-key",
                    "export-data",
                    "import-data");

    private static final Path SCRIPT =
            Path.of(System.getProperty("basedir", "."), "..", "bin", "sluice");

    @TempDir private Path home;

    @ParameterizedTest
    @CsvSource({"help", "--help", "-h"})
    void the_script_lists_every_command_without_java(String argument) throws Exception {
        var builder = new ProcessBuilder(SCRIPT.toString(), argument).redirectErrorStream(true);
        builder.environment().put("JAVA_HOME", "/nowhere");
        builder.environment().put("PATH", "/usr/bin:/bin");
        var process = builder.start();
        String help = new String(process.getInputStream().readAllBytes(), UTF_8);

        assertThat(process.waitFor(20, TimeUnit.SECONDS)).isTrue();
        assertThat(process.exitValue()).isZero();
        var listed = new TreeSet<String>();
        Pattern.compile("(?m)^  ([a-z-]+) ")
                .matcher(help)
                .results()
                .forEach(found -> listed.add(found.group(1)));
        var commands = new TreeSet<>(SERVER_COMMANDS);
        commands.addAll(commandLine().getSubcommands().keySet());
        assertThat(listed).isEqualTo(commands);
    }

    @ParameterizedTest
    @CsvSource({
        "serve",
        "audit",
        "set-plan",
        "suspend",
        "resume",
        "tenants",
        "reset-password",
        "reset-key",
        "export-data",
        "import-data"
    })
    void the_server_s_commands_have_a_help_too(String command) throws Exception {
        var process =
                new ProcessBuilder(SCRIPT.toString(), command, "--help")
                        .redirectErrorStream(true)
                        .start();
        String help = new String(process.getInputStream().readAllBytes(), UTF_8);

        assertThat(process.waitFor()).isZero();
        assertThat(help).startsWith("Usage: sluice " + command);
    }

    @Test
    void every_command_has_a_help_that_exits_with_zero() {
        for (String command : commandLine().getSubcommands().keySet()) {
            var run = cli().run(command, "--help");
            assertThat(run.status()).as(command).isZero();
            assertThat(run.out()).contains("Usage: sluice " + command);
        }
    }

    /// Where the script finds the help of each command, so that it needs neither Java nor a build.
    @Test
    void the_script_has_the_help_of_every_command() throws IOException {
        var help = new StringBuilder();
        addHelp(commandLine(), "", help);

        var made = Files.createDirectories(Path.of("target")).resolve("help.txt");
        Files.writeString(made, help);
        assertThat(Files.readString(SCRIPT.resolveSibling("help.txt")))
                .as("copy cli/target/help.txt to bin/help.txt")
                .isEqualTo(help.toString());
    }

    private static void addHelp(CommandLine command, String name, StringBuilder help) {
        for (var child : command.getSubcommands().entrySet()) {
            String path = (name + " " + child.getKey()).strip();
            help.append("== ").append(path).append('\n');
            help.append(child.getValue().getUsageMessage(CommandLine.Help.Ansi.OFF));
            addHelp(child.getValue(), path, help);
        }
    }

    @ParameterizedTest
    @CsvSource({
        "sources --help,             Usage: sluice sources ",
        "help listen,                Usage: sluice listen ",
        "help events list,           Usage: sluice events list ",
        "events list -h,             Usage: sluice events list ",
        "sources get Shop --help,    Usage: sluice sources get ",
        "events list --limit 5 -h,   Usage: sluice events list ",
        "serve --help,               Usage: sluice serve",
        "help serve,                 Usage: sluice serve",
        "help reset-key,             Usage: sluice reset-key",
        "reset-key --workspace x -h, Usage: sluice reset-key"
    })
    void the_script_shows_each_help_without_java(String arguments, String begin) throws Exception {
        var command = new ArrayList<>(List.of(SCRIPT.toString()));
        command.addAll(List.of(arguments.split(" ")));
        var builder = new ProcessBuilder(command).redirectErrorStream(true);
        builder.environment().put("JAVA_HOME", "/nowhere");
        builder.environment().put("PATH", "/usr/bin:/bin");
        var process = builder.start();
        String help = new String(process.getInputStream().readAllBytes(), UTF_8);

        assertThat(process.waitFor(20, TimeUnit.SECONDS)).isTrue();
        assertThat(help).startsWith(begin).doesNotContain("== ");
        assertThat(process.exitValue()).isZero();
    }

    @Test
    void version_prints_name_and_version() {
        assertThat(cli().run("version").out()).matches("sluice \\d+\\.\\d+\\.\\d+.*\\R");
    }

    @Test
    void an_unknown_command_is_refused_with_a_similar_one() {
        var run = cli().run("logn");

        assertThat(run.status()).isEqualTo(2);
        assertThat(run.err().lines()).hasSize(1);
        assertThat(run.err()).contains("login");
    }

    @ParameterizedTest
    @CsvSource({
        "404, 3", "401, 4", "403, 4", "400, 5", "409, 5", "413, 5", "422, 5", "402, 1", "500, 1",
        "503, 1", "429, 7",
    })
    void each_answer_has_its_exit_code(int answer, int status) {
        try (var server = new ScriptedServer()) {
            server.answer(
                    answer,
                    Map.of("X-Request-Id", "request-1"),
                    "{\"error\":{\"code\":\"some_code\",\"message\":\"It cannot be done.\"}}");

            var run =
                    cli().with("SLUICE_API_KEY", "slk_x")
                            .run("whoami", "-o", "json", "--server", server.url());

            assertThat(run.status()).isEqualTo(status);
            assertThat(run.out()).isEmpty();
            var error = JsonTree.read(run.err()).path("error");
            assertThat(error.path("code").asString()).isEqualTo("some_code");
            assertThat(error.path("message").asString()).isEqualTo("It cannot be done.");
            assertThat(error.path("request_id").asString()).isEqualTo("request-1");
        }
    }

    @Test
    void a_rate_limit_is_waited_for_as_the_server_says() {
        try (var server = new ScriptedServer()) {
            server.answer(
                            429,
                            Map.of("Retry-After", "1"),
                            "{\"error\":{\"code\":\"rate_limited\",\"message\":\"Slow.\"}}")
                    .answer(200, Map.of(), "{\"workspace\":{\"name\":\"Main\"}}");

            var run = cli().with("SLUICE_API_KEY", "slk_x").run("whoami", "--server", server.url());

            assertThat(run.status()).isZero();
            assertThat(run.err()).contains("waiting 1 s");
            assertThat(server.requests()).hasSize(2);
        }
    }

    @Test
    void a_rate_limit_that_lasts_too_long_is_an_error_at_once() {
        try (var server = new ScriptedServer()) {
            server.answer(
                    429,
                    Map.of("Retry-After", "3600"),
                    "{\"error\":{\"code\":\"rate_limited\",\"message\":\"Slow.\"}}");

            assertThat(
                            cli().with("SLUICE_API_KEY", "slk_x")
                                    .run("whoami", "--server", server.url())
                                    .status())
                    .isEqualTo(7);
        }
    }

    @ParameterizedTest
    @CsvSource({
        "whoami --server ftp://x, scheme must be http",
        "whoami --server http://a:b@host, no user name",
        "whoami -o yaml, is none of pretty",
        "whoami extra, extra",
        "completion fish, bash and zsh",
        "config, subcommand",
    })
    void wrong_usage_exits_with_two_and_one_line(String line, String part) {
        var run = cli().run(line.split(" "));

        assertThat(run.status()).as(run.err()).isEqualTo(2);
        assertThat(run.err().lines()).hasSize(1);
        assertThat(run.err()).contains(part);
    }

    @Test
    void a_wrong_format_in_the_environment_is_named() {
        var run = cli().with("SLUICE_OUTPUT", "xml").run("version");

        assertThat(run.status()).isEqualTo(2);
        assertThat(run.err()).contains("SLUICE_OUTPUT", "xml");
    }

    @Test
    void control_characters_of_a_server_do_not_reach_the_terminal() {
        try (var server = new ScriptedServer()) {
            server.answer(
                    422, Map.of(), "{\"error\":{\"code\":\"x\",\"message\":\"a\\u001b[2Jb\\nc\"}}");

            var run = cli().with("SLUICE_API_KEY", "slk_x").run("whoami", "--server", server.url());

            assertThat(run.err().lines()).hasSize(1);
            assertThat(run.err()).doesNotContain("\u001b");
        }
    }

    @Test
    void help_has_colours_only_on_a_terminal_that_wants_them() {
        assertThat(cli().run("--help").out()).doesNotContain("\u001b");
        assertThat(cli().onTerminal().with("NO_COLOR", "1").run("--help").out())
                .doesNotContain("\u001b");
        assertThat(cli().onTerminal().with("TERM", "xterm").run("--help").out()).contains("\u001b");
    }

    @Test
    void the_completion_script_is_one_that_bash_reads() throws IOException, InterruptedException {
        var script =
                Files.writeString(
                        home.resolve("completion"), cli().run("completion", "bash").out());

        var bash = new ProcessBuilder("bash", "-n", script.toString()).inheritIO().start();

        assertThat(bash.waitFor()).isZero();
        assertThat(script).content().contains("whoami", "--api-key-stdin");
    }

    private CommandLine commandLine() {
        return SluiceCommand.commandLine(
                new Shell(Map.of(), home, System.in, System.out, System.err, false),
                InstantSource.system());
    }

    private CliRunner cli() {
        return new CliRunner(home);
    }
}
