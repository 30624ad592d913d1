package dev.sluice.bench.load;

import dev.sluice.bench.measure.Histogram;

import java.util.Map;
import java.util.TreeMap;

/// Counts the outcomes of the requests that were due within the measurement period.
final class LoadCounters {

    private final Map<String, Long> statuses = new TreeMap<>();
    private final Histogram latency = new Histogram();
    private final Histogram lateness = new Histogram();
    private long sent;
    private long unanswered;
    private long timedOut;
    private long unreachable;
    private long accepted;
    private long acceptedWithinWindow;
    private long acceptedInAll;

    void sent(long nanosLate) {
        sent++;
        lateness.record(nanosLate);
    }

    void accepted(long nanos) {
        accepted++;
        latency.record(nanos);
    }

    void refused(int status) {
        statuses.merge(Integer.toString(status), 1L, Long::sum);
    }

    void unanswered() {
        unanswered++;
    }

    void timedOut() {
        timedOut++;
    }

    void unreachable() {
        unreachable++;
    }

    /// Counts a 200 response, even if its request was not due within the measurement period.
    ///
    /// @param withinMeasured whether the response arrived within the measurement period
    void countAccepted(boolean withinMeasured) {
        acceptedInAll++;
        acceptedWithinWindow += withinMeasured ? 1 : 0;
    }

    LoadResult result(double seconds, long unsent) {
        var all = new TreeMap<>(statuses);
        all.put("200", accepted);
        return new LoadResult(
                seconds,
                sent,
                all,
                new LoadResult.MissingAnswers(unanswered, timedOut, unreachable, unsent),
                acceptedInAll,
                acceptedWithinWindow / seconds,
                latency.summary(),
                lateness.summary());
    }
}
