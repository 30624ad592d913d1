package dev.sluice.testkit;

import static java.nio.charset.StandardCharsets.UTF_8;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/// The libraries that senders of webhooks hand out, in a node process: they sign what a test sends,
/// or judge what a test signed.
///
/// They are installed below `target/` when they are not there yet, from the lock file that stands
/// beside the script.
public final class Senders implements AutoCloseable {

    private static final Path SCRIPT = Path.of("src/test/sdk");
    private static final Path INSTALLED = Path.of("target/senders");
    private static final List<String> FILES =
            List.of("package.json", "package-lock.json", ".npmrc", "senders.mjs");
    private static final long INSTALL_SECONDS = 300;

    private static final JsonMapper JSON = JsonMapper.shared();

    private final Process node;
    private final Writer questions;
    private final BufferedReader answers;

    private Senders(Process node) {
        this.node = node;
        this.questions = node.outputWriter(UTF_8);
        this.answers = node.inputReader(UTF_8);
    }

    public static Senders start() {
        try {
            install();
            return new Senders(
                    new ProcessBuilder("node", "senders.mjs")
                            .directory(INSTALLED.toFile())
                            .redirectError(INSTALLED.resolve("senders.log").toFile())
                            .start());
        } catch (IOException e) {
            throw new IllegalStateException(
                    "Node.js 20 or newer is needed: the tests ask the senders' own libraries.", e);
        }
    }

    private static void install() throws IOException {
        Files.createDirectories(INSTALLED);
        var lock = SCRIPT.resolve("package-lock.json");
        var done = INSTALLED.resolve("installed.json");
        for (String file : FILES) {
            Files.copy(
                    SCRIPT.resolve(file),
                    INSTALLED.resolve(file),
                    StandardCopyOption.REPLACE_EXISTING);
        }
        if (Files.exists(done) && Files.mismatch(lock, done) < 0) {
            return;
        }
        var log = INSTALLED.resolve("npm.log");
        var npm =
                new ProcessBuilder("npm", "ci")
                        .directory(INSTALLED.toFile())
                        .redirectErrorStream(true)
                        .redirectOutput(log.toFile())
                        .start();
        try {
            if (!npm.waitFor(INSTALL_SECONDS, TimeUnit.SECONDS) || npm.exitValue() != 0) {
                npm.destroy();
                throw new IllegalStateException(
                        "The senders' libraries could not be installed. With the network there, run"
                                + " this and then the tests again: cd server/"
                                + INSTALLED
                                + " && npm ci\n"
                                + Files.readString(log, UTF_8));
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
        Files.copy(lock, done, StandardCopyOption.REPLACE_EXISTING);
    }

    /// The headers that the sender's library makes.
    ///
    /// @param ask a name that `senders.mjs` knows
    public Map<String, String> sign(String ask, Map<String, ?> question) {
        var headers = new LinkedHashMap<String, String>();
        for (var header : answer(ask, question).path("headers").properties()) {
            headers.put(header.getKey(), header.getValue().asString());
        }
        if (headers.isEmpty()) {
            throw new IllegalStateException(ask + " signed nothing");
        }
        return headers;
    }

    /// Whether the sender's library takes the signature for genuine.
    public boolean judge(String ask, Map<String, ?> question) {
        return answer(ask, question).path("valid").asBoolean();
    }

    public JsonNode answer(String ask, Map<String, ?> question) {
        var asked = new LinkedHashMap<String, Object>(question);
        asked.put("ask", ask);
        try {
            questions.write(JSON.writeValueAsString(asked) + "\n");
            questions.flush();
            String line = answers.readLine();
            if (line == null) {
                throw new IllegalStateException(
                        "node ended: " + Files.readString(INSTALLED.resolve("senders.log"), UTF_8));
            }
            var answer = JSON.readTree(line);
            if (answer.has("error")) {
                throw new IllegalStateException(ask + ": " + answer.path("error").asString());
            }
            return answer;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void close() {
        node.destroy();
    }
}
