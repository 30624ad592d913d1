package dev.sluice;

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
import java.util.regex.Pattern;
import java.util.stream.IntStream;

/// A program that sends webhooks through a server to train the JVM's cache for faster startup (JEP
/// 515). The cache then contains profiles of the code that relays webhooks, so a server that starts
/// with the cache compiles this code sooner than one without it. Only `bin/sluice` runs this
/// program, against a server with an empty database.
///
/// The webhooks' destination is another source on the same server.
public final class TrainingTraffic {

    private static final int SENDERS = 32;
    private static final Duration REQUEST_TIMEOUT = Duration.ofSeconds(10);
    private static final Pattern ID = Pattern.compile("\"id\" ?: ?\"([0-9a-f-]{36})\"");

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
        String target = token();
        String start = token();
        create("sources", "{\"name\": \"target\", \"token\": \"%s\"}".formatted(target));
        String source =
                create("sources", "{\"name\": \"start\", \"token\": \"%s\"}".formatted(start));
        String destination =
                create(
                        "destinations",
                        "{\"name\": \"target\", \"url\": \"%s\"}".formatted(ingest(target)));
        create(
                "connections",
                "{\"source_id\": \"%s\", \"destination_id\": \"%s\"}"
                        .formatted(source, destination));
        try (ExecutorService senders = Executors.newFixedThreadPool(SENDERS)) {
            var running =
                    IntStream.range(0, SENDERS)
                            .mapToObj(_ ->
                                    senders.submit(() ->
                                            sendWebhooks(webhooks / SENDERS + 1, ingest(start))))
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

    /// Creates a source, destination or connection, and returns its id.
    private String create(String kind, String json) throws IOException, InterruptedException {
        var request = request(server.resolve("/api/v1/" + kind + "/"), json);
        String answer = send(request.header("Authorization", "Bearer " + apiKey), 201);
        var id = ID.matcher(answer);
        if (!id.find()) {
            throw new IOException("no id in " + answer);
        }
        return id.group(1);
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

    private URI ingest(String token) {
        return server.resolve("/in/" + token);
    }

    private static String token() {
        return UUID.randomUUID().toString().replace("-", "");
    }
}
