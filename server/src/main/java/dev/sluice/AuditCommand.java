package dev.sluice;

import dev.sluice.observe.audit.Conservation;
import dev.sluice.observe.audit.Invariant;
import dev.sluice.observe.audit.Report;
import dev.sluice.platform.db.Database;
import dev.sluice.platform.db.Db;
import dev.sluice.platform.postgres.EmbeddedPostgres;

import java.io.PrintStream;
import java.time.Duration;
import java.util.Map;

/// `sluice audit`: checks the whole database and says what it found. It reads only, beside a
/// running server or without one.
final class AuditCommand {

    private static final int CLEAN = 0;
    private static final int VIOLATED = 1;
    private static final int COULD_NOT_RUN = 2;

    private AuditCommand() {}

    /// The exit status.
    ///
    /// @param config the server's own
    static int run(Config config, PrintStream out, PrintStream err) {
        try {
            var report =
                    config.database().map(AuditCommand::check).orElseGet(() -> embedded(config));
            print(report, out);
            return report.isClean() ? CLEAN : VIOLATED;
        } catch (RuntimeException e) {
            // Of whatever kind: left to the JVM it would end with the status of a violation.
            err.println("The audit could not run: " + e.getMessage());
            return COULD_NOT_RUN;
        }
    }

    private static Report embedded(Config config) {
        var postgres = DataDirectory.postgres(config.dataDir());
        if (!EmbeddedPostgres.livesIn(postgres)) {
            throw new StartRefused(
                    "there is no database in "
                            + postgres
                            + ". Run it with the settings that the server runs with.");
        }
        var directory = DataDirectory.openIfFree(config.dataDir());
        if (directory.isEmpty()) {
            return check(running(config));
        }
        try (var _ = directory.get();
                var server = EmbeddedPostgres.start(postgres, Map.of())) {
            return check(
                    new Database(
                            server.host(),
                            server.port(),
                            server.database(),
                            server.user(),
                            server.password(),
                            ""));
        }
    }

    /// That of the server which holds the data directory.
    private static Database running(Config config) {
        var address =
                EmbeddedPostgres.runningIn(DataDirectory.postgres(config.dataDir()))
                        .orElseThrow(() ->
                                new StartRefused(
                                        "another Sluice holds the data directory, and its database"
                                                + " is not ready. Try again in a moment."));
        return new Database(
                address.host(),
                address.port(),
                address.database(),
                address.user(),
                address.password(),
                "");
    }

    private static Report check(Database database) {
        try (var db = Db.open(database, "audit", 1, Duration.ofMinutes(1))) {
            if (!Conservation.hasTables(db)) {
                throw new StartRefused(
                        "the database "
                                + database.name()
                                + " at "
                                + database.host()
                                + ":"
                                + database.port()
                                + " holds no tables of Sluice.");
            }
            return Conservation.check(db);
        }
    }

    private static void print(Report report, PrintStream out) {
        out.println(
                "Checked "
                        + report.events()
                        + " events and "
                        + report.deliveries()
                        + " deliveries.");
        for (var invariant : Invariant.values()) {
            var violations = report.found(invariant);
            if (violations.count() == 0) {
                out.println("  ok        " + invariant.sentence());
            } else {
                out.println("  violated  " + invariant.sentence() + ": " + violations.count());
                violations.examples().forEach(example -> out.println("            " + example));
            }
        }
        if (report.isCutShort()) {
            out.println("Too much is wrong to count all of it: the numbers are lower bounds.");
        }
        if (!report.isClean()) {
            out.println("Nothing was changed. docs/reference/audit.md says what each line means.");
        }
    }
}
