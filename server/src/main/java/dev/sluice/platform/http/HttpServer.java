package dev.sluice.platform.http;

import com.sun.management.UnixOperatingSystemMXBean;

import dev.sluice.platform.id.Uuid7;

import org.eclipse.jetty.http.HttpCompliance;
import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.server.NetworkConnectionLimit;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.server.handler.GracefulHandler;
import org.eclipse.jetty.util.thread.QueuedThreadPool;

import java.io.IOException;
import java.lang.management.ManagementFactory;
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

    /// What a connection may idle while no further one is taken.
    private static final Duration IDLE_WHEN_FULL = Duration.ofSeconds(5);

    /// Left for files, the database and deliveries when connections take what there is.
    private static final int SPARE_FILES = 2_560;

    private final Server server;
    private final ServerConnector connector;

    private HttpServer(Server server, ServerConnector connector) {
        this.server = server;
        this.connector = connector;
    }

    public static HttpServer start(Settings settings, Router router, Uuid7 ids) throws IOException {
        return start(settings, Patience.USUAL, mostConnections(mostFiles()), router, ids);
    }

    static HttpServer start(
            Settings settings, Patience patience, int connections, Router router, Uuid7 ids)
            throws IOException {
        var threads = new QueuedThreadPool(16, 4);
        threads.setName("http");
        threads.setVirtualThreadsExecutor(Executors.newVirtualThreadPerTaskExecutor());
        var server = new Server(threads);

        var connector =
                new ServerConnector(server, 1, 1, new ExactNames(configuration(), patience.head()));
        connector.setHost(settings.host());
        connector.setPort(settings.port());
        connector.setIdleTimeout(patience.idle().toMillis());
        connector.setAcceptQueueSize(1024);
        server.addConnector(connector);
        var limit = new NetworkConnectionLimit(connections, server);
        limit.setEndPointIdleTimeout(
                Math.min(IDLE_WHEN_FULL.toMillis(), patience.idle().toMillis()));
        server.addBean(limit);

        var edge = new Edge(router, ids, patience);
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

    /// How many connections are taken where a process may have so many open files.
    static int mostConnections(long files) {
        return (int) Math.clamp(files - SPARE_FILES, Math.min(256, files / 4), CONNECTIONS);
    }

    private static long mostFiles() {
        return ManagementFactory.getOperatingSystemMXBean() instanceof UnixOperatingSystemMXBean os
                ? os.getMaxFileDescriptorCount()
                : Integer.MAX_VALUE;
    }

    private static HttpConfiguration configuration() {
        var configuration = new HttpConfiguration();
        configuration.setSendServerVersion(false);
        configuration.setSendDateHeader(true);
        configuration.setRequestHeaderSize(HEADER_BYTES);
        // Headers are kept as they were sent: without these two the server would write known values
        // its own way, and without ExactNames the names. All else is refused that HTTP/1.1 forbids,
        // lines that end in a bare LF too: proxies differ in where such a request ends.
        configuration.setHttpCompliance(
                HttpCompliance.STRICT.with(
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
