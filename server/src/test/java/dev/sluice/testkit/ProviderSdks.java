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

/// The official libraries of webhook providers, run in a Node.js process. They sign what a test
/// sends, or verify what Sluice signed.
///
/// If they are missing, they are installed below `target/` from the lock file in `src/test/sdk`.
/// Used by one thread.
public final class ProviderSdks implements AutoCloseable {

    private static final Path SDK_DIRECTORY = Path.of("src/test/sdk");
    private static final Path INSTALL_DIRECTORY = Path.of("target/senders");
    private static final List<String> SDK_FILES =
            List.of("package.json", "package-lock.json", ".npmrc", "senders.mjs");
    private static final long INSTALL_TIMEOUT_SECONDS = 300;

    private static final JsonMapper JSON = JsonMapper.shared();

    private final Process node;
    private final Writer questions;
    private final BufferedReader answers;

    private ProviderSdks(Process node) {
        this.node = node;
        this.questions = node.outputWriter(UTF_8);
        this.answers = node.inputReader(UTF_8);
    }

    public static ProviderSdks start() {
        try {
            install();
            return new ProviderSdks(
                    new ProcessBuilder("node", "senders.mjs")
                            .directory(INSTALL_DIRECTORY.toFile())
                            .redirectError(INSTALL_DIRECTORY.resolve("senders.log").toFile())
                            .start());
        } catch (IOException e) {
            throw new IllegalStateException(
                    "Node.js 20 or newer is needed: the tests run the providers' own libraries.",
                    e);
        }
    }

    private static void install() throws IOException {
        Files.createDirectories(INSTALL_DIRECTORY);
        var lock = SDK_DIRECTORY.resolve("package-lock.json");
        var done = INSTALL_DIRECTORY.resolve("installed.json");
        for (String file : SDK_FILES) {
            Files.copy(
                    SDK_DIRECTORY.resolve(file),
                    INSTALL_DIRECTORY.resolve(file),
                    StandardCopyOption.REPLACE_EXISTING);
        }
        if (Files.exists(done) && Files.mismatch(lock, done) < 0) {
            return;
        }
        var log = INSTALL_DIRECTORY.resolve("npm.log");
        var npm =
                new ProcessBuilder("npm", "ci")
                        .directory(INSTALL_DIRECTORY.toFile())
                        .redirectErrorStream(true)
                        .redirectOutput(log.toFile())
                        .start();
        try {
            if (!npm.waitFor(INSTALL_TIMEOUT_SECONDS, TimeUnit.SECONDS) || npm.exitValue() != 0) {
                npm.destroy();
                throw new IllegalStateException(
                        "The providers' libraries could not be installed. With network access, run"
                                + " this and then the tests again: cd server/"
                                + INSTALL_DIRECTORY
                                + " && npm ci\n"
                                + Files.readString(log, UTF_8));
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
        Files.copy(lock, done, StandardCopyOption.REPLACE_EXISTING);
    }

    /// Returns the headers that the provider's library creates.
    ///
    /// @param ask the name of a function in `senders.mjs`
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

    /// Returns whether the provider's library accepts the signature.
    public boolean verify(String ask, Map<String, ?> question) {
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
                        "node ended: "
                                + Files.readString(
                                        INSTALL_DIRECTORY.resolve("senders.log"), UTF_8));
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
