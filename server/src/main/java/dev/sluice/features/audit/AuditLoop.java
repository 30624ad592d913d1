package dev.sluice.features.audit;

import dev.sluice.platform.db.Db;
import dev.sluice.platform.loop.Loop;
import dev.sluice.platform.loop.Pause;
import dev.sluice.platform.meter.CounterFamily;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;

/// The background audit, which checks the stored data one hour at a time. It runs on only one node
/// at a time.
///
/// An hour is checked no sooner than five minutes after it has ended. Violations are logged as
/// errors; the audit repairs nothing.
///
/// Each round checks one slice of the hour. The loop then pauses for nine times as long as the
/// slice took, up to half the lease duration. If this node dies or loses the lease in the middle of
/// an hour, the next lease holder checks that hour again from the start.
public final class AuditLoop implements Loop.Step {

    private static final Logger log = LoggerFactory.getLogger(AuditLoop.class);

    /// How long to wait after the end of an hour before checking it. After this delay, every node's
    /// clock has passed the end of the hour, and every transaction that wrote data for the hour has
    /// ended.
    static final Duration HOUR_SETTLE_DELAY = Duration.ofMinutes(5);

    private static final Duration LEASE_DURATION = Duration.ofMinutes(3);
    private static final Duration MAX_PAUSE = LEASE_DURATION.dividedBy(2);

    private final Db db;
    private final InstantSource settledClock;
    private final UUID holder;
    private final Map<Invariant, Long> violations = new ConcurrentHashMap<>();

    /// The unfinished check of an hour, or null if there is none. Like `pause`, this field is used
    /// only by the thread that calls [#run].
    private @Nullable HourAuditor current;

    private Pause pause = Pause.NONE;

    /// @param settledClock a clock that follows a forward jump of the system clock only after an
    ///   hour; with an ordinary clock, a jump would make an hour seem to have ended too early
    /// @param holder identifies this process as the lease holder
    public AuditLoop(Db db, InstantSource settledClock, UUID holder) {
        this.db = db;
        this.settledClock = settledClock;
        this.holder = holder;
    }

    @Override
    public boolean run() {
        var begun = settledClock.instant();
        if (!pause.isOver(begun)) {
            return false;
        }
        try {
            round(begun);
        } catch (RuntimeException | Error e) {
            pause = restAfter(begun);
            throw e;
        }
        return false;
    }

    private void round(Instant begun) {
        @Nullable HourAuditor auditor = current;
        current = null; // if this round fails, the next one checks the hour from its start
        var progress = db.call(tx -> AuditStore.acquireLease(tx, holder, LEASE_DURATION));
        if (progress.isEmpty()) {
            pause = Pause.of(begun, LEASE_DURATION);
            return;
        }
        var checkedTo = progress.get().checkedTo().orElse(Instant.EPOCH);
        if (auditor == null || auditor.start().isBefore(checkedTo)) {
            var hour = db.snapshot(tx -> RetainedDayQueries.firstHourFrom(tx, checkedTo));
            if (hour.isEmpty()
                    || hour.get()
                            .plus(HourAuditor.ONE_HOUR)
                            .plus(HOUR_SETTLE_DELAY)
                            .isAfter(begun)) {
                pause = new Pause(begun, nextHourReady(begun));
                return;
            }
            auditor = HourAuditor.begin(db, hour.get());
        }
        if (auditor.checkNextSlice()) {
            finish(auditor);
        } else {
            current = auditor;
        }
        pause = restAfter(begun);
    }

    /// Returns the pause after a slice: nine times as long as the slice took, but at most half the
    /// lease, so that the lease can be renewed before it expires.
    private Pause restAfter(Instant begun) {
        var now = settledClock.instant();
        var rest = Duration.between(begun, now).multipliedBy(9);
        return Pause.of(now, rest.compareTo(MAX_PAUSE) < 0 ? rest : MAX_PAUSE);
    }

    private static Instant nextHourReady(Instant now) {
        return now.minus(HOUR_SETTLE_DELAY)
                .truncatedTo(ChronoUnit.HOURS)
                .plus(HourAuditor.ONE_HOUR)
                .plus(HOUR_SETTLE_DELAY);
    }

    /// Logs the violations, then records that the hour has been checked. If the process crashes
    /// between these two steps, the violations are logged twice.
    private void finish(HourAuditor auditor) {
        var report = auditor.result();
        report.violations()
                .forEach((invariant, found) -> {
                    violations.merge(invariant, found.count(), Long::sum);
                    log.atError()
                            .addKeyValue("invariant", invariant.word())
                            .addKeyValue("hour", auditor.start())
                            .addKeyValue("count", found.count())
                            .addKeyValue("examples", found.examples())
                            .log("audit.violated");
                });
        log.atDebug()
                .addKeyValue("hour", auditor.start())
                .addKeyValue("events", report.events())
                .addKeyValue("deliveries", report.deliveries())
                .log("audit.checked");
        db.run(tx -> AuditStore.advance(tx, holder, auditor.end(), report.count()));
    }

    /// Returns how many violations have been found since this process started.
    public long violations() {
        return violations.values().stream().mapToLong(Long::longValue).sum();
    }

    /// Returns the counter for the metrics: how many violations of each invariant have been found
    /// since this process started.
    public CounterFamily counters() {
        return new CounterFamily(
                "sluice_audit_violations",
                "Contradictions that the audit has found on this node since it started.",
                "invariant",
                this::violationsByName);
    }

    private Map<String, Long> violationsByName() {
        Map<String, Long> byName = new TreeMap<>();
        for (var invariant : Invariant.values()) {
            byName.put(invariant.word(), violations.getOrDefault(invariant, 0L));
        }
        return byName;
    }

    /// Releases the lease, so that another node can take over immediately.
    public void releaseLease() {
        db.run(tx -> AuditStore.releaseLease(tx, holder));
    }
}
