package dev.sluice.cli.testkit;

import com.sun.net.httpserver.HttpServer;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;

/// A server that gives the answers of a list, for those that the real one does not give on demand.
public final class ScriptedServer implements AutoCloseable {

    /// An answer of the script.
    public record Answer(int status, Map<String, String> headers, String body) {}

    private final HttpServer http;
    private final Queue<Answer> answers = new ConcurrentLinkedQueue<>();
    private final List<String> requests = new CopyOnWriteArrayList<>();
    private final List<String> bodies = new CopyOnWriteArrayList<>();

    public ScriptedServer() {
        try {
            http = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        http.createContext(
                "/",
                exchange -> {
                    bodies.add(
                            new String(
                                    exchange.getRequestBody().readAllBytes(),
                                    StandardCharsets.UTF_8));
                    requests.add(
                            exchange.getRequestMethod()
                                    + " "
                                    + exchange.getRequestURI()
                                    + " "
                                    + exchange.getRequestHeaders().getFirst("Authorization"));
                    var answer = answers.remove();
                    answer.headers().forEach(exchange.getResponseHeaders()::set);
                    byte[] body = answer.body().getBytes(StandardCharsets.UTF_8);
                    exchange.sendResponseHeaders(
                            answer.status(), body.length == 0 ? -1 : body.length);
                    exchange.getResponseBody().write(body);
                    exchange.close();
                });
        http.start();
    }

    public ScriptedServer answer(int status, Map<String, String> headers, String body) {
        answers.add(new Answer(status, headers, body));
        return this;
    }

    /// Method, path and `Authorization` of each request so far.
    public List<String> requests() {
        return requests;
    }

    /// The body of each request so far.
    public List<String> bodies() {
        return bodies;
    }

    public String url() {
        return "http://127.0.0.1:" + http.getAddress().getPort();
    }

    @Override
    public void close() {
        http.stop(0);
    }
}
