package dev.sluice;

import dev.sluice.account.access.SealingCanaryStore;
import dev.sluice.platform.assembly.Pools;
import dev.sluice.platform.db.Database;
import dev.sluice.platform.db.Db;
import dev.sluice.platform.db.DbException;
import dev.sluice.platform.db.SchemaMigrator;
import dev.sluice.platform.loop.Shutdown;
import dev.sluice.platform.postgres.EmbeddedPostgres;
import dev.sluice.platform.secret.Sealer;
import dev.sluice.platform.secret.SecretGenerator;

import java.io.IOException;
import java.util.Base64;
import java.util.Map;

/// The durable storage of a server, opened and ready to use.
///
/// It consists of the data directory, the database with an up-to-date schema, the connection pools,
/// and the [Sealer] that encrypts secrets in the database. [Shutdown] closes them.
record Storage(DataDirectory directory, Database database, Pools pools, Sealer sealer) {

    /// Opens the storage. Starts the embedded PostgreSQL unless the configuration names a database.
    ///
    /// @throws StartupException when another process holds the directory, the database cannot be
    ///   used, or its secrets were sealed with another master key
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

    /// Returns the address of the database in an embedded PostgreSQL.
    ///
    /// The driver answers a SCRAM challenge only. With SCRAM the password never leaves this
    /// process, and the server proves that it knows it too. So another user of the machine who
    /// takes the server's port learns nothing and is not believed.
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
            SchemaMigrator.run(database);
        } catch (DbException e) {
            throw new StartupException(
                    "The database "
                            + database.name()
                            + " at "
                            + database.host()
                            + ":"
                            + database.port()
                            + " cannot be used: "
                            + e.getMessage());
        }
    }

    private static Sealer sealer(Config config, DataDirectory directory, SecretGenerator random)
            throws IOException {
        var key =
                config.storage().masterKey().isPresent()
                        ? config.storage().masterKey().get()
                        : directory.masterKey(random);
        byte[] bytes;
        try {
            bytes = Base64.getDecoder().decode(key.reveal());
        } catch (IllegalArgumentException e) {
            throw new StartupException(
                    "The file master.key in the data directory is damaged. Restore it from a"
                            + " backup.");
        }
        return new Sealer(bytes, random);
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
