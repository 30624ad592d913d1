package dev.sluice.engine.accept;

import dev.sluice.gateway.source.SourceId;

import java.time.Duration;
import java.time.InstantSource;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReference;

/// Limits how many events that failed verification a source stores in each clock hour. Whoever
/// knows an ingest URL can send such events, and they are not deducted from a quota.
///
/// Each source has its own limits, so a flood to one source takes nothing from another. Each node
/// counts for itself and in memory: several nodes together store up to that many each, and a
/// restart begins with zero. The memory is bounded by the number of sources: each has at most one
/// small entry, and an hour's entries are dropped when the next hour begins. Thread-safe.
public final class UnverifiedEventLimiter {

    static final int MAX_EVENTS = 100;
    static final long MAX_BYTES = 10L << 20;

    /// The events that one source stored in one hour.
    ///
    /// @param isExceeded whether the newest event did not fit
    private record HourlyUse(int events, long bytes, boolean isExceeded) {

        static final HourlyUse NONE = new HourlyUse(0, 0, false);

        HourlyUse afterEvent(long size) {
            return events == MAX_EVENTS || bytes + size > MAX_BYTES
                    ? new HourlyUse(events, bytes, true)
                    : new HourlyUse(events + 1, bytes + size, false);
        }
    }

    /// @param number hours since 1970
    private record ClockHour(long number, ConcurrentHashMap<SourceId, HourlyUse> uses) {}

    private final InstantSource clock;
    private final AtomicReference<ClockHour> hour =
            new AtomicReference<>(new ClockHour(-1, new ConcurrentHashMap<>()));

    public UnverifiedEventLimiter(InstantSource clock) {
        this.clock = clock;
    }

    /// Counts an event that is about to be stored. Returns false, and counts nothing, if the source
    /// has no room for it in this hour.
    ///
    /// @param size the size of the event's headers and body in bytes
    boolean tryAcquire(SourceId source, long size) {
        var use =
                currentHour()
                        .uses()
                        .compute(
                                source,
                                (_, before) ->
                                        Objects.requireNonNullElse(before, HourlyUse.NONE)
                                                .afterEvent(size));
        return !use.isExceeded();
    }

    private ClockHour currentHour() {
        long now = Math.floorDiv(clock.instant().getEpochSecond(), Duration.ofHours(1).toSeconds());
        return hour.updateAndGet(known ->
                known.number() == now ? known : new ClockHour(now, new ConcurrentHashMap<>()));
    }
}
