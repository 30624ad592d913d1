package dev.sluice.testkit;

import com.google.protobuf.ByteString;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;

import io.opentelemetry.proto.collector.trace.v1.ExportTraceServiceRequest;
import io.opentelemetry.proto.trace.v1.Span;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;

/// A collector of OpenTelemetry's protocol OTLP over HTTP: keeps the spans that it receives.
public final class SpanCollector implements AutoCloseable {

    private final HttpServer server;
    private final List<Span> spans = new CopyOnWriteArrayList<>();

    private SpanCollector(HttpServer server) {
        this.server = server;
    }

    public static SpanCollector start() {
        try {
            var address = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
            var collector = new SpanCollector(HttpServer.create(address, 0));
            collector.server.createContext("/v1/traces", collector::receive);
            collector.server.start();
            return collector;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void receive(HttpExchange exchange) throws IOException {
        try (exchange) {
            var request = ExportTraceServiceRequest.parseFrom(exchange.getRequestBody());
            request.getResourceSpansList().stream()
                    .flatMap(resource -> resource.getScopeSpansList().stream())
                    .forEach(scope -> spans.addAll(scope.getSpansList()));
            exchange.sendResponseHeaders(200, -1);
        }
    }

    public String url() {
        return "http://127.0.0.1:" + server.getAddress().getPort();
    }

    /// Returns the spans of a trace with this name.
    public List<Span> spans(String traceId, String name) {
        return spans.stream()
                .filter(span -> hex(span.getTraceId()).equals(traceId))
                .filter(span -> span.getName().equals(name))
                .toList();
    }

    /// Returns the number of spans with this name.
    public int count(String name) {
        return (int) spans.stream().filter(span -> span.getName().equals(name)).count();
    }

    /// Returns the value of an attribute, as text; empty if the span has none of this name.
    public static Optional<String> attribute(Span span, String name) {
        return span.getAttributesList().stream()
                .filter(attribute -> attribute.getKey().equals(name))
                .map(attribute ->
                        attribute.getValue().hasIntValue()
                                ? Long.toString(attribute.getValue().getIntValue())
                                : attribute.getValue().getStringValue())
                .findFirst();
    }

    public static String hex(ByteString id) {
        return HexFormat.of().formatHex(id.toByteArray());
    }

    @Override
    public void close() {
        server.stop(0);
    }
}
