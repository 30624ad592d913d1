package dev.sluice.bench.platform;

import static dev.sluice.bench.platform.UncheckedCalls.unchecked;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;

/// Sends individual HTTP requests for setup and control, where performance does not matter.
public final class SimpleHttpClient {

    private static final HttpClient CLIENT =
            HttpClient.newBuilder()
                    .version(HttpClient.Version.HTTP_1_1)
                    .connectTimeout(Duration.ofSeconds(5))
                    .build();

    private SimpleHttpClient() {}

    public static HttpResponse<String> get(URI uri) {
        return send("GET", uri, "", "");
    }

    public static HttpResponse<String> post(URI uri, String authorization, String json) {
        return send("POST", uri, authorization, json);
    }

    public static HttpResponse<String> send(
            String method, URI uri, String authorization, String json) {
        var request = HttpRequest.newBuilder(uri).timeout(Duration.ofSeconds(10));
        if (!authorization.isEmpty()) {
            request.header("Authorization", authorization);
        }
        if (!method.equals("GET")) {
            request.header("Content-Type", "application/json")
                    .method(method, BodyPublishers.ofString(json));
        }
        return unchecked(() -> CLIENT.send(request.build(), BodyHandlers.ofString()));
    }
}
