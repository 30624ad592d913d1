package dev.sluice.cli.server;

import dev.sluice.cli.shell.Backoff;
import dev.sluice.cli.shell.CommandException;
import dev.sluice.cli.shell.ExitCode;
import dev.sluice.cli.shell.JsonTree;

import tools.jackson.databind.JsonNode;

import java.io.IOException;
import java.net.ConnectException;
import java.net.UnknownHostException;
import java.net.http.HttpClient;
import java.net.http.HttpConnectTimeoutException;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.net.http.HttpTimeoutException;
import java.nio.channels.UnresolvedAddressException;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Consumer;

import javax.net.ssl.SSLException;

/// A client for the management API. It does not follow redirects, because a redirect could send the
/// key to another server.
public final class ServerClient implements AutoCloseable {

    /// The path prefix of all operations of the management API.
    public static final String API = "/api/v1/";

    private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(10);
    private static final Duration ANSWER_TIMEOUT = Duration.ofSeconds(60);

    /// The maximum total time that one call waits while the server answers 429 (too many requests).
    private static final Duration MAX_RATE_LIMIT_WAIT = Duration.ofSeconds(90);

    private final ServerAddress server;
    private final Optional<String> apiKey;
    private final Consumer<String> notes;
    private final HttpClient http =
            HttpClient.newBuilder()
                    .version(HttpClient.Version.HTTP_1_1)
                    .connectTimeout(CONNECT_TIMEOUT)
                    .build();

    /// @param notes prints a line for the user, such as the reason the client is waiting
    public ServerClient(ServerAddress server, Optional<String> apiKey, Consumer<String> notes) {
        this.server = server;
        this.apiKey = apiKey;
        this.notes = notes;
    }

    public ServerAddress server() {
        return server;
    }

    /// @param path the path relative to `/api/v1/`, such as `me`
    public ServerAnswer get(String path) {
        return call("GET", API + path, BodyPublishers.noBody());
    }

    /// @param path the path relative to `/api/v1/`, such as `me`
    public ServerAnswer delete(String path) {
        return call("DELETE", API + path, BodyPublishers.noBody());
    }

    /// @param path the path relative to `/api/v1/`, such as `me`
    public ServerAnswer send(String method, String path, JsonNode body) {
        return send(method, API + path, JsonTree.bytes(body));
    }

    /// @param path the path after the server's base URL, such as `/api/v1/me`
    public ServerAnswer send(String method, String path, byte[] body) {
        return call(
                method,
                path,
                body.length == 0 ? BodyPublishers.noBody() : BodyPublishers.ofByteArray(body));
    }

    private ServerAnswer call(String method, String path, BodyPublisher body) {
        var request = request(path).timeout(ANSWER_TIMEOUT).method(method, body);
        if (body.contentLength() != 0) {
            request.header("Content-Type", "application/json");
        }
        var waited = Duration.ZERO;
        while (true) {
            var response = exchange(request.build());
            var pause = Refusal.retryAfter(response.headers());
            if (response.statusCode() != 429
                    || pause.isEmpty()
                    || waited.plus(pause.get()).compareTo(MAX_RATE_LIMIT_WAIT) > 0) {
                return answer(response);
            }
            notes.accept(
                    "The workspace's requests a minute are used up; waiting %d s."
                            .formatted(pause.get().toSeconds()));
            Backoff.sleep(pause.get());
            waited = waited.plus(pause.get());
        }
    }

    /// Returns a builder for a request that carries the API key, if there is one. This is for
    /// callers that send the request themselves.
    ///
    /// @param path the path after the server's base URL, such as `/api/v1/me`
    public HttpRequest.Builder request(String path) {
        var request = HttpRequest.newBuilder(server.at(path));
        apiKey.ifPresent(key -> request.header("Authorization", "Bearer " + key));
        return request;
    }

    private static ServerAnswer answer(HttpResponse<byte[]> response) {
        if (response.statusCode() / 100 != 2) {
            throw Refusal.of(response.statusCode(), response.body(), response.headers());
        }
        return new ServerAnswer(response.body(), response.headers().firstValue("X-Request-Id"));
    }

    private HttpResponse<byte[]> exchange(HttpRequest request) {
        try {
            return http.send(request, BodyHandlers.ofByteArray());
        } catch (IOException e) {
            throw unreachable(server, e);
        } catch (InterruptedException e) {
            throw CommandException.interrupted(e);
        }
    }

    /// Returns the error for a request that got no response, for example because the server cannot
    /// be reached.
    public static CommandException unreachable(ServerAddress server, IOException cause) {
        String problem =
                switch (cause) {
                    case HttpConnectTimeoutException _ ->
                            "%s does not answer: connecting took too long.";
                    case HttpTimeoutException _ -> "%s took too long to answer.";
                    case ConnectException refused
                            when refused.getCause() instanceof UnresolvedAddressException ->
                            "The host of %s is not known.";
                    case UnknownHostException _ -> "The host of %s is not known.";
                    case ConnectException _ -> "Nothing answers at %s.";
                    case SSLException _ ->
                            "TLS with %s failed: "
                                    + String.valueOf(cause.getMessage()).replace("%", "%%")
                                    + ".";
                    default -> "The connection to %s was lost.";
                };
        return new CommandException(
                ExitCode.NETWORK,
                "unreachable",
                problem.formatted(server),
                "Start it, or give its address with --server or SLUICE_SERVER.");
    }

    @Override
    public void close() {
        http.shutdownNow();
    }
}
