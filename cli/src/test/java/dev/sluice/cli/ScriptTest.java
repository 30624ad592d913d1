package dev.sluice.cli;

import static org.assertj.core.api.Assertions.assertThat;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.sluice.cli.testkit.CliRun;
import dev.sluice.cli.testkit.LauncherScripts;
import dev.sluice.cli.testkit.RelayServer;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/// Tests `bin/sluice` itself, in a distribution that has the classes of this test.
class ScriptTest {

    @TempDir private Path folder;

    @BeforeEach
    void makeDistribution() throws IOException {
        LauncherScripts.makeDistribution(folder, List.of("cli", "server"));
    }

    @Test
    void it_calls_a_server_also_over_a_link() throws Exception {
        var link = Files.createSymbolicLink(folder.resolve("linked"), Path.of("bin", "sluice"));

        var me = run(link, "api", "GET", "/api/v1/me");

        assertThat(me.status()).as(me.err()).isZero();
        assertThat(me.json().path("auth").asString()).isEqualTo("api_key");
    }

    @Test
    void it_hands_the_servers_commands_to_the_server() throws Exception {
        var script = folder.resolve("bin").resolve("sluice");

        assertThat(run(script, "audit", "--help").out()).startsWith("Usage: sluice audit");
        assertThat(run(script, "export-data", "--help").out())
                .startsWith("Usage: sluice export-data");
        var export = run(script, "export-data");
        assertThat(export.status()).isEqualTo(2);
        assertThat(export.err()).contains("Usage: sluice export-data FILE");
    }

    @Test
    void it_runs_with_an_empty_environment_in_a_folder_with_a_blank() throws Exception {
        var relay = Files.createDirectory(folder.resolve("my relay"));
        Files.move(folder.resolve("lib"), relay.resolve("lib"));
        Files.move(folder.resolve("bin"), relay.resolve("bin"));

        var version = runBare(relay.resolve("bin").resolve("sluice"), "version");

        assertThat(version.status()).as(version.err()).isZero();
        assertThat(version.out()).contains("sluice");
    }

    @Test
    void without_a_home_it_names_what_is_missing_and_no_variable() throws Exception {
        var jdk = runBare(folder.resolve("bin").resolve("jdk"));

        assertThat(jdk.err()).doesNotContain("HOME:");
        assertThat(jdk.out() + jdk.err()).containsAnyOf("/bin/java", "No JDK 25 found");
    }

    private CliRun runBare(Path script, String... arguments) throws Exception {
        var command = new ArrayList<>(List.of("/bin/sh", script.toString()));
        command.addAll(List.of(arguments));
        var err = folder.resolve("err.log");
        var builder = new ProcessBuilder(command).redirectError(err.toFile());
        builder.environment().clear();
        if (arguments.length > 0) {
            builder.environment().put("JAVA_HOME", System.getProperty("java.home"));
        }
        var process = builder.start();
        String out = new String(process.getInputStream().readAllBytes(), UTF_8);
        return new CliRun(process.waitFor(), out, Files.readString(err));
    }

    private CliRun run(Path script, String... arguments) throws Exception {
        var command = new ArrayList<>(List.of(script.toString()));
        command.addAll(List.of(arguments));
        var err = folder.resolve("err.log");
        var builder = new ProcessBuilder(command).redirectError(err.toFile());
        builder.environment().keySet().removeIf(name -> name.startsWith("SLUICE_"));
        builder.environment().put("SLUICE_SERVER", RelayServer.shared().url());
        builder.environment().put("SLUICE_API_KEY", RelayServer.shared().newWorkspaceKey());
        builder.environment().put("SLUICE_DATA_DIR", folder.resolve("data").toString());
        builder.environment().put("JAVA_HOME", System.getProperty("java.home"));
        var process = builder.start();
        String out = new String(process.getInputStream().readAllBytes(), UTF_8);
        return new CliRun(process.waitFor(), out, Files.readString(err));
    }
}
