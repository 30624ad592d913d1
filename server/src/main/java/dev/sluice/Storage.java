package dev.sluice;

import dev.sluice.account.access.SealingCanaryStore;
import dev.sluice.features.transfer.FormerPayloads;
import dev.sluice.features.transfer.TransferQueries;
import dev.sluice.platform.assembly.Pools;
import dev.sluice.platform.db.Database;
import dev.sluice.platform.db.Db;
import dev.sluice.platform.db.DbException;
import dev.sluice.platform.db.DedicatedConnection;
import dev.sluice.platform.db.SchemaMigrator;
import dev.sluice.platform.loop.Shutdown;
import dev.sluice.platform.postgres.EmbeddedPostgres;
import dev.sluice.platform.secret.Sealer;
import dev.sluice.platform.secret.Secret;
import dev.sluice.platform.secret.SecretGenerator;

import java.io.IOException;
import java.time.Duration;
import java.util.Base64;
import java.util.Map;

/// A server's durable storage, open and ready to use.
///
/// It consists of the data directory, the database with the current schema, the connection pools,
/// and the [Sealer] that encrypts secrets in the database. [Shutdown] closes the directory, the
/// database and the pools.
record Storage(DataDirectory directory, Database database, Pools pools, Sealer sealer) {

    /// How long a statement may run that looks through one day's events.
    private static final Duration CHECK_TIMEOUT = Duration.ofMinutes(10);

    /// Opens the storage. Starts the embedded PostgreSQL unless the configuration names a database.
    ///
    /// @throws StartupException if another process has locked the data directory, if the database
    ///   cannot be used, or if its secrets were sealed with another master key
    static Storage open(Config config, SecretGenerator random, Shutdown shutdown)
            throws IOException {
        var directory =
                shutdown.closing("data directory", DataDirectory.open(config.storage().dataDir()));
        var sealer = sealer(config, directory, random);
        var database = config.storage().database().orElseGet(() -> embedded(directory, shutdown));
        migrate(database);
        var pools = Pools.open(database, shutdown);
        checkMasterKey(pools.api(), sealer);
        return new Storage(directory, database, pools, sealer);
    }

    private static Database embedded(DataDirectory directory, Shutdown shutdown) {
        var postgres =
                shutdown.closing(
                        "PostgreSQL",
                        EmbeddedPostgres.start(directory.postgresDirectory(), Map.of()));
        return database(postgres.login());
    }

    /// Returns the address of the database in an embedded PostgreSQL server.
    ///
    /// The driver is configured to accept only SCRAM authentication. With SCRAM, the password never
    /// leaves this process, and the server must also prove that it knows the password. Another user
    /// of the machine who takes over the server's port can therefore neither learn the password nor
    /// pose as the server.
    static Database database(EmbeddedPostgres.PostgresLogin login) {
        return new Database(
                login.host(),
                login.port(),
                login.database(),
                login.user(),
                login.password(),
                "?requireAuth=scram-sha-256");
    }

    private static void migrate(Database database) {
        try {
            requireNoImport(database);
            requirePlainPayloads(database);
            SchemaMigrator.run(database);
        } catch (DbException e) {
            throw unusable(database, String.valueOf(e.getMessage()));
        }
    }

    private static StartupException unusable(Database database, String reason) {
        return new StartupException(
                "The database "
                        + database.name()
                        + " at "
                        + database.host()
                        + ":"
                        + database.port()
                        + " cannot be used: "
                        + reason);
    }

    private static void requireNoImport(Database database) {
        try (var connection = new DedicatedConnection(database, "start")) {
            if (connection.call(TransferQueries::isImportRunning)) {
                throw new StartupException(
                        "An import into the database "
                                + database.name()
                                + " is running. Start the server when import-data has ended.");
            }
        }
    }

    /// Refuses a database in which an earlier version has compressed payloads. An import refuses a
    /// file with such payloads.
    private static void requirePlainPayloads(Database database) {
        try (var connection = Db.open(database, "start", 1, CHECK_TIMEOUT)) {
            if (FormerPayloads.areCompressed(connection)) {
                throw unusable(
                        database,
                        "it has payloads that an earlier version has compressed, which this version"
                                + " cannot read; "
                                + FormerPayloads.ADVICE);
            }
        }
    }

    private static Sealer sealer(Config config, DataDirectory directory, SecretGenerator random)
            throws IOException {
        var key =
                config.storage().masterKey().isPresent()
                        ? config.storage().masterKey().get()
                        : directory.masterKey(random);
        return sealer(key, random);
    }

    /// @throws StartupException if the key is not 32 bytes in base64. Only a key from the data
    ///   directory can cause this, because [Config] checks the key in the settings
    static Sealer sealer(Secret masterKey, SecretGenerator random) {
        try {
            return new Sealer(Base64.getDecoder().decode(masterKey.reveal()), random);
        } catch (IllegalArgumentException e) {
            throw new StartupException(
                    "The file master.key in the data directory is damaged. Restore it from a"
                            + " backup.");
        }
    }

    private static void checkMasterKey(Db db, Sealer sealer) {
        try {
            SealingCanaryStore.check(db, sealer);
        } catch (Sealer.WrongKeyException e) {
            throw new StartupException(
                    "The secrets in the database were sealed with another master key. Start with"
                        + " the SLUICE_MASTER_KEY or the file master.key of the server that created"
                        + " the database.");
        }
    }
}
