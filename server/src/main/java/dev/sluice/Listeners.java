package dev.sluice;

import dev.sluice.platform.http.AnswerMemory;
import dev.sluice.platform.http.HttpServer;
import dev.sluice.platform.http.Router;
import dev.sluice.platform.id.Uuid7;
import dev.sluice.platform.loop.Shutdown;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.time.Duration;

/// The ports on which the server listens: one for the API, ingest and the dashboard, and one for
/// metrics, if metrics are on.
final class Listeners {

    private static final Logger log = LoggerFactory.getLogger(Listeners.class);

    /// How long requests in progress may take to finish when the server is stopping. This timeout
    /// and the relay's own timeout must together fit within the 24 s that [Main] allows for
    /// stopping.
    private static final Duration REQUESTS_TIMEOUT = Duration.ofSeconds(3);

    private final Shutdown shutdown;
    private final AnswerMemory answers;
    private final Uuid7 ids;
    private int port;
    private int metricsPort;

    /// @param shutdown closes the ports when the server stops
    /// @param answers the memory of answers to HTTP requests
    /// @param ids generates request ids
    Listeners(Shutdown shutdown, AnswerMemory answers, Uuid7 ids) {
        this.shutdown = shutdown;
        this.answers = answers;
        this.ids = ids;
    }

    /// Checks that the ports are free, so that a port in use is reported before anything is
    /// created. The server starts listening on the ports only once it is ready to serve requests.
    ///
    /// @throws StartupException if a port is in use
    static void requireFreePorts(Config config) {
        try {
            HttpServer.requireFree(config.server().host(), config.server().port());
        } catch (IOException e) {
            throw cannotListen(config.server(), e);
        }
        config.metrics()
                .ifPresent(metrics -> {
                    try {
                        HttpServer.requireFree(metrics.host(), metrics.port());
                    } catch (IOException e) {
                        throw cannotListen(metrics, e);
                    }
                });
    }

    private static StartupException cannotListen(Config.ServerSettings settings, IOException e) {
        return new StartupException(
                "Cannot listen on %s:%s: %s. Free the port, or choose another with SLUICE_PORT."
                        .formatted(settings.host(), Integer.toString(settings.port()), cause(e)));
    }

    private static StartupException cannotListen(Config.MetricsSettings settings, IOException e) {
        return new StartupException(
                ("Cannot listen for metrics on %s:%s: %s. Free the port, or choose another with"
                                + " SLUICE_METRICS_PORT.")
                        .formatted(settings.host(), Integer.toString(settings.port()), cause(e)));
    }

    private static String cause(IOException e) {
        Throwable cause = e.getCause() == null ? e : e.getCause();
        return String.valueOf(cause.getMessage());
    }

    void listen(Config.ServerSettings settings, Router router) {
        try {
            port = start("HTTP", settings.host(), settings.port(), router);
        } catch (IOException e) {
            throw cannotListen(settings, e);
        }
        log.atInfo()
                .addKeyValue("host", settings.host())
                .addKeyValue("port", port)
                .log("server.started");
    }

    void listenForMetrics(Config.MetricsSettings settings, Router router) {
        try {
            metricsPort = start("metrics", settings.host(), settings.port(), router);
        } catch (IOException e) {
            throw cannotListen(settings, e);
        }
        log.atInfo()
                .addKeyValue("host", settings.host())
                .addKeyValue("port", metricsPort)
                .log("metrics.started");
    }

    private int start(String name, String host, int wanted, Router router) throws IOException {
        var settings = new HttpServer.ListenerSettings(host, wanted, REQUESTS_TIMEOUT);
        return shutdown.closing(name, HttpServer.start(settings, router, answers, ids)).port();
    }

    int port() {
        return port;
    }

    /// Returns the port that serves metrics, or 0 if metrics are off.
    int metricsPort() {
        return metricsPort;
    }
}
