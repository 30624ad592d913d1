package dev.sluice.bench;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;

import dev.sluice.bench.platform.BenchJson;

import tools.jackson.databind.JsonNode;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.stream.IntStream;

/// Answers like Sluice and passes everything on, keeping events in memory only: what it
/// acknowledged and had not yet sent when it was killed is lost, which a crash run must notice.
final class EchoRelay implements AutoCloseable {

    private final HttpServer server;
    private final ExecutorService requests;
    private final Map<String, URI> destinations = new ConcurrentHashMap<>();
    private final Map<String, LinkedBlockingQueue<URI>> connections = new ConcurrentHashMap<>();
    private final LinkedBlockingQueue<HttpRequest> deliveries = new LinkedBlockingQueue<>();
    private final List<Thread> senders;
    private final HttpClient client = HttpClient.newHttpClient();

    private EchoRelay(HttpServer server, ExecutorService requests) {
        this.server = server;
        this.requests = requests;
        this.senders =
                IntStream.range(0, 32)
                        .mapToObj(_ -> Thread.ofVirtual().unstarted(this::send))
                        .toList();
    }

    public static void main(String[] arguments) throws IOException {
        start(Integer.parseInt(System.getenv("SLUICE_PORT")));
        Runtime.getRuntime().addShutdownHook(new Thread(() -> Runtime.getRuntime().halt(0)));
    }

    static EchoRelay start(int port) throws IOException {
        System.setProperty("sun.net.httpserver.nodelay", "true");
        System.setProperty("sun.net.httpserver.maxIdleConnections", "1000");
        var address = new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
        var relay =
                new EchoRelay(
                        HttpServer.create(address, 1024),
                        Executors.newVirtualThreadPerTaskExecutor());
        relay.server.setExecutor(relay.requests);
        relay.server.createContext("/in/", relay::accept);
        relay.server.createContext("/api/v1/status", exchange -> answer(exchange, 200, Map.of()));
        relay.server.createContext("/api/v1/sources/", EchoRelay::makeSource);
        relay.server.createContext("/api/v1/destinations/", relay::makeDestination);
        relay.server.createContext("/api/v1/connections/", relay::makeConnection);
        relay.senders.forEach(Thread::start);
        relay.server.start();
        return relay;
    }

    URI base() {
        return URI.create("http://127.0.0.1:" + server.getAddress().getPort());
    }

    @Override
    public void close() {
        senders.forEach(Thread::interrupt);
        server.stop(0);
        requests.shutdownNow();
        client.shutdownNow();
    }

    private void accept(HttpExchange exchange) throws IOException {
        byte[] body = exchange.getRequestBody().readAllBytes();
        String token = exchange.getRequestURI().getPath().substring("/in/".length());
        String id = UUID.randomUUID().toString();
        connections
                .getOrDefault(token, new LinkedBlockingQueue<>())
                .forEach(destination -> deliveries.add(delivery(destination, id, body)));
        answer(exchange, 200, Map.of("status", "SUCCESS", "message", "accepted", "request_id", id));
    }

    private static void makeSource(HttpExchange exchange) throws IOException {
        String id = UUID.randomUUID().toString();
        answer(exchange, 201, Map.of("id", id, "token", id, "ingest_path", "/in/" + id));
    }

    private void makeDestination(HttpExchange exchange) throws IOException {
        String id = UUID.randomUUID().toString();
        destinations.put(id, URI.create(body(exchange).path("url").asString()));
        answer(exchange, 201, Map.of("id", id));
    }

    private void makeConnection(HttpExchange exchange) throws IOException {
        JsonNode body = body(exchange);
        URI destination = destinations.get(body.path("destination_id").asString());
        if (destination == null) {
            answer(exchange, 404, Map.of());
            return;
        }
        connections
                .computeIfAbsent(
                        body.path("source_id").asString(), _ -> new LinkedBlockingQueue<>())
                .add(destination);
        answer(exchange, 201, Map.of("id", UUID.randomUUID().toString()));
    }

    private void send() {
        try {
            while (true) {
                client.send(deliveries.take(), BodyHandlers.discarding());
            }
        } catch (InterruptedException closed) {
            Thread.currentThread().interrupt();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static HttpRequest delivery(URI destination, String id, byte[] body) {
        return HttpRequest.newBuilder(destination)
                .version(HttpClient.Version.HTTP_1_1)
                .header("X-Service-Event-Id", id)
                .POST(BodyPublishers.ofByteArray(body))
                .build();
    }

    private static JsonNode body(HttpExchange exchange) throws IOException {
        return BenchJson.MAPPER.readTree(exchange.getRequestBody().readAllBytes());
    }

    private static void answer(HttpExchange exchange, int status, Map<String, String> body)
            throws IOException {
        byte[] bytes = BenchJson.compact(body).getBytes(StandardCharsets.UTF_8);
        exchange.sendResponseHeaders(status, bytes.length);
        exchange.getResponseBody().write(bytes);
        exchange.close();
    }
}
