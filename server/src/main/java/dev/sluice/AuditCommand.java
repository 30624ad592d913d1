package dev.sluice;

import dev.sluice.observe.audit.AuditReport;
import dev.sluice.observe.audit.DatabaseAuditor;
import dev.sluice.observe.audit.Invariant;
import dev.sluice.platform.db.Database;
import dev.sluice.platform.db.Db;
import dev.sluice.platform.postgres.EmbeddedPostgres;

import java.io.PrintStream;
import java.time.Duration;
import java.util.Map;

/// The command `sluice audit`: checks the consistency of the whole database and prints a report.
///
/// It only reads the database, and works whether or not a server is running.
final class AuditCommand {

    private static final int EXIT_CLEAN = 0;
    private static final int EXIT_VIOLATIONS = 1;
    private static final int EXIT_ERROR = 2;

    private AuditCommand() {}

    /// Runs the audit.
    ///
    /// @param config the settings of the server whose database is checked
    /// @return the exit status
    static int run(Config config, PrintStream out, PrintStream err) {
        try {
            var report =
                    config.storage()
                            .database()
                            .map(AuditCommand::check)
                            .orElseGet(() -> checkEmbedded(config));
            print(report, out);
            return report.isClean() ? EXIT_CLEAN : EXIT_VIOLATIONS;
        } catch (RuntimeException e) {
            // An uncaught exception would end the JVM with status 1, which means a violation.
            err.println("The audit could not run: " + e.getMessage());
            return EXIT_ERROR;
        }
    }

    private static AuditReport checkEmbedded(Config config) {
        var postgres = DataDirectory.postgresDirectory(config.storage().dataDir());
        if (!EmbeddedPostgres.existsIn(postgres)) {
            throw new StartupException(
                    "there is no database in "
                            + postgres
                            + ". Run the audit with the settings of the server.");
        }
        var directory = DataDirectory.openIfFree(config.storage().dataDir());
        if (directory.isEmpty()) {
            return check(runningDatabase(config));
        }
        try (var _ = directory.get();
                var server = EmbeddedPostgres.start(postgres, Map.of())) {
            return check(Storage.database(server.login()));
        }
    }

    /// Returns the address of the embedded database that the running server uses. That server holds
    /// the lock on the data directory.
    private static Database runningDatabase(Config config) {
        return EmbeddedPostgres.findRunning(
                        DataDirectory.postgresDirectory(config.storage().dataDir()))
                .map(Storage::database)
                .orElseThrow(() ->
                        new StartupException(
                                "another Sluice process uses the data directory, and its"
                                        + " database is not ready. Try again in a moment."));
    }

    private static AuditReport check(Database database) {
        try (var db = Db.open(database, "audit", 1, Duration.ofMinutes(1))) {
            if (!DatabaseAuditor.hasTables(db)) {
                throw new StartupException(
                        "the database "
                                + database.name()
                                + " at "
                                + database.host()
                                + ":"
                                + database.port()
                                + " has no Sluice tables.");
            }
            return DatabaseAuditor.check(db);
        }
    }

    private static void print(AuditReport report, PrintStream out) {
        out.println(
                "Checked "
                        + report.events()
                        + " events and "
                        + report.deliveries()
                        + " deliveries.");
        for (var invariant : Invariant.values()) {
            var violations = report.violationsOf(invariant);
            if (violations.count() == 0) {
                out.println("  ok        " + invariant.sentence());
            } else {
                out.println("  violated  " + invariant.sentence() + ": " + violations.count());
                violations.examples().forEach(example -> out.println("            " + example));
            }
        }
        if (report.isTruncated()) {
            out.println("There are too many violations to count: the numbers are lower bounds.");
        }
        if (!report.isClean()) {
            out.println("Nothing was changed. docs/reference/audit.md says what each line means.");
        }
    }
}
