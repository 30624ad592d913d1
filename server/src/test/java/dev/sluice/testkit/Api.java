package dev.sluice.testkit;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.Optional;

/// A client of the management API and of ingest URLs. Every answer must be one that `openapi.json`
/// foresees.
public final class Api {

    /// What was answered. `json` is a missing node when the body is empty or not JSON.
    public record Answer(int status, String body, java.net.http.HttpHeaders headers) {

        public JsonNode json() {
            return body.startsWith("{") ? JSON.readTree(body) : JSON.missingNode();
        }

        public String text(String field) {
            return json().path(field).asString();
        }

        public Optional<String> header(String name) {
            return headers.firstValue(name);
        }

        /// Of the error envelope.
        public String errorCode() {
            return json().path("error").path("code").asString();
        }

        public String errorMessage() {
            return json().path("error").path("message").asString();
        }
    }

    private static final JsonMapper JSON = JsonMapper.builder().build();

    private final HttpClient client =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    private final int port;
    private final String key;
    private final boolean isShipped;

    public Api(int port, String key) {
        this(port, key, true);
    }

    private Api(int port, String key, boolean isShipped) {
        this.port = port;
        this.key = key;
        this.isShipped = isShipped;
    }

    /// For routes of a test's own, which no document describes.
    public static Api undocumented(int port) {
        return new Api(port, "", false);
    }

    /// The same key, on another node.
    public Api on(int otherPort) {
        return new Api(otherPort, key);
    }

    public Answer get(String path) {
        return send(request(path).GET());
    }

    public Answer delete(String path) {
        return send(request(path).DELETE());
    }

    /// @param json single quotes stand for double ones
    public Answer post(String path, String json) {
        return send(withBody("POST", path, json));
    }

    /// @param json single quotes stand for double ones
    public Answer patch(String path, String json) {
        return send(withBody("PATCH", path, json));
    }

    private HttpRequest.Builder withBody(String method, String path, String json) {
        return request(path)
                .header("Content-Type", "application/json")
                .method(method, HttpRequest.BodyPublishers.ofString(json.replace('\'', '"')));
    }

    /// With the key.
    public HttpRequest.Builder request(String path) {
        return anonymous(path).header("Authorization", "Bearer " + key);
    }

    /// Without any key.
    public HttpRequest.Builder anonymous(String path) {
        return HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path));
    }

    public Answer send(HttpRequest.Builder request) {
        try {
            var sent = request.build();
            var response = client.send(sent, HttpResponse.BodyHandlers.ofString());
            var answer = new Answer(response.statusCode(), response.body(), response.headers());
            if (isShipped) {
                Contract.SHIPPED.check(sent.method(), sent.uri().getRawPath(), answer);
            }
            return answer;
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    /// Posts a JSON webhook to an ingest URL.
    public Answer ingest(String ingestPath, String body) {
        return send(
                anonymous(ingestPath)
                        .header("Content-Type", "application/json")
                        .POST(HttpRequest.BodyPublishers.ofString(body)));
    }

    /// A new source. Its answer has `id` and `ingest_path`.
    public Answer source(String name) {
        return expect(201, post("/api/v1/sources/", "{'name': '" + name + "'}"));
    }

    /// A new destination at this URL.
    ///
    /// @param more fields, each beginning with a comma; single quotes stand for double ones
    public Answer destination(String url, String more) {
        return expect(
                201,
                post("/api/v1/destinations/", "{'name': 'd', 'url': '" + url + "'" + more + "}"));
    }

    public Answer connect(Answer source, Answer destination) {
        return expect(
                201,
                post(
                        "/api/v1/connections/",
                        "{'source_id': '%s', 'destination_id': '%s'}"
                                .formatted(source.text("id"), destination.text("id"))));
    }

    private static Answer expect(int status, Answer answer) {
        if (answer.status() != status) {
            throw new AssertionError(
                    "expected " + status + " but got " + answer.status() + " " + answer.body());
        }
        return answer;
    }
}
