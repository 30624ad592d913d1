package dev.sluice.faults;

import dev.sluice.bench.ledger.MessageEntry.ReceivedEntry;
import dev.sluice.bench.report.ReportTable;
import dev.sluice.bench.sink.SinkBehaviour;

import java.util.List;

/// Uses the sinks' ledgers to check that retries arrived when they were due.
final class RetryTimingCheck {

    private static final double JITTER_RATIO = 0.2;

    /// The maximum time between two requests that belong to the same attempt. If a kept-alive
    /// connection is reset, the attempt repeats its request immediately on a new connection.
    private static final double SAME_ATTEMPT_SECONDS = 1.5;

    private final List<Integer> retrySeconds;
    private final double tolerance;
    private final double maxLateness;

    private int retries;
    private int early;
    private int late;
    private double worstLateness;

    /// @param tolerance how many seconds a retry may arrive before the earliest time that the
    ///   jitter allows
    /// @param latest how many seconds a retry may arrive after the latest time that the jitter
    ///   allows
    RetryTimingCheck(List<Integer> intervals, double tolerance, double latest) {
        this.retrySeconds = intervals;
        this.tolerance = tolerance;
        this.maxLateness = latest;
    }

    RetryTimingCheck read(TestbedLedgers ledgers) {
        for (int sink = 0; sink < FaultTestbed.MAX_CONNECTIONS_PER_SOURCE; sink++) {
            ledgers.attemptsByMarker(sink).values().forEach(this::read);
        }
        return this;
    }

    private void read(List<ReceivedEntry> attempts) {
        int number = 0;
        for (int at = 1; at < attempts.size(); at++) {
            var last = attempts.get(at - 1);
            double gap = (attempts.get(at).nanos() - last.nanos()) / 1e9;
            if (last.isDelivered()
                    || number == retrySeconds.size()
                    || (last.status() == SinkBehaviour.RESET_CONNECTION
                            && gap < SAME_ATTEMPT_SECONDS)) {
                continue;
            }
            int interval = retrySeconds.get(number++);
            retries++;
            early += gap < interval * (1 - JITTER_RATIO) - tolerance ? 1 : 0;
            double lateness = gap - interval * (1 + JITTER_RATIO);
            late += lateness > maxLateness ? 1 : 0;
            worstLateness = Math.max(worstLateness, lateness);
        }
    }

    /// @param isLateJudged whether late retries count as failures; false if something else may
    ///   delay retries
    void verify(Criteria criteria, boolean isLateJudged) {
        criteria.table(
                        ReportTable.of(
                                        "Retries by the sinks' ledgers",
                                        "retries | early | late | latest by s")
                                .row(retries, early, late, worstLateness))
                .atLeast("retries", 1, retries)
                .none("retries before 80 % of their interval", early);
        if (isLateJudged) {
            criteria.none("retries more than %s s after 120 %% of it".formatted(maxLateness), late);
        }
    }
}
