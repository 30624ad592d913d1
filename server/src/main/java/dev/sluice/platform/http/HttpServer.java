package dev.sluice.platform.http;

import com.sun.management.UnixOperatingSystemMXBean;

import dev.sluice.platform.id.Uuid7;

import org.eclipse.jetty.http.HttpCompliance;
import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.server.handler.GracefulHandler;
import org.eclipse.jetty.util.thread.QueuedThreadPool;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/// The HTTP server: listens on a port and passes each request to a [Router].
///
/// Each request runs on its own virtual thread. Jetty, the server library, implements the protocol.
public final class HttpServer implements AutoCloseable {

    /// @param port the port to listen on; 0 means any free port
    /// @param stopTimeout how long requests in progress may take to finish when the server stops
    public record ListenerSettings(String host, int port, Duration stopTimeout) {}

    static final int MAX_HEADER_BYTES = 32 * 1024;
    private static final int MAX_CONNECTIONS = 10_000;

    /// Half of the process's file descriptors are set aside for incoming connections. The other
    /// half is left for deliveries.
    private static final int FILES_DIVISOR = 2;

    /// The number of file descriptors that are kept free for files and the database. They are
    /// deducted from the half for incoming connections.
    private static final int RESERVED_FILE_DESCRIPTORS = 512;

    private final Server server;
    private final ServerConnector connector;

    private HttpServer(Server server, ServerConnector connector) {
        this.server = server;
        this.connector = connector;
    }

    /// @param answers the memory that answers to the management API take up
    public static HttpServer start(
            ListenerSettings settings, Router router, AnswerMemory answers, Uuid7 ids)
            throws IOException {
        return start(
                settings,
                HttpTimeouts.DEFAULT_TIMEOUTS,
                maxConnections(maxOpenFiles()),
                router,
                answers,
                ids);
    }

    /// Checks that the server can listen on this address now.
    ///
    /// @param port the port to check; 0 means any free port
    /// @throws IOException if the server cannot listen there
    public static void requireFree(String host, int port) throws IOException {
        try (var socket = new ServerSocket()) {
            socket.setReuseAddress(true); // the server itself does the same
            socket.bind(new InetSocketAddress(host, port));
        }
    }

    static HttpServer start(
            ListenerSettings settings,
            HttpTimeouts timeouts,
            int maxConnections,
            Router router,
            AnswerMemory answers,
            Uuid7 ids)
            throws IOException {
        var threads = new QueuedThreadPool(16, 4);
        threads.setName("http");
        threads.setVirtualThreadsExecutor(Executors.newVirtualThreadPerTaskExecutor());
        var server = new Server(threads);

        var connector =
                new ServerConnector(
                        server, 1, 1, new RawHeaderConnections(configuration(), timeouts.head()));
        connector.setHost(settings.host());
        connector.setPort(settings.port());
        connector.setIdleTimeout(timeouts.idle().toMillis());
        connector.setAcceptQueueSize(1024);
        server.addConnector(connector);
        server.addBean(new ConnectionLimit(maxConnections, connector));

        var jettyHandler = new JettyHandler(router, ids, answers, timeouts);
        var graceful = new GracefulHandler(jettyHandler);
        graceful.setShutdownIdleTimeout(settings.stopTimeout().toMillis());
        server.setHandler(graceful);
        server.setErrorHandler(jettyHandler);
        server.setStopTimeout(settings.stopTimeout().toMillis());
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

    /// Returns the connection limit for a process that may have `openFiles` files open at once.
    static int maxConnections(long openFiles) {
        return (int)
                Math.clamp(
                        openFiles / FILES_DIVISOR - RESERVED_FILE_DESCRIPTORS,
                        Math.min(256, openFiles / 4),
                        MAX_CONNECTIONS);
    }

    /// Returns how many files this process may have open at once, or `Integer.MAX_VALUE` if the
    /// operating system does not report a limit.
    public static long maxOpenFiles() {
        return ManagementFactory.getOperatingSystemMXBean() instanceof UnixOperatingSystemMXBean os
                ? os.getMaxFileDescriptorCount()
                : Integer.MAX_VALUE;
    }

    private static HttpConfiguration configuration() {
        var configuration = new HttpConfiguration();
        configuration.setSendServerVersion(false);
        configuration.setSendDateHeader(true);
        configuration.setRequestHeaderSize(MAX_HEADER_BYTES);
        // CASE_SENSITIVE_FIELD_NAME and the case-sensitive header cache keep header values as they
        // were sent. Without them, Jetty would normalize the values that it knows.
        // RawHeaderConnections preserves the header names. STRICT refuses everything else that
        // HTTP/1.1 forbids. For example, it refuses lines that end in a bare LF, because proxies
        // disagree about where a request with those lines ends.
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
            // The server has already failed to start, and that error is the one to report.
        }
    }

    /// Returns the port that the server is listening on. If the configured port is 0, this is the
    /// port that was chosen.
    public int port() {
        return connector.getLocalPort();
    }

    /// Stops accepting requests, waits up to the stop timeout for those in progress, and then
    /// closes all connections.
    @Override
    public void close() {
        try {
            connector.shutdown().get(1, TimeUnit.SECONDS);
        } catch (ExecutionException | TimeoutException e) {
            // server.stop() below closes any connection that is still open.
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
