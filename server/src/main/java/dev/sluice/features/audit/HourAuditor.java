package dev.sluice.features.audit;

import dev.sluice.platform.db.Db;
import dev.sluice.platform.db.DbException;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/// Checks one hour of stored data, in slices small enough not to burden the database.
///
/// Not thread-safe: each instance is used by one thread only.
final class HourAuditor {

    private static final Logger log = LoggerFactory.getLogger(HourAuditor.class);

    static final Duration ONE_HOUR = Duration.ofHours(1);

    /// The approximate maximum number of rows in a slice.
    private static final int TARGET_SLICE_ROWS = 20_000;

    private static final Duration MIN_SLICE_DURATION = Duration.ofSeconds(1);

    /// The number of consecutive failures after which a slice of the minimum duration counts as
    /// unreadable.
    private static final int MAX_FAILURES = 3;

    /// Like [#MAX_FAILURES], but for database failures that are usually temporary.
    private static final int MAX_PASSING_FAILURES = 10;

    /// The slice duration to use if the usage counts cannot be read.
    private static final Duration BLIND_SLICE_DURATION = Duration.ofMinutes(1);

    private final Db db;
    private final Instant start;

    /// The usage that was recorded before the first slice was checked. Empty if the usage counts
    /// cannot be read.
    private final Optional<HourlyUsage> recordedBefore;

    private final HourlyUsage countedRows = new HourlyUsage();

    /// Everything received before this time has been checked.
    private Instant checkedTo;

    private Duration sliceDuration;

    /// The duration of the first slice. Slices that were shortened because of a damaged row grow
    /// back to this duration.
    private final Duration maxSliceDuration;

    /// Whether a damaged row may have caused the last failure. False after a temporary failure such
    /// as a timeout.
    private boolean isAroundDamage;

    /// The number of consecutive failures to read a slice of the minimum duration.
    private int failures;

    /// Whether the rows of every slice so far could be read and counted.
    private boolean isComplete = true;

    private AuditReport report = AuditReport.empty();

    private HourAuditor(Db db, Instant start) {
        this.db = db;
        this.start = start;
        this.recordedBefore = recordedUsage();
        this.checkedTo = start;
        this.maxSliceDuration =
                recordedBefore.map(HourAuditor::sliceDuration).orElse(BLIND_SLICE_DURATION);
        this.sliceDuration = maxSliceDuration;
    }

    /// Begins checking the hour that starts at `start`. Reads only the usage counts, not the rows.
    static HourAuditor begin(Db db, Instant start) {
        return new HourAuditor(db, start);
    }

    /// Returns the recorded usage for the hour. If it cannot be read, adds a violation to the
    /// report and returns empty. If the cause is a temporary database failure, rethrows the
    /// exception instead.
    private Optional<HourlyUsage> recordedUsage() {
        try {
            return Optional.of(
                    db.snapshot(tx -> HourlyUsageQueries.fromRollups(tx, hourNumber(start))));
        } catch (RuntimeException e) {
            if (isPassing(e)) {
                throw e;
            }
            reportUnreadable("the usage counts of the hour from " + start, e);
            return Optional.empty();
        }
    }

    private static boolean isPassing(RuntimeException e) {
        return e instanceof DbException refused && refused.failure().isPassing();
    }

    private void reportUnreadable(String what, RuntimeException e) {
        var finding =
                new InvariantViolation(
                        Invariant.UNREADABLE, what + " cannot be read: " + e.getMessage());
        report = report.plus(AuditReport.of(0, 0, List.of(finding), false));
    }

    Instant start() {
        return start;
    }

    Instant end() {
        return start.plus(ONE_HOUR);
    }

    /// Checks the next slice. Returns true if the whole hour has now been checked. If the slice
    /// cannot be read, the next call tries a shorter slice. If reading a slice of the minimum
    /// duration fails several times, skips the slice and reports it as unreadable. Throws if the
    /// connection to the database is lost.
    boolean checkNextSlice() {
        var to =
                checkedTo.plus(sliceDuration).isBefore(end())
                        ? checkedTo.plus(sliceDuration)
                        : end();
        try {
            var slice = db.snapshot(tx -> AuditSlice.read(tx, checkedTo, to));
            countedRows.add(slice.usage());
            report = report.plus(AuditReport.of(0, 0, slice.violations(), slice.isTruncated()));
            return goOnAt(to);
        } catch (RuntimeException e) {
            if (e instanceof DbException lost && lost.isConnectionLost()) {
                throw e;
            }
            log.atDebug()
                    .addKeyValue("from", checkedTo)
                    .addKeyValue("length", sliceDuration)
                    .setCause(e)
                    .log("audit.slice_failed");
            isAroundDamage = !isPassing(e);
            if (!sliceDuration.equals(MIN_SLICE_DURATION)) {
                sliceDuration = atLeastMinimum(sliceDuration.dividedBy(4));
                return false;
            }
            failures++;
            return failures >= (isPassing(e) ? MAX_PASSING_FAILURES : MAX_FAILURES) && skip(to, e);
        }
    }

    /// Skips the unreadable slice, which ends at `to`, so that it does not stop the audit. Returns
    /// true if the whole hour has now been checked.
    private boolean skip(Instant to, RuntimeException e) {
        reportUnreadable("what was received from " + checkedTo + " to " + to, e);
        isComplete = false;
        return goOnAt(to);
    }

    /// Makes the next slice begin at `to`. Returns true if the whole hour has now been checked.
    private boolean goOnAt(Instant to) {
        failures = 0;
        checkedTo = to;
        if (isAroundDamage && sliceDuration.compareTo(maxSliceDuration) < 0) {
            var doubled = sliceDuration.multipliedBy(2);
            sliceDuration = doubled.compareTo(maxSliceDuration) < 0 ? doubled : maxSliceDuration;
        }
        return checkedTo.equals(end());
    }

    /// Returns the complete report. Call this only after the whole hour has been checked. The
    /// report is empty if the day that contains the hour was deleted during the check. A day is
    /// deleted one table at a time, so its rows cannot be compared while that happens.
    ///
    /// The usage counts are compared only if all counts and all rows could be read.
    AuditReport result() {
        var after = isComplete ? recordedBefore.flatMap(_ -> recordedUsage()) : recordedBefore;
        if (!db.snapshot(tx -> RetainedDayQueries.isRetained(tx, start))) {
            return AuditReport.empty();
        }
        var miscounted =
                isComplete && recordedBefore.isPresent() && after.isPresent()
                        ? miscounted(recordedBefore.get(), after.get())
                        : List.<InvariantViolation>of();
        return report.plus(
                AuditReport.of(countedRows.events(), countedRows.deliveries(), miscounted, false));
    }

    /// Compares the rows with the usage counts. Leaves out deleted workspaces: their rows and
    /// counts are erased in chunks, and may not match until all of them are erased.
    private List<InvariantViolation> miscounted(HourlyUsage before, HourlyUsage after) {
        var all = HourlyUsage.compare(start, before, countedRows, after);
        if (all.isEmpty()) {
            return all;
        }
        var erased = db.call(ErasedSubjectQueries::read);
        return HourlyUsage.compare(
                start, before.without(erased), countedRows.without(erased), after.without(erased));
    }

    /// Chooses a slice duration based on the usage counts. If the counts are wrong and a slice
    /// takes too long, [#checkNextSlice] tries a shorter slice.
    private static Duration sliceDuration(HourlyUsage expectedUsage) {
        long expected = expectedUsage.events() + expectedUsage.deliveries();
        return expected <= TARGET_SLICE_ROWS
                ? ONE_HOUR
                : atLeastMinimum(ONE_HOUR.multipliedBy(TARGET_SLICE_ROWS).dividedBy(expected));
    }

    private static Duration atLeastMinimum(Duration width) {
        return width.compareTo(MIN_SLICE_DURATION) > 0 ? width : MIN_SLICE_DURATION;
    }

    /// Returns the number that identifies this hour in the usage tables: the number of hours since
    /// the start of 1970.
    private static int hourNumber(Instant hour) {
        return (int) (hour.getEpochSecond() / ONE_HOUR.toSeconds());
    }
}
