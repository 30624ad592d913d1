package dev.sluice.observe.audit;

import dev.sluice.platform.db.Db;
import dev.sluice.platform.db.DbException;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.time.Duration;
import java.time.Instant;

/// Checks one hour of stored data, in slices small enough not to burden the database.
///
/// Not thread-safe: each instance is used by one thread only.
final class HourAuditor {

    private static final Logger log = LoggerFactory.getLogger(HourAuditor.class);

    static final Duration ONE_HOUR = Duration.ofHours(1);

    /// The number of rows that a slice should contain.
    private static final int TARGET_SLICE_ROWS = 20_000;

    private static final Duration MIN_SLICE_DURATION = Duration.ofSeconds(1);

    private final Db db;
    private final Instant start;
    private final HourlyUsage recordedBefore;
    private final HourlyUsage countedRows = new HourlyUsage();

    /// Everything received before this time has been checked.
    private Instant checkedTo;

    private Duration sliceDuration;
    private AuditReport report = AuditReport.empty();

    private HourAuditor(Db db, Instant start, HourlyUsage before) {
        this.db = db;
        this.start = start;
        this.recordedBefore = before;
        this.checkedTo = start;
        this.sliceDuration = sliceDuration(before);
    }

    /// @param start the start of the hour to check
    static HourAuditor begin(Db db, Instant start) {
        return new HourAuditor(
                db,
                start,
                db.snapshot(tx -> HourlyUsageQueries.fromRollups(tx, hourNumber(start))));
    }

    Instant start() {
        return start;
    }

    Instant end() {
        return start.plus(ONE_HOUR);
    }

    /// Checks the next slice. Returns true if the whole hour has then been checked.
    boolean checkNextSlice() {
        var to =
                checkedTo.plus(sliceDuration).isBefore(end())
                        ? checkedTo.plus(sliceDuration)
                        : end();
        try {
            var slice = db.snapshot(tx -> AuditSlice.read(tx, checkedTo, to));
            countedRows.add(slice.usage());
            report = report.plus(AuditReport.of(0, 0, slice.violations(), slice.isTruncated()));
            checkedTo = to;
            return checkedTo.equals(end());
        } catch (DbException e) {
            if (sliceDuration.equals(MIN_SLICE_DURATION)) {
                throw e;
            }
            log.atDebug()
                    .addKeyValue("from", checkedTo)
                    .addKeyValue("length", sliceDuration)
                    .setCause(e)
                    .log("audit.slice_failed");
            sliceDuration = atLeastMinimum(sliceDuration.dividedBy(4));
            return false;
        }
    }

    /// Returns the result. Call this only after the whole hour has been checked. The report is
    /// empty if the day that contains the hour was deleted during the check. A day is deleted one
    /// table at a time, so its rows cannot be compared.
    AuditReport result() {
        var after = db.snapshot(tx -> HourlyUsageQueries.fromRollups(tx, hourNumber(start)));
        if (!db.snapshot(tx -> RetainedDayQueries.isRetained(tx, start))) {
            return AuditReport.empty();
        }
        var miscounted = HourlyUsage.compare(start, recordedBefore, countedRows, after);
        if (!miscounted.isEmpty()) {
            // rows and sums of deleted workspaces are erased bit by bit
            var erased = db.call(ErasedSubjectQueries::read);
            miscounted =
                    HourlyUsage.compare(
                            start,
                            recordedBefore.without(erased),
                            countedRows.without(erased),
                            after.without(erased));
        }
        return report.plus(
                AuditReport.of(countedRows.events(), countedRows.deliveries(), miscounted, false));
    }

    /// Chooses the slice's duration from the usage counts. If these are wrong and a slice takes too
    /// long, a shorter slice is tried.
    private static Duration sliceDuration(HourlyUsage expectedUsage) {
        long expected = expectedUsage.events() + expectedUsage.deliveries();
        return expected <= TARGET_SLICE_ROWS
                ? ONE_HOUR
                : atLeastMinimum(ONE_HOUR.multipliedBy(TARGET_SLICE_ROWS).dividedBy(expected));
    }

    private static Duration atLeastMinimum(Duration width) {
        return width.compareTo(MIN_SLICE_DURATION) > 0 ? width : MIN_SLICE_DURATION;
    }

    /// Returns the number of hours since 1970, which the usage tables use to identify an hour.
    private static int hourNumber(Instant hour) {
        return (int) (hour.getEpochSecond() / ONE_HOUR.toSeconds());
    }
}
