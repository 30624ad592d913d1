package dev.sluice.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sluice.cli.testkit.LauncherScripts;
import dev.sluice.cli.testkit.LocalService;
import dev.sluice.cli.testkit.RelayServer;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;

/// Runs the README's first webhook as a person would who has started the server, each step twice.
class ReadmeTest {

    private static final Path README = Path.of("..", "README.md");
    private static final Pattern SCRIPT = Pattern.compile("(?s)```sh\n(.*?)```");
    private static final Duration TIMEOUT = Duration.ofMinutes(2);

    @TempDir private Path folder;

    private final RelayServer relay = RelayServer.shared();

    @BeforeEach
    void makeDistribution() throws IOException {
        LauncherScripts.makeDistribution(folder, List.of("cli"));
        var data = Files.createDirectory(folder.resolve("data"));
        Files.writeString(data.resolve("first-start.txt"), relay.newWorkspaceKey() + "\n");
    }

    private static List<String> scripts() throws IOException {
        String text = Files.readString(README);
        int begin = text.indexOf("## A first webhook");
        return SCRIPT.matcher(text.substring(begin, text.indexOf("\n## ", begin)))
                .results()
                .map(script -> script.group(1))
                .toList();
    }

    @Test
    void the_first_webhook_arrives_and_each_step_may_be_repeated() throws Exception {
        var scripts = scripts();
        assertThat(scripts).hasSize(2);
        for (String step : scripts.getFirst().lines().toList()) {
            for (int i = 0; i < 2; i++) {
                var process = start(step);
                assertThat(process.waitFor(TIMEOUT.toSeconds(), TimeUnit.SECONDS)).isTrue();
                assertThat(process.exitValue()).as(step + "\n" + output()).isZero();
            }
        }
        assertThat(output()).as("the list of events").contains("application/json");

        try (var service = new LocalService()) {
            var listening =
                    start(scripts.getLast().replace("3000", Integer.toString(service.port())));
            try {
                await().atMost(TIMEOUT).until(() -> output().contains("Ready."));
                assertThat(output()).contains("/in/");
                relayTrigger();
                await().atMost(TIMEOUT).until(() -> service.requests().size() == 1);
            } finally {
                listening.descendants().forEach(ProcessHandle::destroy);
                listening.destroy();
            }
        }
    }

    private void relayTrigger() throws Exception {
        var trigger = start("bin/sluice trigger Shop", "trigger.log");
        assertThat(trigger.waitFor(TIMEOUT.toSeconds(), TimeUnit.SECONDS)).isTrue();
        assertThat(trigger.exitValue()).isZero();
    }

    private String output() throws IOException {
        return Files.readString(folder.resolve("output.log"));
    }

    private Process start(String script) throws IOException {
        return start(script, "output.log");
    }

    private Process start(String script, String log) throws IOException {
        var builder =
                new ProcessBuilder(
                                "bash", "-c", script.replace("http://localhost:8080", relay.url()))
                        .directory(folder.toFile())
                        .redirectErrorStream(true)
                        .redirectOutput(folder.resolve(log).toFile());
        builder.environment().keySet().removeIf(name -> name.startsWith("SLUICE_"));
        builder.environment().put("XDG_CONFIG_HOME", folder.resolve("config").toString());
        builder.environment().put("JAVA_HOME", System.getProperty("java.home"));
        return builder.start();
    }
}
