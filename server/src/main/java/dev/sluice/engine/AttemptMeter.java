package dev.sluice.engine;

import dev.sluice.platform.meter.LockFreeHistogram;

import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;

/// Counts this process's attempts by outcome, and measures how long they took. Thread-safe.
public final class AttemptMeter {

    private final Map<String, LongAdder> byOutcome = new ConcurrentHashMap<>();
    private final LockFreeHistogram durations = LockFreeHistogram.ofDurations();

    public AttemptMeter() {
        for (int digit = 1; digit <= 5; digit++) {
            byOutcome.put(digit + "xx", new LongAdder());
        }
        for (var code : ErrorCode.values()) {
            if (!isStatus(code)) {
                byOutcome.put(code.text(), new LongAdder());
            }
        }
    }

    public void count(Attempt attempt) {
        var counter = byOutcome.get(outcome(attempt));
        if (counter != null) {
            counter.increment();
        }
        durations.record(attempt.latency());
    }

    /// Returns the class of the response status, such as `2xx`, or the error code if there was no
    /// response.
    private static String outcome(Attempt attempt) {
        return attempt.errorCode()
                .filter(code -> !isStatus(code))
                .map(ErrorCode::text)
                .orElseGet(() -> attempt.responseStatus().orElse(0) / 100 + "xx");
    }

    /// Whether this error code means only that the response had a status other than 2xx.
    private static boolean isStatus(ErrorCode code) {
        return code == ErrorCode.HTTP_STATUS || code == ErrorCode.REDIRECT;
    }

    /// Returns the number of attempts for each outcome. Outcomes that never occurred are included
    /// with a count of 0. The keys are the classes of response statuses, `1xx` to `5xx`, and all
    /// error codes except `http_status` and `redirect`.
    public Map<String, Long> counts() {
        Map<String, Long> counts = new TreeMap<>();
        byOutcome.forEach((outcome, counter) -> counts.put(outcome, counter.sum()));
        return counts;
    }

    public LockFreeHistogram durations() {
        return durations;
    }
}
