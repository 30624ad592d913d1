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

/// Tests that the README's first webhook works when it is pasted in one go, and that the page about
/// receiving then leads to a verified delivery in the same shell. The server already runs:
/// `bin/sluice` is a script that does nothing.
class ReadmeTest {

    private static final Path README =
            Path.of(System.getProperty("basedir", "."), "..", "README.md");

    private static final Path RECEIVING =
            README.resolveSibling(Path.of("docs", "reference", "receiving.md"));

    /// The shell scripts of the section.
    private static final Pattern SCRIPT = Pattern.compile("(?s)```sh\n(.*?)```");

    @TempDir private Path directory;

    @Test
    void the_first_webhook_is_pasted_in_one_go_and_the_next_one_is_verified() throws Exception {
        var scripts =
                SCRIPT.matcher(section("## A first webhook in a minute"))
                        .results()
                        .map(script -> script.group(1))
                        .toList();
        assertThat(scripts).hasSize(2);
        assertThat(scripts.getFirst()).startsWith("git clone ");
        try (var sluice = RunningSluice.start(Map.of("SLUICE_ADMIN_API_KEY", ""))) {
            standIn(sluice);
            int port = freePort();
            String script = onPorts(scripts.getLast(), sluice, port);
            String signing = onPorts(code("signing"), sluice, port);
            Files.writeString(
                    directory.resolve("receiver.py"), onPorts(code("receiver"), sluice, port));
            Files.writeString(directory.resolve("verify.py"), code("python"));

            String output = run(script + signing + "\nkill $(jobs -p)\n");

            assertThat(output)
                    .contains("received: {\"order\": 1001}", "SUCCESS")
                    .contains("verified: b'{\"order\": 1002}'")
                    .containsPattern("\"status\": \"succeeded\"")
                    .doesNotContain("\"error\":");
        }
    }

    private static String onPorts(String text, RunningSluice sluice, int receiverPort) {
        return text.replace("localhost:8080", "127.0.0.1:" + sluice.port())
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

    private static String section(String heading) throws IOException {
        String text = Files.readString(README);
        int begin = text.indexOf(heading);
        return text.substring(begin, text.indexOf("\n## ", begin));
    }

    /// Makes what the first start would have made.
    private void standIn(RunningSluice sluice) throws IOException {
        var script = Files.createDirectory(directory.resolve("bin")).resolve("sluice");
        Files.writeString(script, "#!/bin/sh\nexec sleep 60\n");
        assertThat(script.toFile().setExecutable(true)).isTrue();
        Files.copy(
                sluice.dataDir().resolve("first-start.txt"),
                Files.createDirectory(directory.resolve("data")).resolve("first-start.txt"));
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
