package dev.sluice.observe.audit;

import dev.sluice.platform.db.Db;
import dev.sluice.platform.loop.Loop;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;

/// Checks each hour once, some minutes after it is over, on one node at a time. What it finds is an
/// error in the log; it mends nothing.
///
/// A round looks at one piece, and then rests for nine times as long as that took, and not longer
/// than it can keep its lease. An hour that was not finished, because this node died or lost the
/// lease, is begun anew by the next.
public final class Audit implements Loop.Step {

    private static final Logger log = LoggerFactory.getLogger(Audit.class);

    /// After its end, until every node's clock has passed it and every commit of it has ended.
    static final Duration CLOSED = Duration.ofMinutes(5);

    private static final Duration LEASE = Duration.ofMinutes(3);
    private static final Duration MOST_REST = LEASE.dividedBy(2);

    private final Db db;
    private final InstantSource clock;
    private final UUID holder;
    private final AtomicLong violations = new AtomicLong();

    /// Both owned by the thread of the rounds.
    private @Nullable HourCheck current;

    private Instant rest = Instant.MIN;

    /// @param holder names this process
    public Audit(Db db, InstantSource clock, UUID holder) {
        this.db = db;
        this.clock = clock;
        this.holder = holder;
    }

    @Override
    public boolean run() {
        var begun = clock.instant();
        if (begun.isBefore(rest)) {
            return false;
        }
        try {
            round(begun);
        } catch (RuntimeException | Error e) {
            rest = afterWork(begun);
            throw e;
        }
        return false;
    }

    private void round(Instant begun) {
        @Nullable HourCheck check = current;
        current = null; // begun anew should this round fail
        var progress = db.call(tx -> AuditStore.hold(tx, holder, LEASE));
        if (progress.isEmpty()) {
            rest = begun.plus(LEASE);
            return;
        }
        var checkedTo = progress.get().checkedTo().orElse(Instant.EPOCH);
        if (check == null || check.start().isBefore(checkedTo)) {
            var hour = db.snapshot(tx -> Days.notBefore(tx, checkedTo));
            if (hour.isEmpty() || hour.get().plus(HourCheck.HOUR).plus(CLOSED).isAfter(begun)) {
                rest = nextClose(begun);
                return;
            }
            check = HourCheck.begin(db, hour.get());
        }
        if (check.step()) {
            finish(check);
        } else {
            current = check;
        }
        rest = afterWork(begun);
    }

    /// Half a lease at most, so that a piece that took long does not cost it.
    private Instant afterWork(Instant begun) {
        var now = clock.instant();
        var pause = Duration.between(begun, now).multipliedBy(9);
        return now.plus(pause.compareTo(MOST_REST) < 0 ? pause : MOST_REST);
    }

    private static Instant nextClose(Instant now) {
        return now.minus(CLOSED).truncatedTo(ChronoUnit.HOURS).plus(HourCheck.HOUR).plus(CLOSED);
    }

    /// Says what was found before it remembers that the hour is done: after a crash in between it
    /// is said twice.
    private void finish(HourCheck check) {
        var report = check.result();
        violations.addAndGet(report.count());
        report.violations()
                .forEach((invariant, found) ->
                        log.atError()
                                .addKeyValue("invariant", invariant.word())
                                .addKeyValue("hour", check.start())
                                .addKeyValue("count", found.count())
                                .addKeyValue("examples", found.examples())
                                .log("audit.violated"));
        log.atDebug()
                .addKeyValue("hour", check.start())
                .addKeyValue("events", report.events())
                .addKeyValue("deliveries", report.deliveries())
                .log("audit.checked");
        db.run(tx -> AuditStore.advance(tx, holder, check.end(), report.count()));
    }

    /// How many were found since the start.
    public long violations() {
        return violations.get();
    }

    /// Lets another node go on at once.
    public void leave() {
        db.run(tx -> AuditStore.leave(tx, holder));
    }
}
