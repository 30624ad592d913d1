package dev.sluice;

import dev.sluice.platform.db.Database;
import dev.sluice.platform.db.Db;
import dev.sluice.platform.db.SchemaMigrator;
import dev.sluice.platform.postgres.EmbeddedPostgres;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiFunction;
import java.util.function.Function;

/// Opens a server's database for a command, whether or not the server is running.
final class CommandDatabase {

    private CommandDatabase() {}

    /// Runs `work` with the database of the server that has this configuration. If the server uses
    /// the embedded PostgreSQL and is not running, starts PostgreSQL for `work` and stops it
    /// afterwards.
    ///
    /// @param command the name of the command
    /// @throws StartupException if there is no database, if it is not ready yet, or if its tables
    ///   are missing or belong to another version of Sluice
    static <T> T use(Config config, String command, Function<Db, T> work) {
        return find(config, command, database -> use(database, command, work));
    }

    /// Like [#use], but passes the database's address to `work` and does not check the tables,
    /// which may be missing or belong to another version of Sluice.
    static <T> T find(Config config, String command, Function<Database, T> work) {
        var external = config.storage().database();
        return external.isPresent()
                ? work.apply(external.get())
                : findEmbedded(config, command, work);
    }

    private static <T> T findEmbedded(Config config, String command, Function<Database, T> work) {
        var postgres = DataDirectory.postgresDirectory(config.storage().dataDir());
        if (!EmbeddedPostgres.existsIn(postgres)) {
            throw new StartupException(
                    "there is no database in "
                            + postgres
                            + ". Run the "
                            + command
                            + " with the settings of the server.");
        }
        var directory = DataDirectory.openIfFree(config.storage().dataDir());
        if (directory.isEmpty()) {
            return work.apply(runningDatabase(config));
        }
        try (var _ = directory.get()) {
            return withPostgres(postgres, work);
        }
    }

    /// Runs `work` with the database that a server with this configuration would use. Creates the
    /// embedded database if there is none. If the database is embedded, `work` also gets the locked
    /// data directory.
    ///
    /// @throws StartupException if the database is embedded and its data directory cannot be used
    ///   or is in use by another Sluice process
    static <T> T create(Config config, BiFunction<Database, Optional<DataDirectory>, T> work) {
        var external = config.storage().database();
        if (external.isPresent()) {
            return work.apply(external.get(), Optional.empty());
        }
        try (var directory = DataDirectory.open(config.storage().dataDir())) {
            return withPostgres(
                    directory.postgresDirectory(),
                    database -> work.apply(database, Optional.of(directory)));
        }
    }

    /// Starts the embedded PostgreSQL, runs `work` with it, and stops it afterwards. Also stops it
    /// on Ctrl-C, because PostgreSQL runs in a separate session that the signal does not reach.
    private static <T> T withPostgres(Path directory, Function<Database, T> work) {
        var caller = Thread.currentThread();
        var started = new CompletableFuture<Optional<EmbeddedPostgres>>();
        try (var _ =
                ExitAction.of(
                        "stop-postgres",
                        () -> {
                            caller.interrupt(); // ends a start that is in progress
                            started.join().ifPresent(EmbeddedPostgres::close);
                        })) {
            try (var server = EmbeddedPostgres.start(directory, Map.of())) {
                started.complete(Optional.of(server));
                return work.apply(Storage.database(server.login()));
            } finally {
                started.complete(Optional.empty());
            }
        }
    }

    /// Returns the address of the embedded database that another Sluice process is running. That
    /// process holds the lock on the data directory.
    ///
    /// @throws StartupException if the database is not ready
    private static Database runningDatabase(Config config) {
        return EmbeddedPostgres.findRunning(
                        DataDirectory.postgresDirectory(config.storage().dataDir()))
                .map(Storage::database)
                .orElseThrow(() ->
                        new StartupException(
                                "another Sluice process uses the data directory, and its"
                                        + " database is not ready. Try again in a moment."));
    }

    private static <T> T use(Database database, String command, Function<Db, T> work) {
        refusal(database, SchemaMigrator.version(database))
                .ifPresent(reason -> {
                    throw new StartupException(reason);
                });
        try (var db = Db.open(database, command, 1, Duration.ofMinutes(1))) {
            return work.apply(db);
        }
    }

    /// Returns the reason why a command must not use this database, or empty if it may. A database
    /// is refused if it has no tables, or if its tables belong to another version of the program,
    /// because the command could misread their rows.
    static Optional<String> refusal(Database database, SchemaMigrator.SchemaVersion version) {
        if (version.applied() == version.newest() && !version.isForeign()) {
            return Optional.empty();
        }
        return Optional.of(
                "the database "
                        + database.name()
                        + " at "
                        + database.host()
                        + ":"
                        + database.port()
                        + reason(version));
    }

    private static String reason(SchemaMigrator.SchemaVersion version) {
        if (version.isForeign()) {
            return " cannot be used: " + SchemaMigrator.CARRY_OVER + ".";
        }
        if (version.applied() == 0) {
            return " has no Sluice tables: no server has used it yet.";
        }
        return version.applied() > version.newest()
                ? " has tables of a newer version of Sluice. Run the command of that version."
                : " has tables of an older version of Sluice. Run the command of that version, or"
                        + " start this version of the server once, which updates them.";
    }
}
