package dev.sluice.features.audit;

import dev.sluice.platform.db.Db;

import java.time.Instant;
import java.time.LocalDate;
import java.util.NavigableSet;

/// Checks the events and deliveries in a database for violations of any [Invariant], such as lost
/// deliveries. Servers may keep using the database during the check.
public final class DatabaseAuditor {

    private DatabaseAuditor() {}

    /// Checks every event that is still retained. Does not change the database.
    public static AuditReport check(Db db) {
        var report = AuditReport.empty();
        NavigableSet<LocalDate> days = db.snapshot(RetainedDayQueries::retained);
        for (var day : days) {
            report =
                    report.plus(
                            check(
                                    db,
                                    RetainedDayQueries.start(day),
                                    RetainedDayQueries.start(day.plusDays(1))));
        }
        return report;
    }

    /// Checks the events received from `from` (inclusive) to `to` (exclusive). Both times must be
    /// on the hour.
    public static AuditReport check(Db db, Instant from, Instant to) {
        var report = AuditReport.empty();
        for (var hour = from; hour.isBefore(to); hour = hour.plus(HourAuditor.ONE_HOUR)) {
            var auditor = HourAuditor.begin(db, hour);
            while (!auditor.checkNextSlice()) {
                // Each call checks one slice of the hour.
            }
            report = report.plus(auditor.result());
        }
        return report;
    }
}
