package dev.sluice;

import dev.sluice.platform.config.Settings;
import dev.sluice.platform.db.Database;
import dev.sluice.platform.db.Db;
import dev.sluice.testkit.Api;
import dev.sluice.testkit.TestCluster;
import dev.sluice.testkit.TestDirectory;

import java.nio.file.Path;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.DoubleSupplier;

/// The whole server in this JVM, on a database and a data directory of its own, listening on a free
/// port of the loopback. Private destinations on the loopback are allowed.
public final class RunningSluice implements AutoCloseable {

    public static final String KEY = "slk_test_0123456789_0123456789_0123456789";

    private final Database database;
    private final Path dataDir;
    private final Map<String, String> settings;
    private final InstantSource clock;
    private final Optional<DoubleSupplier> freeShare;
    private Runnable afterwards = () -> {};
    private Sluice sluice;

    private RunningSluice(
            Database database,
            Path dataDir,
            Map<String, String> settings,
            InstantSource clock,
            Optional<DoubleSupplier> freeShare) {
        this.database = database;
        this.dataDir = dataDir;
        this.settings = settings;
        this.clock = clock;
        this.freeShare = freeShare;
        this.sluice = open();
    }

    /// In a data directory that goes with it.
    public static RunningSluice start() {
        return start(InstantSource.system(), Map.of());
    }

    /// In a data directory that goes with it.
    public static RunningSluice start(InstantSource clock, Map<String, String> more) {
        var directory = TestDirectory.make();
        var running = start(directory.path(), clock, more);
        running.afterwards = directory::remove;
        return running;
    }

    public static RunningSluice start(Path dataDir) {
        return start(dataDir, InstantSource.system(), Map.of());
    }

    /// @param more settings by their environment names, over those that tests usually need
    public static RunningSluice start(Path dataDir, InstantSource clock, Map<String, String> more) {
        return start(dataDir, clock, more, Optional.empty());
    }

    /// On a disk of which so much is free, from 0 to 1.
    public static RunningSluice startOnDisk(Path dataDir, DoubleSupplier freeShare) {
        return start(dataDir, InstantSource.system(), Map.of(), Optional.of(freeShare));
    }

    private static RunningSluice start(
            Path dataDir,
            InstantSource clock,
            Map<String, String> more,
            Optional<DoubleSupplier> freeShare) {
        var database = TestCluster.newDatabase();
        var settings = new HashMap<String, String>();
        settings.put("SLUICE_PORT", "0");
        settings.put("SLUICE_DATA_DIR", dataDir.toString());
        settings.put("SLUICE_DATABASE_URL", TestCluster.url(database));
        settings.put("SLUICE_MASTER_KEY", "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=");
        settings.put("SLUICE_ADMIN_API_KEY", KEY);
        settings.put("SLUICE_ALLOW_PRIVATE_DESTINATIONS", "127.0.0.0/8");
        settings.putAll(more);
        return new RunningSluice(database, dataDir, settings, clock, freeShare);
    }

    private Sluice open() {
        var read = new Settings(settings);
        var config = Config.read(read);
        if (!read.complaints().isEmpty()) {
            throw new IllegalArgumentException(read.complaints().toString());
        }
        return Sluice.start(config, clock, "test", freeShare);
    }

    /// Stops it as SIGTERM does and starts it again on the same database and data directory.
    public void restart() {
        sluice.close();
        sluice = open();
    }

    public int port() {
        return sluice.port();
    }

    /// What it answers, as `METHOD pattern`; ingest is beside them.
    public List<String> routes() {
        return sluice.routes();
    }

    public Path dataDir() {
        return dataDir;
    }

    public Database database() {
        return database;
    }

    /// Connections of the test's own to the server's database.
    public Db db() {
        return TestCluster.open(database);
    }

    /// A client with the first workspace's key.
    public Api api() {
        return new Api(port(), KEY);
    }

    @Override
    public void close() {
        sluice.close();
        afterwards.run();
    }
}
