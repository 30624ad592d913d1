package dev.sluice.testkit;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.Optional;

/// A client of the management API and of ingest URLs. It fails the test when an answer does not
/// match `openapi.json`.
public final class ApiClient {

    /// An HTTP response. `json` returns a missing node when the body is not a JSON object.
    public record ApiResponse(int status, String body, java.net.http.HttpHeaders headers) {

        public JsonNode json() {
            return body.startsWith("{") ? JSON.readTree(body) : JSON.missingNode();
        }

        public String text(String field) {
            return json().path(field).asString();
        }

        public Optional<String> header(String name) {
            return headers.firstValue(name);
        }

        /// The `code` of the error envelope.
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
    private final boolean isChecked;

    public ApiClient(int port, String key) {
        this(port, key, true);
    }

    private ApiClient(int port, String key, boolean isChecked) {
        this.port = port;
        this.key = key;
        this.isChecked = isChecked;
    }

    /// A client for a test's own routes, which `openapi.json` does not describe.
    public static ApiClient undocumented(int port) {
        return new ApiClient(port, "", false);
    }

    /// A client with the same key for another node.
    public ApiClient onPort(int otherPort) {
        return new ApiClient(otherPort, key);
    }

    public ApiResponse get(String path) {
        return send(request(path).GET());
    }

    public ApiResponse delete(String path) {
        return send(request(path).DELETE());
    }

    /// @param json JSON with single quotes instead of double quotes
    public ApiResponse post(String path, String json) {
        return send(withBody("POST", path, json));
    }

    /// @param json JSON with single quotes instead of double quotes
    public ApiResponse patch(String path, String json) {
        return send(withBody("PATCH", path, json));
    }

    private HttpRequest.Builder withBody(String method, String path, String json) {
        return request(path)
                .header("Content-Type", "application/json")
                .method(method, HttpRequest.BodyPublishers.ofString(json.replace('\'', '"')));
    }

    /// A request with the API key.
    public HttpRequest.Builder request(String path) {
        return anonymous(path).header("Authorization", "Bearer " + key);
    }

    /// A request without an API key.
    public HttpRequest.Builder anonymous(String path) {
        return HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path));
    }

    public ApiResponse send(HttpRequest.Builder request) {
        try {
            var sent = request.build();
            var response = client.send(sent, HttpResponse.BodyHandlers.ofString());
            var answer =
                    new ApiResponse(response.statusCode(), response.body(), response.headers());
            if (isChecked) {
                OpenApiContract.SHARED.check(sent.method(), sent.uri().getRawPath(), answer);
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
    public ApiResponse ingest(String ingestPath, String body) {
        return send(
                anonymous(ingestPath)
                        .header("Content-Type", "application/json")
                        .POST(HttpRequest.BodyPublishers.ofString(body)));
    }

    /// Creates a source. The response contains `id` and `ingest_path`.
    public ApiResponse source(String name) {
        return expect(201, post("/api/v1/sources/", "{'name': '" + name + "'}"));
    }

    /// Creates a destination with this URL.
    ///
    /// @param more further JSON fields, each starting with a comma, with single quotes instead of
    ///   double quotes
    public ApiResponse destination(String url, String more) {
        return expect(
                201,
                post("/api/v1/destinations/", "{'name': 'd', 'url': '" + url + "'" + more + "}"));
    }

    public ApiResponse connect(ApiResponse source, ApiResponse destination) {
        return expect(
                201,
                post(
                        "/api/v1/connections/",
                        "{'source_id': '%s', 'destination_id': '%s'}"
                                .formatted(source.text("id"), destination.text("id"))));
    }

    private static ApiResponse expect(int status, ApiResponse answer) {
        if (answer.status() != status) {
            throw new AssertionError(
                    "expected " + status + " but got " + answer.status() + " " + answer.body());
        }
        return answer;
    }
}
