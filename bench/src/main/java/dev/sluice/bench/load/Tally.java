package dev.sluice.bench.load;

import dev.sluice.bench.measure.Histogram;

import java.util.Map;
import java.util.TreeMap;

/// What became of the requests that were due within the measured time.
final class Tally {

    private final Map<String, Long> statuses = new TreeMap<>();
    private final Histogram latency = new Histogram();
    private final Histogram lateness = new Histogram();
    private long sent;
    private long unanswered;
    private long timedOut;
    private long unreachable;
    private long okays;
    private long okaysWithin;
    private long acceptedInAll;

    void sent(long nanosLate) {
        sent++;
        lateness.record(nanosLate);
    }

    void accepted(long nanos) {
        okays++;
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

    /// A 200, whenever it was due.
    void acceptedAt(boolean withinMeasured) {
        acceptedInAll++;
        okaysWithin += withinMeasured ? 1 : 0;
    }

    Result result(double seconds, long unsent) {
        var all = new TreeMap<>(statuses);
        all.put("200", okays);
        return new Result(
                seconds,
                sent,
                all,
                unanswered,
                timedOut,
                unreachable,
                unsent,
                acceptedInAll,
                okaysWithin / seconds,
                latency.latency(),
                lateness.latency());
    }
}
