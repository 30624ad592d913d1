package dev.sluice.platform.db;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.function.LongSupplier;

/// A clock that shows the database's time, so that all nodes that share the database agree.
///
/// [#syncWith(Db)] reads the database's time. Between syncs, this clock advances with this
/// process's monotonic clock, so a change to the host's clock has no effect. A reading is accurate
/// to within half its round-trip time. A sync adjusts this clock only if it differs from the
/// reading by more than that.
///
/// If the database's clock jumps, the next sync moves this clock with it. The clock that
/// [#settled()] returns follows a forward jump of more than 10 minutes only after the jump has
/// lasted for an hour.
///
/// Thread-safe, but only one thread may sync at a time.
public final class DatabaseClock implements InstantSource {

    private static final Logger log = LoggerFactory.getLogger(DatabaseClock.class);

    /// The number of readings that a sync takes. The sync uses the reading with the shortest round
    /// trip.
    private static final int SAMPLES_PER_SYNC = 5;

    private static final Duration MIN_LOGGED_DRIFT = Duration.ofSeconds(1);

    /// A time, and the value of the monotonic clock at that moment, in nanoseconds.
    private record ClockAnchor(Instant time, long nanos) {}

    /// One reading of the database's time, accurate to `uncertainty` nanoseconds.
    private record ClockSample(ClockAnchor anchor, long uncertainty) {}

    private final LongSupplier nanos;
    private volatile ClockAnchor anchor;
    private volatile SettledTime settled;

    /// Whether a sync has already read the settled time that an earlier process saved. Used only by
    /// syncs.
    private boolean isStarted;

    /// Creates a clock that shows the host's time until the first sync.
    ///
    /// @param nanos the monotonic clock of this process, in nanoseconds
    public DatabaseClock(InstantSource host, LongSupplier nanos) {
        this.nanos = nanos;
        this.anchor = new ClockAnchor(host.instant(), nanos.getAsLong());
        this.settled = SettledTime.at(anchor.time(), anchor.nanos());
    }

    @Override
    public Instant instant() {
        return at(anchor, nanos.getAsLong());
    }

    /// Returns the clock for decisions that cannot be undone. It follows a forward jump of more
    /// than 10 minutes only after the jump has lasted for an hour (see [SettledTime]). At startup,
    /// the time during which no process was running also counts as a jump.
    public InstantSource settled() {
        return () -> settled.at(nanos.getAsLong());
    }

    private static Instant at(ClockAnchor anchor, long nanos) {
        return anchor.time().plusNanos(nanos - anchor.nanos());
    }

    /// Reads the database's clock and sets this clock to the same time. If the difference is within
    /// the reading's accuracy, this clock is not changed. Then saves the settled time in the
    /// database.
    public void syncWith(Db db) {
        var best = sample(db);
        for (int i = 1; i < SAMPLES_PER_SYNC; i++) {
            var sample = sample(db);
            if (sample.uncertainty() < best.uncertainty()) {
                best = sample;
            }
        }
        follow(best);
        settle(db, best.anchor());
    }

    private void follow(ClockSample sample) {
        var drift = Duration.between(at(anchor, sample.anchor().nanos()), sample.anchor().time());
        if (drift.abs().toNanos() <= sample.uncertainty()) {
            return;
        }
        if (drift.abs().compareTo(MIN_LOGGED_DRIFT) >= 0) {
            log.atWarn().addKeyValue("milliseconds", drift.toMillis()).log("clock.set");
        }
        anchor = sample.anchor();
    }

    private void settle(Db db, ClockAnchor read) {
        var before = isStarted ? settled : settledBefore(db, read);
        var after = before.afterReading(read.time(), read.nanos());
        settled = after;
        logLeap(before, after);
        isStarted = true;
        db.run(tx -> SettledTimeStore.save(tx, after.at(read.nanos())));
    }

    private static SettledTime settledBefore(Db db, ClockAnchor read) {
        return SettledTime.at(db.call(SettledTimeStore::read).orElse(read.time()), read.nanos());
    }

    private void logLeap(SettledTime before, SettledTime after) {
        if (after.leap().isPresent() && !after.leap().equals(before.leap())) {
            long milliseconds = after.leap().get().ahead().toMillis();
            if (isStarted) {
                log.atWarn().addKeyValue("milliseconds", milliseconds).log("clock.leap_detected");
            } else { // usually, no server was running in the meantime
                log.atInfo().addKeyValue("milliseconds", milliseconds).log("clock.leap_detected");
            }
        } else if (before.leap().isPresent() && after.leap().isEmpty()) {
            log.atInfo().log("clock.settled");
        }
    }

    /// Takes one reading, assuming that the database read its clock in the middle of the round
    /// trip.
    private ClockSample sample(Db db) {
        return db.call(tx -> {
            long start = nanos.getAsLong();
            var time = tx.single("select clock_timestamp() as time", row -> row.instant("time"));
            long half = (nanos.getAsLong() - start) / 2;
            return new ClockSample(new ClockAnchor(time, start + half), half);
        });
    }
}
