package dev.sluice;

import dev.sluice.account.access.Budget;
import dev.sluice.account.access.Budgets;
import dev.sluice.platform.config.Settings;
import dev.sluice.platform.db.Database;
import dev.sluice.platform.db.Db;
import dev.sluice.testkit.ApiClient;
import dev.sluice.testkit.TestDirectory;
import dev.sluice.testkit.TestPostgres;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.UUID;
import java.util.function.DoubleSupplier;

/// The whole server in this JVM, with its own database and data directory. It listens on a free
/// loopback port. It may deliver to private destinations on the loopback.
///
/// A test class that needs one server holds it in a field with `@AutoClose`. JUnit then stops it
/// after the last test, or after each test when the field is not static.
public final class RunningSluice implements AutoCloseable {

    public static final String API_KEY = "slk_test_0123456789_0123456789_0123456789";

    /// The key that seals the secrets of all these servers.
    public static final String MASTER_KEY = "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=";

    private final Database database;
    private final Path dataDir;
    private final Map<String, String> settings;
    private final Clocks clocks;
    private final Optional<DoubleSupplier> freeShare;
    private Runnable cleanup = () -> {};
    private Sluice sluice;
    private @Nullable RunningSluice second;

    private RunningSluice(
            Database database,
            Path dataDir,
            Map<String, String> settings,
            Clocks clocks,
            Optional<DoubleSupplier> freeShare) {
        this.database = database;
        this.dataDir = dataDir;
        this.settings = settings;
        this.clocks = clocks;
        this.freeShare = freeShare;
        this.sluice = open();
    }

    /// Starts a server in a temporary data directory, which is deleted when it closes.
    public static RunningSluice start() {
        return start(InstantSource.system(), Map.of());
    }

    /// Starts a server in a temporary data directory, which is deleted when it closes.
    public static RunningSluice start(InstantSource clock) {
        return start(clock, Map.of());
    }

    /// Starts a server in a temporary data directory, which is deleted when it closes.
    public static RunningSluice start(Map<String, String> more) {
        return start(InstantSource.system(), more);
    }

    /// Starts a server in a temporary data directory, which is deleted when it closes.
    public static RunningSluice start(InstantSource clock, Map<String, String> more) {
        var directory = TestDirectory.make();
        var running = start(directory.path(), clock, more);
        running.cleanup = directory::remove;
        return running;
    }

    public static RunningSluice start(Path dataDir) {
        return start(dataDir, InstantSource.system(), Map.of());
    }

    /// @param more settings by environment name; they override those that tests usually need
    public static RunningSluice start(Path dataDir, InstantSource clock, Map<String, String> more) {
        return start(dataDir, Clocks.of(clock), more, Optional.empty());
    }

    /// Starts a server with a clock of its own for decisions that cannot be undone.
    public static RunningSluice start(
            Path dataDir, InstantSource clock, InstantSource settledClock) {
        var clocks = new Clocks(clock, settledClock, _ -> {});
        return start(dataDir, clocks, Map.of(), Optional.empty());
    }

    /// Starts a server whose disk has this share of free space, from 0 to 1.
    public static RunningSluice startOnDisk(Path dataDir, DoubleSupplier freeShare) {
        return start(dataDir, Clocks.of(InstantSource.system()), Map.of(), Optional.of(freeShare));
    }

    private static RunningSluice start(
            Path dataDir,
            Clocks clocks,
            Map<String, String> more,
            Optional<DoubleSupplier> freeShare) {
        var database = TestPostgres.newDatabase();
        var settings = new HashMap<String, String>();
        settings.put("SLUICE_PORT", "0");
        settings.put("SLUICE_DATA_DIR", dataDir.toString());
        settings.put("SLUICE_DATABASE_URL", TestPostgres.url(database));
        settings.put("SLUICE_MASTER_KEY", MASTER_KEY);
        settings.put("SLUICE_ADMIN_API_KEY", API_KEY);
        settings.put("SLUICE_ALLOW_PRIVATE_DESTINATIONS", "127.0.0.0/8");
        settings.putAll(more);
        return new RunningSluice(database, dataDir, settings, clocks, freeShare);
    }

    /// Starts a server that offers other plans than the built-in ones, in a temporary data
    /// directory, which is deleted when it closes.
    ///
    /// @param plans the content of the file that `SLUICE_PLANS_FILE` names
    public static RunningSluice startWithPlans(
            String plans, InstantSource clock, Map<String, String> more) {
        var directory = TestDirectory.make();
        var file = directory.path().resolve("plans.json");
        try {
            Files.writeString(file, plans);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        var settings = new HashMap<>(more);
        settings.put("SLUICE_PLANS_FILE", file.toString());
        var running = start(directory.path(), clock, settings);
        running.cleanup = directory::remove;
        return running;
    }

    /// Returns the second node of a test, which is started by the first call as by
    /// [#startBeside()]. It stops with this server.
    public RunningSluice second() {
        if (second == null) {
            second = startBeside();
        }
        return second;
    }

    /// Starts another node on this server's database, with the same settings and clock, in a
    /// temporary data directory, which is deleted when the node closes.
    public RunningSluice startBeside() {
        var directory = TestDirectory.make();
        var own = new HashMap<>(settings);
        own.put("SLUICE_DATA_DIR", directory.path().toString());
        var node = new RunningSluice(database, directory.path(), own, clocks, freeShare);
        node.cleanup = directory::remove;
        return node;
    }

    private Sluice open() {
        var read = new Settings(settings);
        var config = Config.read(read);
        if (!read.errors().isEmpty()) {
            throw new IllegalArgumentException(read.errors().toString());
        }
        return Sluice.start(config, clocks, "test", freeShare);
    }

    /// Stops the server as SIGTERM does, and starts it again on the same database and data
    /// directory.
    public void restart() {
        sluice.close();
        sluice = open();
    }

    /// Returns the pool of the server's background work.
    public Db relayPool() {
        return sluice.pools().relay();
    }

    /// Returns the pool that the requests of the management API share.
    public Db apiPool() {
        return sluice.pools().api();
    }

    public int port() {
        return sluice.port();
    }

    /// The port of `/metrics`, or 0 if it is off.
    public int metricsPort() {
        return sluice.metricsPort();
    }

    /// The server's routes, as `METHOD pattern`, without ingest.
    public List<String> routes() {
        return sluice.routes();
    }

    public List<String> openRoutes() {
        return sluice.openRoutes();
    }

    /// Returns the budgets that each route spends, by `METHOD path`.
    SortedMap<String, Set<Budget>> budgetsByRoute() {
        return sluice.budgetsByRoute();
    }

    Budgets budgets() {
        return sluice.budgets();
    }

    List<String> stopOrder() {
        return sluice.stopOrder();
    }

    public Path dataDir() {
        return dataDir;
    }

    public Database database() {
        return database;
    }

    /// The test's own connections to the server's database.
    public Db db() {
        return TestPostgres.open(database);
    }

    /// A client with the first workspace's API key.
    public ApiClient api() {
        return new ApiClient(port(), API_KEY);
    }

    @Override
    public void close() {
        if (second != null) {
            second.close();
        }
        sluice.close();
        cleanup.run();
    }

    /// Saves a source's name without checking it, as a version did that took line breaks. The next
    /// change of settings loads it.
    public void saveSourceName(String source, String name) {
        try (var db = db()) {
            db.run(tx ->
                    tx.update(
                            """
                            update source
                               set name = ?, version = (select version + 1 from config_version)
                             where id = ?
                            """,
                            name,
                            UUID.fromString(source)));
        }
    }
}
