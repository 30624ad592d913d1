package dev.sluice;

import dev.sluice.features.audit.AuditReport;
import dev.sluice.features.audit.DatabaseAuditor;
import dev.sluice.features.audit.Invariant;

import java.io.PrintStream;

/// The `sluice audit` command: checks all stored events and deliveries for consistency, and prints
/// a report.
///
/// The command only reads the database, and works whether or not a server is running.
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
            var report = CommandDatabase.use(config, "audit", DatabaseAuditor::check);
            print(report, out);
            return report.isClean() ? EXIT_CLEAN : EXIT_VIOLATIONS;
        } catch (RuntimeException e) {
            // If the exception were not caught, the JVM would exit with status 1, the status for an
            // audit that found violations.
            err.println("The audit could not run: " + CommandFailure.reason(e));
            return EXIT_ERROR;
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
