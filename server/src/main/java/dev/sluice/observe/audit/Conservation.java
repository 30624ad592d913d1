package dev.sluice.observe.audit;

import dev.sluice.platform.db.Db;

import java.time.Instant;
import java.time.LocalDate;
import java.util.NavigableSet;

/// The check of a whole database, also beside servers that run on it.
public final class Conservation {

    private Conservation() {}

    /// Whether the database holds our tables.
    public static boolean hasTables(Db db) {
        return db.snapshot(tx ->
                tx.single(
                        "select to_regclass('event') is not null as is_there",
                        row -> row.bool("is_there")));
    }

    /// Looks at every event that is kept and reads only.
    public static Report check(Db db) {
        var report = Report.nothing();
        NavigableSet<LocalDate> days = db.snapshot(Days::kept);
        for (var day : days) {
            report = report.plus(check(db, Days.start(day), Days.start(day.plusDays(1))));
        }
        return report;
    }

    /// As `check`, for what came in from one full hour to before another.
    public static Report check(Db db, Instant from, Instant to) {
        var report = Report.nothing();
        for (var hour = from; hour.isBefore(to); hour = hour.plus(HourCheck.HOUR)) {
            var check = HourCheck.begin(db, hour);
            while (!check.step()) {
                // Until it was looked at as a whole.
            }
            report = report.plus(check.result());
        }
        return report;
    }
}
