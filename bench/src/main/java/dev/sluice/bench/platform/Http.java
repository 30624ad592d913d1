package dev.sluice.bench.platform;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;

/// Single requests whose cost does not matter: set-up and control.
public final class Http {

    private static final HttpClient CLIENT =
            HttpClient.newBuilder()
                    .version(HttpClient.Version.HTTP_1_1)
                    .connectTimeout(Duration.ofSeconds(5))
                    .build();

    private Http() {}

    public static HttpResponse<String> get(URI uri) {
        return send(HttpRequest.newBuilder(uri).GET());
    }

    public static HttpResponse<String> get(URI uri, String authorization) {
        return send(HttpRequest.newBuilder(uri).header("Authorization", authorization).GET());
    }

    public static HttpResponse<String> post(URI uri, String authorization, String json) {
        return send(
                HttpRequest.newBuilder(uri)
                        .header("Authorization", authorization)
                        .header("Content-Type", "application/json")
                        .POST(BodyPublishers.ofString(json)));
    }

    public static HttpResponse<String> patch(URI uri, String authorization, String json) {
        return send(
                HttpRequest.newBuilder(uri)
                        .header("Authorization", authorization)
                        .header("Content-Type", "application/json")
                        .method("PATCH", BodyPublishers.ofString(json)));
    }

    private static HttpResponse<String> send(HttpRequest.Builder request) {
        try {
            return CLIENT.send(
                    request.timeout(Duration.ofSeconds(10)).build(), BodyHandlers.ofString());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while waiting for an answer", e);
        }
    }
}
