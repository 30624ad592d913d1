package dev.sluice;

import static org.assertj.core.api.Assertions.assertThat;

import static java.nio.charset.StandardCharsets.UTF_8;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;

/// Tests that the guide's first webhook works when it is pasted in one go, and that the page about
/// receiving then leads to a verified delivery in the same shell. A script stands in for
/// `bin/sluice`, because the server already runs, or shall not start.
class FirstWebhookGuideTest {

    private static final Path DOCS = Path.of(System.getProperty("basedir", "."), "..", "docs");
    private static final Path GUIDE = DOCS.resolve(Path.of("guide", "first-webhook.md"));
    private static final Path RECEIVING = DOCS.resolve(Path.of("reference", "receiving.md"));

    /// The shell scripts of the guide.
    private static final Pattern SCRIPT = Pattern.compile("(?s)```sh\n(.*?)```");

    private static final String KILL_ALL = "\nkill $(jobs -p)\n";

    @TempDir private Path directory;

    @Test
    void the_first_webhook_is_pasted_in_one_go_and_the_next_one_is_verified() throws Exception {
        try (var sluice = RunningSluice.start(Map.of("SLUICE_ADMIN_API_KEY", ""))) {
            standIn("exec sleep 60");
            Files.copy(
                    sluice.dataDir().resolve("first-start.txt"),
                    Files.createDirectory(directory.resolve("data")).resolve("first-start.txt"));
            int port = freePort();
            String signing = onPorts(code("signing"), sluice.port(), port);
            Files.writeString(
                    directory.resolve("receiver.py"),
                    onPorts(code("receiver"), sluice.port(), port));
            Files.writeString(directory.resolve("verify.py"), code("python"));

            String output = run(onPorts(script(), sluice.port(), port) + signing + KILL_ALL);

            assertThat(output)
                    .contains("received: {\"order\": 1001}", "SUCCESS")
                    .contains("verified: b'{\"order\": 1002}'")
                    .containsPattern("\"status\": \"succeeded\"")
                    .doesNotContain("\"error\":");
        }
    }

    @Test
    void a_server_that_does_not_start_ends_the_wait_with_its_log() throws Exception {
        standIn("echo port.taken; exit 2");

        String output = run(onPorts(script(), freePort(), freePort()) + KILL_ALL);

        assertThat(output).contains("Not started.", "port.taken").doesNotContain("SUCCESS");
    }

    private static String onPorts(String text, int serverPort, int receiverPort) {
        return text.replace("localhost:8080", "127.0.0.1:" + serverPort)
                .replace("9000", Integer.toString(receiverPort));
    }

    /// Returns the code that the page about receiving marks with this name.
    private static String code(String name) throws IOException {
        var found =
                Pattern.compile("(?s)<!-- code: " + name + " -->\n```\\w+\n(.*?)```")
                        .matcher(Files.readString(RECEIVING));
        assertThat(found.find()).isTrue();
        return found.group(1);
    }

    /// Returns the script of the guide, which a person pastes. An interactive `zsh` does not know
    /// comments.
    private static String script() throws IOException {
        var scripts =
                SCRIPT.matcher(Files.readString(GUIDE))
                        .results()
                        .map(script -> script.group(1))
                        .toList();
        assertThat(scripts).hasSize(1);
        assertThat(scripts.getFirst().lines()).noneMatch(line -> line.matches("(.* )?#( .*)?"));
        return scripts.getFirst();
    }

    private void standIn(String command) throws IOException {
        var script = Files.createDirectory(directory.resolve("bin")).resolve("sluice");
        Files.writeString(script, "#!/bin/sh\n" + command + "\n");
        assertThat(script.toFile().setExecutable(true)).isTrue();
    }

    private static int freePort() throws IOException {
        try (var socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }

    private String run(String script) throws IOException, InterruptedException {
        var output = directory.resolve("output");
        var process =
                new ProcessBuilder("bash", "-c", script)
                        .directory(directory.toFile())
                        .redirectErrorStream(true)
                        .redirectOutput(output.toFile())
                        .start();
        try {
            assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
        } finally {
            process.descendants().forEach(ProcessHandle::destroyForcibly);
            process.destroyForcibly();
        }
        return Files.readString(output, UTF_8);
    }
}
