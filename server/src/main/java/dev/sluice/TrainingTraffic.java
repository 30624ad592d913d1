package dev.sluice;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.sluice.platform.json.FieldReader;
import dev.sluice.platform.json.Json;
import dev.sluice.platform.json.JsonObject;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;

/// A program that sends webhooks through a server to train the JVM's cache for faster startup (JEP
/// 515). The cache then contains profiles of the code that relays webhooks, so a server that starts
/// with the cache compiles this code sooner than one without it. Only `bin/sluice` runs this
/// program, against a server with an empty database.
///
/// The webhooks' destination is another source on the same server.
public final class TrainingTraffic {

    private static final int SENDERS = 32;
    private static final int MAX_TEXT_LENGTH = 100;
    private static final Duration REQUEST_TIMEOUT = Duration.ofSeconds(10);

    private final HttpClient client =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    private final URI server;
    private final String apiKey;

    TrainingTraffic(URI server, String apiKey) {
        this.server = server;
        this.apiKey = apiKey;
    }

    /// Reads the API key from the environment variable `SLUICE_ADMIN_API_KEY`. Throws an exception
    /// unless the server accepts every request.
    ///
    /// @param args the server's URL, and the number of webhooks to send
    public static void main(String[] args) throws Exception {
        var traffic =
                new TrainingTraffic(URI.create(args[0]), System.getenv("SLUICE_ADMIN_API_KEY"));
        traffic.send(Integer.parseInt(args[1]));
    }

    /// Creates two sources, a destination and a connection, and sends at least this many webhooks.
    void send(int webhooks) throws Exception {
        var target = create("sources", new JsonObject().put("name", "target"));
        var start = create("sources", new JsonObject().put("name", "start"));
        var destination =
                create(
                        "destinations",
                        new JsonObject().put("name", "target").put("url", ingest(target)));
        create(
                "connections",
                new JsonObject()
                        .put("source_id", text(start, "id"))
                        .put("destination_id", text(destination, "id")));
        var ingest = ingest(start);
        try (ExecutorService senders = Executors.newFixedThreadPool(SENDERS)) {
            var running =
                    IntStream.range(0, SENDERS)
                            .mapToObj(_ ->
                                    senders.submit(
                                            () -> sendWebhooks(webhooks / SENDERS + 1, ingest)))
                            .toList();
            for (Future<?> sender : running) {
                sender.get();
            }
        }
    }

    private Void sendWebhooks(int count, URI ingest) throws IOException, InterruptedException {
        for (int number = 1; number <= count; number++) {
            String body =
                    "{\"type\": \"order.paid\", \"number\": %d, \"id\": \"%s\", \"note\": \"%s\"}"
                            .formatted(number, UUID.randomUUID(), "a note ".repeat(120));
            send(request(ingest, body), 200);
        }
        return null;
    }

    /// Creates a source, destination or connection, and returns the server's response.
    private FieldReader create(String kind, JsonObject json)
            throws IOException, InterruptedException {
        var request = request(server.resolve("/api/v1/" + kind + "/"), Json.text(json));
        return Json.fieldReader(
                send(request.header("Authorization", "Bearer " + apiKey), 201).getBytes(UTF_8));
    }

    private static HttpRequest.Builder request(URI url, String json) {
        return HttpRequest.newBuilder(url)
                .timeout(REQUEST_TIMEOUT)
                .header("Content-Type", "application/json")
                .POST(HttpRequest.BodyPublishers.ofString(json));
    }

    /// Sends the request and returns the body of the response.
    private String send(HttpRequest.Builder request, int expectedStatus)
            throws IOException, InterruptedException {
        var response = client.send(request.build(), HttpResponse.BodyHandlers.ofString());
        if (response.statusCode() != expectedStatus) {
            throw new IOException(response.statusCode() + " " + response.body());
        }
        return response.body();
    }

    private URI ingest(FieldReader source) {
        return server.resolve(text(source, "ingest_path"));
    }

    private static String text(FieldReader response, String field) {
        return response.text(field, 1, MAX_TEXT_LENGTH).toOptional().orElseThrow();
    }
}
