package dev.sluice.platform.http;

import dev.sluice.platform.id.Uuid7;

import org.eclipse.jetty.http.HttpCompliance;
import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.server.NetworkConnectionLimit;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.server.handler.GracefulHandler;
import org.eclipse.jetty.util.thread.QueuedThreadPool;

import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/// The listening server. Each request is answered on a virtual thread of its own.
public final class HttpServer implements AutoCloseable {

    /// @param stopWithin how long requests under way may take to end when the server stops
    public record Settings(String host, int port, Duration stopWithin) {}

    private static final int HEADER_BYTES = 32 * 1024;
    private static final int CONNECTIONS = 10_000;
    private static final Duration IDLE = Duration.ofSeconds(30);

    private final Server server;
    private final ServerConnector connector;

    private HttpServer(Server server, ServerConnector connector) {
        this.server = server;
        this.connector = connector;
    }

    public static HttpServer start(Settings settings, Router router, Uuid7 ids) throws IOException {
        var threads = new QueuedThreadPool(16, 4);
        threads.setName("http");
        threads.setVirtualThreadsExecutor(Executors.newVirtualThreadPerTaskExecutor());
        var server = new Server(threads);

        var connector = new ServerConnector(server, 1, 1, new ExactNames(configuration()));
        connector.setHost(settings.host());
        connector.setPort(settings.port());
        connector.setIdleTimeout(IDLE.toMillis());
        connector.setAcceptQueueSize(1024);
        server.addConnector(connector);
        server.addBean(new NetworkConnectionLimit(CONNECTIONS, server));

        var edge = new Edge(router, ids);
        var graceful = new GracefulHandler(edge);
        graceful.setShutdownIdleTimeout(settings.stopWithin().toMillis());
        server.setHandler(graceful);
        server.setErrorHandler(edge);
        server.setStopTimeout(settings.stopWithin().toMillis());
        try {
            server.start();
        } catch (IOException e) {
            stopQuietly(server);
            throw e;
        } catch (Exception e) {
            stopQuietly(server);
            throw new IllegalStateException("the HTTP server did not start", e);
        }
        return new HttpServer(server, connector);
    }

    private static HttpConfiguration configuration() {
        var configuration = new HttpConfiguration();
        configuration.setSendServerVersion(false);
        configuration.setSendDateHeader(true);
        configuration.setRequestHeaderSize(HEADER_BYTES);
        // Headers are kept as they were sent: without these two the server would write known values
        // its own way, and without ExactNames the names.
        configuration.setHttpCompliance(
                HttpCompliance.RFC9110.with(
                        "SLUICE", HttpCompliance.Violation.CASE_SENSITIVE_FIELD_NAME));
        configuration.setHeaderCacheCaseSensitive(true);
        configuration.setFormEncodedMethods();
        return configuration;
    }

    private static void stopQuietly(Server server) {
        try {
            server.stop();
        } catch (Exception e) {
            // It never ran.
        }
    }

    /// The port it listens on, which is not the setting's when that was 0.
    public int port() {
        return connector.getLocalPort();
    }

    /// Takes no new request, lets those under way end, then closes all connections.
    @Override
    public void close() {
        try {
            connector.shutdown().get(1, TimeUnit.SECONDS);
        } catch (ExecutionException | TimeoutException e) {
            // Stopping below closes what is still open.
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        try {
            server.stop();
        } catch (Exception e) {
            throw new IllegalStateException("the HTTP server did not stop", e);
        }
    }
}
