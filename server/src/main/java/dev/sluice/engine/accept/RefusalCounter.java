package dev.sluice.engine.accept;

import dev.sluice.account.plan.MinuteWindow;
import dev.sluice.engine.RefusalReason;
import dev.sluice.gateway.source.SourceId;
import dev.sluice.platform.http.ApiErrorCode;

import java.time.InstantSource;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;

/// Counts refused ingest requests in memory. Thread-safe.
///
/// Counts are kept for each combination of source, minute and reason, until [#take] removes them.
/// Once there are about [#MAX_KEYS] combinations, a refusal with a new combination is added only to
/// its reason's total.
public final class RefusalCounter {

    static final int MAX_KEYS = 10_000;

    /// @param minute minutes since 1970
    record RefusalKey(SourceId source, long minute, RefusalReason reason) {}

    private final InstantSource clock;
    private final ConcurrentHashMap<RefusalKey, Integer> counts = new ConcurrentHashMap<>();
    private final ConcurrentHashMap<RefusalReason, LongAdder> totals = new ConcurrentHashMap<>();

    public RefusalCounter(InstantSource clock) {
        this.clock = clock;
    }

    public void count(SourceId source, RefusalReason reason) {
        totals.computeIfAbsent(reason, _ -> new LongAdder()).increment();
        var key = new RefusalKey(source, MinuteWindow.number(clock.instant()), reason);
        if (counts.mappingCount() < MAX_KEYS || counts.containsKey(key)) {
            counts.merge(key, 1, Integer::sum);
        }
    }

    /// Counts a request that was answered with this error. Does nothing if the error does not count
    /// as a refusal, for example if the body could not be read. An error means that the event was
    /// not stored, so a failed verification counts as `UNVERIFIED_NOT_STORED`.
    public void count(SourceId source, ApiErrorCode error) {
        reasonOf(error).ifPresent(reason -> count(source, reason));
    }

    private static Optional<RefusalReason> reasonOf(ApiErrorCode error) {
        return switch (error) {
            case VERIFICATION_FAILED -> Optional.of(RefusalReason.UNVERIFIED_NOT_STORED);
            case QUOTA_EXCEEDED -> Optional.of(RefusalReason.QUOTA_EXCEEDED);
            case PAYLOAD_TOO_LARGE -> Optional.of(RefusalReason.PAYLOAD_TOO_LARGE);
            case RATE_LIMITED -> Optional.of(RefusalReason.RATE_LIMITED);
            case INTERNAL_ERROR -> Optional.of(RefusalReason.NOT_STORED);
            case UNAVAILABLE -> Optional.of(RefusalReason.UNAVAILABLE);
            default -> Optional.empty();
        };
    }

    /// Removes and returns the counts collected since the last call.
    Map<RefusalKey, Integer> take() {
        Map<RefusalKey, Integer> taken = new HashMap<>();
        for (var key : counts.keySet()) {
            var count = counts.remove(key);
            if (count != null) {
                taken.put(key, count);
            }
        }
        return taken;
    }

    /// Returns how many requests this process has refused for this reason.
    public long total(RefusalReason reason) {
        return totals.computeIfAbsent(reason, _ -> new LongAdder()).sum();
    }
}
