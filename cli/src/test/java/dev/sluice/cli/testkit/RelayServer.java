package dev.sluice.cli.testkit;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.sluice.cli.shell.JsonTree;

import org.awaitility.Awaitility;

import tools.jackson.databind.JsonNode;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Pattern;

/// The real server as a process, with its embedded PostgreSQL and a data directory of its own. The
/// tests share one, each class in a workspace of its own. A test that needs another one closes it.
public final class RelayServer implements AutoCloseable {

    private static final Duration START_TIMEOUT = Duration.ofMinutes(3);
    private static final Pattern STARTED_LOG_LINE =
            Pattern.compile("server\\.started.*\\bport=\"?(\\d+)");
    private static final String PASSWORD = "correct horse battery staple";
    private static final AtomicInteger WORKSPACE_COUNT = new AtomicInteger();

    /// Holds the server, which starts on first use and stops when the JVM exits.
    private static final class Shared {
        static final RelayServer SERVER = new RelayServer();
    }

    private final Path directory;
    private final HttpClient http = HttpClient.newHttpClient();
    private Process process;
    private int port;
    private String cookie = "";

    private RelayServer() {
        try {
            directory = Files.createTempDirectory("sluice-cli-test");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        process = launch();
        Runtime.getRuntime().addShutdownHook(new Thread(this::close));
        port = awaitPort();
    }

    public static RelayServer shared() {
        return Shared.SERVER;
    }

    /// Starts a server that this test alone uses.
    public static RelayServer startAnother() {
        return new RelayServer();
    }

    private Process launch() {
        var builder =
                new ProcessBuilder(
                        List.of(
                                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                                "-Xmx256m",
                                "-XX:TieredStopAtLevel=1",
                                "-cp",
                                System.getProperty("java.class.path"),
                                "dev.sluice.Main"));
        var environment = builder.environment();
        environment.keySet().removeIf(name -> name.startsWith("SLUICE_"));
        // The server must tolerate every variable of the command line.
        for (String name : List.of("SERVER", "API_KEY", "PROFILE", "OUTPUT", "FORWARD_TO")) {
            environment.put("SLUICE_" + name, "x");
        }
        environment.put("SLUICE_PORT", "0");
        environment.put("SLUICE_BASE_URL", "http://localhost:8080");
        environment.put("SLUICE_DATA_DIR", directory.resolve("data").toString());
        environment.put("SLUICE_ADMIN_PASSWORD", PASSWORD);
        environment.put("SLUICE_ALLOW_PRIVATE_DESTINATIONS", "127.0.0.0/8");
        try {
            Files.writeString(log(), "");
            return builder.redirectErrorStream(true).redirectOutput(log().toFile()).start();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private Path log() {
        return directory.resolve("server.log");
    }

    private int awaitPort() {
        Awaitility.await()
                .atMost(START_TIMEOUT)
                .until(() -> STARTED_LOG_LINE.matcher(logText()).find() || !process.isAlive());
        var started = STARTED_LOG_LINE.matcher(logText());
        if (!started.find()) {
            throw new AssertionError("the server did not start:\n" + logText());
        }
        return Integer.parseInt(started.group(1));
    }

    private String logText() {
        try {
            return Files.readString(log());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /// Kills the server, as `kill -9` does, and starts it again on the same data. Its port changes.
    public void killAndStart() {
        process.destroyForcibly();
        awaitEnd();
        process = launch();
        port = awaitPort();
    }

    private void awaitEnd() {
        try {
            if (!process.waitFor(1, TimeUnit.MINUTES)) {
                throw new AssertionError("the server does not exit");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    public int port() {
        return port;
    }

    public String url() {
        return "http://127.0.0.1:" + port;
    }

    /// Makes an empty workspace.
    ///
    /// @return an API key of it
    public synchronized String newWorkspaceKey() {
        if (cookie.isEmpty()) {
            cookie = signIn(); // once: hashing a password is slow
        }
        var name = JsonTree.object().put("name", "Tests " + WORKSPACE_COUNT.incrementAndGet());
        String id = json(post("/api/v1/workspaces", name, cookie)).path("id").asString();
        post("/api/v1/workspaces/" + id + "/switch", JsonTree.object(), cookie);
        var key = JsonTree.object().put("name", "command line");
        return json(post("/api/v1/api-keys", key, cookie)).path("key").asString();
    }

    private String signIn() {
        var login = JsonTree.object().put("email", "admin@localhost").put("password", PASSWORD);
        return post("/api/v1/auth/login", login, "")
                .headers()
                .firstValue("Set-Cookie")
                .orElseThrow()
                .replaceAll(";.*", "");
    }

    /// Sends a webhook to a source.
    ///
    /// @param ingestPath such as `/in/token`
    /// @param headers names and values in turns
    /// @return the event's id
    public String ingest(String ingestPath, byte[] body, String... headers) {
        return json(exchange(webhook(ingestPath, body, headers))).path("request_id").asString();
    }

    /// Sends a webhook that the source's verification refuses.
    public void ingestRefused(String ingestPath, byte[] body) {
        int status = send(ingestPath, body).statusCode();
        if (status != 401) {
            throw new AssertionError("answered " + status);
        }
    }

    /// Sends a webhook to a source. Returns the answer, whatever it is.
    ///
    /// @param headers names and values in turns
    public HttpResponse<byte[]> send(String ingestPath, byte[] body, String... headers) {
        return answer(webhook(ingestPath, body, headers));
    }

    private HttpRequest webhook(String ingestPath, byte[] body, String... headers) {
        var request =
                HttpRequest.newBuilder(URI.create(url() + ingestPath))
                        .POST(BodyPublishers.ofByteArray(body));
        if (headers.length > 0) {
            request.headers(headers);
        }
        return request.build();
    }

    private HttpResponse<byte[]> post(String path, JsonNode body, String cookie) {
        var request =
                HttpRequest.newBuilder(URI.create(url() + path))
                        .header("Content-Type", "application/json")
                        .header("Sec-Fetch-Site", "same-origin")
                        .POST(BodyPublishers.ofByteArray(JsonTree.bytes(body)));
        if (!cookie.isEmpty()) {
            request.header("Cookie", cookie);
        }
        return exchange(request.build());
    }

    private HttpResponse<byte[]> exchange(HttpRequest request) {
        var response = answer(request);
        if (response.statusCode() / 100 != 2) {
            throw new AssertionError(
                    request.uri()
                            + ": "
                            + response.statusCode()
                            + " "
                            + new String(response.body(), UTF_8));
        }
        return response;
    }

    private HttpResponse<byte[]> answer(HttpRequest request) {
        try {
            return http.send(request, BodyHandlers.ofByteArray());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    private static JsonNode json(HttpResponse<byte[]> response) {
        return JsonTree.read(response.body());
    }

    /// Stops the server and deletes its data. Does nothing if that was done already.
    @Override
    public void close() {
        process.destroy();
        awaitEnd();
        if (!Files.exists(directory)) {
            return;
        }
        try (var files = Files.walk(directory)) {
            files.sorted(Comparator.reverseOrder()).forEach(file -> file.toFile().delete());
        } catch (IOException e) {
            System.err.println("could not delete: " + directory);
        }
    }
}
