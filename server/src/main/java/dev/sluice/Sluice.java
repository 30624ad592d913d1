package dev.sluice;

import dev.sluice.account.access.Api;
import dev.sluice.account.access.Budget;
import dev.sluice.account.access.Budgets;
import dev.sluice.account.assembly.AccountAssembly;
import dev.sluice.engine.assembly.EngineAssembly;
import dev.sluice.engine.assembly.EngineSettings;
import dev.sluice.features.assembly.FeaturesAssembly;
import dev.sluice.gateway.CustomHeaderRules;
import dev.sluice.gateway.assembly.GatewayAssembly;
import dev.sluice.platform.assembly.Foundation;
import dev.sluice.platform.assembly.Pools;
import dev.sluice.platform.http.AnswerMemory;
import dev.sluice.platform.http.Router;
import dev.sluice.platform.id.Uuid7;
import dev.sluice.platform.loop.Activity;
import dev.sluice.platform.loop.Chore;
import dev.sluice.platform.loop.HeapRoom;
import dev.sluice.platform.loop.Shutdown;
import dev.sluice.platform.mail.MailSender;
import dev.sluice.platform.secret.SecretGenerator;
import dev.sluice.platform.trace.SpanExporter;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
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

    private final Shutdown shutdown = new Shutdown(new Activity());
    private final Router router = new Router();
    private @Nullable Api api;
    private @Nullable Budgets budgets;
    private volatile boolean isStopping;
    private @Nullable Listeners listeners;
    private @Nullable Pools pools;

    private Sluice() {}

    /// Builds and starts a server. If the server cannot start, closes the parts that have already
    /// started.
    ///
    /// @throws StartupException when the server cannot start. If the embedded PostgreSQL is the
    ///   cause, a `PostgresStartException` is thrown instead
    static Sluice start(Config config, String version) {
        return start(config, Clocks.ofDatabase(), version, Optional.empty());
    }

    /// Starts a server with the caller's clocks and free-disk-space fraction; for tests.
    ///
    /// @param freeShare returns the fraction of the data disk that is free, from 0 to 1; if empty,
    ///   the server measures it, or assumes 1 if the database is external
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
        Listeners.requireFreePorts(config);
        if (config.storage().namesCompression()) {
            log.atWarn()
                    .addKeyValue("setting", "SLUICE_PAYLOAD_COMPRESSION")
                    .log("setting.ignored");
        }
        var storage = Storage.open(config, new SecretGenerator(), shutdown);
        pools = storage.pools();
        clocks.setBy().accept(storage.pools().relay());
        var base = foundation(config, storage, clocks);

        var credentialsFile =
                new InitialCredentialsFile(
                        storage.directory().initialCredentialsFile(), config.server().baseUrl());
        var account = AccountAssembly.open(base, config.account(), credentialsFile::write);
        var gateway =
                GatewayAssembly.open(
                        base,
                        account,
                        config.delivery().addressPolicy(),
                        CustomHeaderRules.withPrefix(config.delivery().headerPrefix()),
                        config.server().baseUrl(),
                        config.alertMailDomains());
        var engine =
                EngineAssembly.start(
                        base, account, gateway, engineSettings(config, storage, freeShare));
        var features =
                new FeaturesAssembly(
                        base,
                        account,
                        gateway,
                        engine,
                        new FeaturesAssembly.AlertSettings(
                                config.server().baseUrl(), config.messengerApiUrl()));

        var routes = new Api(router, account.api().authenticator(), account.api().budgets());
        api = routes;
        budgets = account.api().budgets();
        account.addTo(routes);
        gateway.addTo(routes);
        engine.addTo(router);
        features.addTo(
                routes,
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
        engine.chores().forEach(shutdown::start);
        features.chores().forEach(shutdown::start);

        var answers = AnswerMemory.ofHeap();
        var ports = new Listeners(shutdown, answers, base.ids());
        config.metrics()
                .ifPresent(metrics -> {
                    var metricsRouter = new Router();
                    features.addMetricsTo(metricsRouter, answers, version);
                    ports.listenForMetrics(metrics, metricsRouter);
                });
        ports.listen(config.server(), router);
        listeners = ports;
        shutdown.first("live streams", features::closeStreams);
        shutdown.first("test deliveries", features::endTestDeliveries);
        shutdown.first("close the in-flight recorder", engine::closeInFlightRecorder);
        shutdown.first("announce the stop", () -> announceStop(config.server().stopDelay()));
        account.firstStart().ifPresent(credentialsFile::show);
    }

    private Foundation foundation(Config config, Storage storage, Clocks clocks) {
        return new Foundation(
                storage.database(),
                storage.pools(),
                storage.sealer(),
                new Uuid7(clocks.shared(), RandomGenerator.getDefault()),
                new Foundation.FoundationClocks(clocks.shared(), clocks.settled()),
                config.mail().map(mail -> new MailSender(mail, clocks.shared())),
                spans(config.tracing()),
                shutdown);
    }

    /// Opens the span exporter, or returns empty if tracing is off. The OpenTelemetry SDK is loaded
    /// only if tracing is on.
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

    private static EngineSettings engineSettings(
            Config config, Storage storage, Optional<DoubleSupplier> freeShare) throws IOException {
        var directory = storage.directory();
        // The free space on an external database's disk is unknown, so the whole disk counts as
        // free.
        DoubleSupplier measured =
                config.storage().database().isPresent() ? () -> 1 : directory::freeShare;
        return new EngineSettings(
                config.server().baseUrl(),
                config.delivery().headerPrefix(),
                config.delivery().addressPolicy(),
                config.delivery().retryJitter(),
                config.delivery().cooldowns(),
                new EngineSettings.NodeSettings(
                        directory.inFlightFile(), directory.home(), freeShare.orElse(measured)));
    }

    /// Makes `/api/v1/status` return 503 and waits for `delay`, so that load balancers stop sending
    /// requests to this server.
    private void announceStop(Duration delay) throws InterruptedException {
        isStopping = true;
        var _ = new CountDownLatch(1).await(delay.toMillis(), TimeUnit.MILLISECONDS);
    }

    /// Lets the heap of this process grow and shrink with the load. Call this after the memory that
    /// was needed only for startup has been released, and only if nothing else runs in this
    /// process, because it changes options of the whole JVM.
    void keepHeapRoomWhileBusy() {
        shutdown.start(new Chore("heap", Duration.ofSeconds(1), new HeapRoom(shutdown.activity())));
    }

    int port() {
        return Objects.requireNonNull(listeners).port();
    }

    /// Returns the port that serves metrics, or 0 if metrics are off.
    int metricsPort() {
        return Objects.requireNonNull(listeners).metricsPort();
    }

    /// Returns every API route as `METHOD pattern`, excluding the ingest URLs.
    List<String> routes() {
        return router.routes();
    }

    /// Returns every API route that anybody may call, as `METHOD pattern`.
    List<String> openRoutes() {
        return Objects.requireNonNull(api).openRoutes();
    }

    SortedMap<String, Set<Budget>> budgetsByRoute() {
        return Objects.requireNonNull(api).budgetsByRoute();
    }

    Budgets budgets() {
        return Objects.requireNonNull(budgets);
    }

    Pools pools() {
        return Objects.requireNonNull(pools);
    }

    /// Returns the names of the steps that `close` runs, in order.
    List<String> stopOrder() {
        return shutdown.order();
    }

    /// Announces the stop, closes the in-flight recorder, ends test deliveries and live streams,
    /// and closes the HTTP server. Then stops background work and sending; deliveries in progress
    /// are finished or returned to the queue. Closes the database and the data directory last.
    @Override
    public void close() {
        shutdown.close();
    }
}
