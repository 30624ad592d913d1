package dev.sluice;

import dev.sluice.account.assembly.AccountAssembly;
import dev.sluice.gateway.CustomHeaderRules;
import dev.sluice.gateway.assembly.GatewayAssembly;
import dev.sluice.observe.assembly.ObserveAssembly;
import dev.sluice.platform.assembly.Foundation;
import dev.sluice.platform.http.HttpServer;
import dev.sluice.platform.http.Router;
import dev.sluice.platform.id.Uuid7;
import dev.sluice.platform.loop.Activity;
import dev.sluice.platform.loop.Chore;
import dev.sluice.platform.loop.Shutdown;
import dev.sluice.platform.mail.MailSender;
import dev.sluice.platform.secret.SecretGenerator;
import dev.sluice.platform.trace.SpanExporter;
import dev.sluice.relay.assembly.RelayAssembly;
import dev.sluice.relay.assembly.RelaySettings;
import dev.sluice.relay.compression.PayloadEncoder;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.DoubleSupplier;
import java.util.random.RandomGenerator;

/// A running server with all its parts.
///
/// `start` builds and starts the server's layers from the bottom up; `close` stops them in reverse
/// order.
final class Sluice implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(Sluice.class);

    /// How long requests in progress may take to finish when the server stops. This timeout and the
    /// relay's own timeout together must fit into the 24 s that [Main] allows for a stop.
    private static final Duration REQUESTS_TIMEOUT = Duration.ofSeconds(3);

    private final Activity activity = new Activity();
    private final Shutdown shutdown = new Shutdown(activity);
    private final Router router = new Router();
    private volatile boolean isStopping;
    private int port;
    private int metricsPort;

    private Sluice() {}

    /// @throws StartupException when the server cannot start; nothing is left running
    static Sluice start(Config config, String version) {
        return start(config, Clocks.ofDatabase(), version, Optional.empty());
    }

    /// Starts a server with clocks and a free disk share set by the caller; for tests.
    ///
    /// @param freeShare returns the fraction of the data disk that is free, from 0 to 1; if empty,
    ///   the free space is measured
    static Sluice start(
            Config config, Clocks clocks, String version, Optional<DoubleSupplier> freeShare) {
        var sluice = new Sluice();
        try {
            sluice.open(config, clocks, version, freeShare);
            return sluice;
        } catch (IOException e) {
            sluice.close();
            throw new StartupException("Sluice could not start: " + e.getMessage());
        } catch (RuntimeException e) {
            sluice.close();
            throw e;
        }
    }

    private void open(
            Config config, Clocks clocks, String version, Optional<DoubleSupplier> freeShare)
            throws IOException {
        requireFreePorts(config);
        var random = new SecretGenerator();
        var storage = Storage.open(config, random, shutdown);
        clocks.setBy().accept(storage.pools().relay());
        var base = foundation(config, storage, clocks, random);

        var credentialsFile =
                new InitialCredentialsFile(
                        storage.directory().initialCredentialsFile(), config.server().baseUrl());
        var account = AccountAssembly.open(base, config.account(), credentialsFile::write);
        var gateway =
                GatewayAssembly.open(
                        base,
                        account,
                        config.delivery().addressPolicy(),
                        CustomHeaderRules.withPrefix(config.delivery().headerPrefix()));
        var relay = RelayAssembly.start(base, account, gateway, relay(config, storage, freeShare));
        var observe =
                new ObserveAssembly(
                        base,
                        account,
                        gateway,
                        relay,
                        new ObserveAssembly.AlertSettings(
                                config.server().baseUrl(), config.messengerApiUrl()));

        account.addTo(router);
        gateway.addTo(router);
        relay.addTo(router);
        observe.addTo(
                router,
                () -> isStopping,
                version,
                config.server().baseUrl(),
                config.account().people().isRegistrationOpen());

        shutdown.start(
                Chore.of(
                        "clock",
                        Duration.ofSeconds(30),
                        () -> clocks.setBy().accept(storage.pools().relay())));
        account.chores().forEach(shutdown::start);
        gateway.chores().forEach(shutdown::start);
        relay.chores().forEach(shutdown::start);
        observe.chores().forEach(shutdown::start);

        config.metrics()
                .ifPresent(metrics -> listenForMetrics(metrics, observe, version, base.ids()));
        listen(config, base.ids());
        shutdown.first("live streams", observe::closeStreams);
        shutdown.first("test deliveries", relay::endTestDeliveries);
        shutdown.first("close the in-flight recorder", relay::closeInFlightRecorder);
        shutdown.first("announce the stop", () -> announceStop(config.server().stopDelay()));
        account.firstStart().ifPresent(credentialsFile::show);
    }

    private Foundation foundation(
            Config config, Storage storage, Clocks clocks, SecretGenerator random) {
        return new Foundation(
                storage.database(),
                storage.pools(),
                storage.sealer(),
                new Uuid7(clocks.shared(), RandomGenerator.getDefault()),
                random,
                clocks.shared(),
                clocks.settled(),
                config.mail().map(mail -> new MailSender(mail, clocks.shared())),
                spans(config.tracing()),
                activity,
                shutdown);
    }

    /// Opens the exporter of spans, or returns empty if tracing is off. The OpenTelemetry SDK is
    /// loaded only if tracing is on.
    private Optional<SpanExporter> spans(Map<String, String> tracing) {
        if (tracing.isEmpty()) {
            return Optional.empty();
        }
        try {
            return Optional.of(shutdown.closing("spans", SpanExporter.open(tracing)));
        } catch (IllegalArgumentException e) {
            throw new StartupException("Sluice could not start tracing: " + e.getMessage());
        }
    }

    /// Without compression, only what is compressed already needs the library.
    private static void loadCompression(boolean isNeeded) throws IOException {
        try {
            PayloadEncoder.loadLibrary();
        } catch (IOException e) {
            if (isNeeded) {
                throw e;
            }
            log.atWarn().setCause(e).log("compression.disabled");
        }
    }

    private static RelaySettings relay(
            Config config, Storage storage, Optional<DoubleSupplier> freeShare) throws IOException {
        loadCompression(config.storage().isCompressing());
        var directory = storage.directory();
        // The free space on an external database's disk is unknown, so all of it counts as free.
        DoubleSupplier measured =
                config.storage().database().isPresent() ? () -> 1 : directory::freeShare;
        return new RelaySettings(
                config.server().baseUrl(),
                config.delivery().headerPrefix(),
                config.delivery().addressPolicy(),
                config.delivery().retryJitter(),
                config.delivery().cooldowns(),
                config.storage().isCompressing(),
                directory.inFlightFile(),
                directory.home(),
                freeShare.orElse(measured));
    }

    /// Checks that the ports are free before anything is created. The server starts to listen on
    /// them only when it is ready to answer.
    private static void requireFreePorts(Config config) {
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

    private void listen(Config config, Uuid7 ids) {
        var settings =
                new HttpServer.ListenerSettings(
                        config.server().host(), config.server().port(), REQUESTS_TIMEOUT);
        try {
            port = shutdown.closing("HTTP", HttpServer.start(settings, router, ids)).port();
        } catch (IOException e) {
            throw cannotListen(config.server(), e);
        }
        log.atInfo()
                .addKeyValue("host", config.server().host())
                .addKeyValue("port", port)
                .log("server.started");
    }

    private void listenForMetrics(
            Config.MetricsSettings settings, ObserveAssembly observe, String version, Uuid7 ids) {
        var metricsRouter = new Router();
        observe.addMetricsTo(metricsRouter, version);
        var listener =
                new HttpServer.ListenerSettings(settings.host(), settings.port(), REQUESTS_TIMEOUT);
        try {
            metricsPort =
                    shutdown.closing("metrics", HttpServer.start(listener, metricsRouter, ids))
                            .port();
        } catch (IOException e) {
            throw cannotListen(settings, e);
        }
        log.atInfo()
                .addKeyValue("host", settings.host())
                .addKeyValue("port", metricsPort)
                .log("metrics.started");
    }

    private static String cause(IOException e) {
        Throwable cause = e.getCause() == null ? e : e.getCause();
        return String.valueOf(cause.getMessage());
    }

    /// Makes `/api/v1/status` answer 503 and waits for `delay`, so that load balancers stop sending
    /// requests to this server.
    private void announceStop(Duration delay) throws InterruptedException {
        isStopping = true;
        var _ = new CountDownLatch(1).await(delay.toMillis(), TimeUnit.MILLISECONDS);
    }

    int port() {
        return port;
    }

    /// Returns the port of the metrics, or 0 if they are off.
    int metricsPort() {
        return metricsPort;
    }

    /// Returns every API route as `METHOD pattern`, without the ingest URLs.
    List<String> routes() {
        return router.routes();
    }

    /// Returns the names of the steps that `close` runs, in order.
    List<String> stopOrder() {
        return shutdown.order();
    }

    /// Announces the stop, ends the live streams and closes the HTTP server. Then stops background
    /// work and sending; deliveries in progress are finished or returned to the queue. Closes the
    /// database and the data directory last.
    @Override
    public void close() {
        shutdown.close();
    }
}
