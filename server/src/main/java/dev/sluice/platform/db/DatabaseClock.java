package dev.sluice.platform.db;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.function.LongSupplier;

/// The time of day as the database tells it, so that all processes on it agree.
///
/// Between two looks it goes on by this process's monotonic clock: nobody who sets the host's clock
/// moves it. A look knows the database's time to within half of its round trip, and changes nothing
/// while this clock is within that. Safe for use by many threads.
public final class DatabaseClock implements InstantSource {

    private static final Logger log = LoggerFactory.getLogger(DatabaseClock.class);

    /// Of several looks the quickest is believed.
    private static final int LOOKS = 5;

    private static final Duration WORTH_SAYING = Duration.ofSeconds(1);

    /// A time and the reading of the monotonic clock at that moment.
    private record Anchor(Instant time, long nanos) {}

    /// A time of the database's, known to within `uncertainty` nanoseconds.
    private record Look(Anchor anchor, long uncertainty) {}

    private final LongSupplier nanos;
    private volatile Anchor anchor;

    /// Shows the host's time until it is first set.
    ///
    /// @param nanos the monotonic clock of this process
    public DatabaseClock(InstantSource host, LongSupplier nanos) {
        this.nanos = nanos;
        this.anchor = new Anchor(host.instant(), nanos.getAsLong());
    }

    @Override
    public Instant instant() {
        return at(anchor, nanos.getAsLong());
    }

    private static Instant at(Anchor anchor, long nanos) {
        return anchor.time().plusNanos(nanos - anchor.nanos());
    }

    /// Looks at the database's clock and goes by it.
    public void setBy(Db db) {
        var best = look(db);
        for (int more = 1; more < LOOKS; more++) {
            var look = look(db);
            if (look.uncertainty() < best.uncertainty()) {
                best = look;
            }
        }
        var off = Duration.between(at(anchor, best.anchor().nanos()), best.anchor().time());
        if (off.abs().toNanos() <= best.uncertainty()) {
            return;
        }
        if (off.abs().compareTo(WORTH_SAYING) >= 0) {
            log.atWarn().addKeyValue("milliseconds", off.toMillis()).log("clock.set");
        }
        anchor = best.anchor();
    }

    /// The database told its time somewhere in the middle of the round trip.
    private Look look(Db db) {
        return db.call(tx -> {
            long asked = nanos.getAsLong();
            var time = tx.single("select clock_timestamp() as time", row -> row.instant("time"));
            long half = (nanos.getAsLong() - asked) / 2;
            return new Look(new Anchor(time, asked + half), half);
        });
    }
}
