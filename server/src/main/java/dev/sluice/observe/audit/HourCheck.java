package dev.sluice.observe.audit;

import dev.sluice.platform.db.Db;
import dev.sluice.platform.db.DbException;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.time.Duration;
import java.time.Instant;

/// The check of one hour, in pieces short enough that each costs the database little. Owned by one
/// thread.
final class HourCheck {

    private static final Logger log = LoggerFactory.getLogger(HourCheck.class);

    static final Duration HOUR = Duration.ofHours(1);

    /// How many rows a piece should have.
    private static final int ROWS = 20_000;

    private static final Duration SHORTEST = Duration.ofSeconds(1);

    private final Db db;
    private final Instant start;
    private final Usage before;
    private final Usage rows = new Usage();

    /// What came in earlier than that is looked at.
    private Instant at;

    private Duration width;
    private Report report = Report.nothing();

    private HourCheck(Db db, Instant start, Usage before) {
        this.db = db;
        this.start = start;
        this.before = before;
        this.at = start;
        this.width = width(before);
    }

    /// @param start a full hour
    static HourCheck begin(Db db, Instant start) {
        return new HourCheck(db, start, db.snapshot(tx -> Usage.sums(tx, number(start))));
    }

    Instant start() {
        return start;
    }

    Instant end() {
        return start.plus(HOUR);
    }

    /// Looks at the next piece. True when the whole hour was looked at.
    boolean step() {
        var to = at.plus(width).isBefore(end()) ? at.plus(width) : end();
        try {
            var piece = db.snapshot(tx -> Piece.read(tx, at, to));
            rows.add(piece.rows());
            report = report.plus(Report.of(0, 0, piece.findings(), piece.cutShort()));
            at = to;
            return at.equals(end());
        } catch (DbException e) {
            if (width.equals(SHORTEST)) {
                throw e;
            }
            log.debug("a piece of {} from {} failed, the next try is shorter", width, at, e);
            width = noShorterThanShortest(width.dividedBy(4));
            return false;
        }
    }

    /// What was found, once the whole hour was looked at. Nothing when its day was removed
    /// meanwhile: that is done table by table.
    Report result() {
        var after = db.snapshot(tx -> Usage.sums(tx, number(start)));
        if (!db.snapshot(tx -> Days.isKept(tx, start))) {
            return Report.nothing();
        }
        var miscounted = Usage.compare(start, before, rows, after);
        return report.plus(Report.of(rows.events(), rows.deliveries(), miscounted, false));
    }

    /// By what the sums expect. Should they be wrong, a piece that takes too long is tried again
    /// shorter.
    private static Duration width(Usage sums) {
        long expected = sums.events() + sums.deliveries();
        return expected <= ROWS
                ? HOUR
                : noShorterThanShortest(HOUR.multipliedBy(ROWS).dividedBy(expected));
    }

    private static Duration noShorterThanShortest(Duration width) {
        return width.compareTo(SHORTEST) > 0 ? width : SHORTEST;
    }

    /// Of hours since 1970, as the usage tables have it.
    private static int number(Instant hour) {
        return (int) (hour.getEpochSecond() / HOUR.toSeconds());
    }
}
