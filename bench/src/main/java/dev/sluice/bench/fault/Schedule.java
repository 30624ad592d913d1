package dev.sluice.bench.fault;

import dev.sluice.bench.ledger.Entry.Received;
import dev.sluice.bench.report.Table;
import dev.sluice.bench.sink.Behaviour;

import java.util.List;

/// Whether retries came when the schedule has them, by the sinks' ledgers.
final class Schedule {

    private static final double JITTER = 0.2;

    /// A kept connection that is reset is replaced at once, in the same attempt.
    private static final double SAME_ATTEMPT = 1.5;

    private final List<Integer> intervals;
    private final double tolerance;
    private final double latest;

    private int retries;
    private int early;
    private int late;
    private double worst;

    /// @param tolerance seconds that a retry may be early
    /// @param latest seconds that it may be late
    Schedule(List<Integer> intervals, double tolerance, double latest) {
        this.intervals = intervals;
        this.tolerance = tolerance;
        this.latest = latest;
    }

    Schedule read(Books books) {
        for (int sink = 0; sink < Stage.MOST_CONNECTIONS; sink++) {
            books.attempts(sink).values().forEach(this::read);
        }
        return this;
    }

    private void read(List<Received> attempts) {
        int number = 0;
        for (int at = 1; at < attempts.size(); at++) {
            var last = attempts.get(at - 1);
            double gap = (attempts.get(at).nanos() - last.nanos()) / 1e9;
            if (last.isTaken()
                    || number == intervals.size()
                    || (last.status() == Behaviour.RESET && gap < SAME_ATTEMPT)) {
                continue;
            }
            int interval = intervals.get(number++);
            retries++;
            early += gap < interval * (1 - JITTER) - tolerance ? 1 : 0;
            double lateness = gap - interval * (1 + JITTER);
            late += lateness > latest ? 1 : 0;
            worst = Math.max(worst, lateness);
        }
    }

    /// @param isLateJudged false where something else may hold retries back
    void judge(Criteria criteria, boolean isLateJudged) {
        criteria.table(
                        new Table(
                                        "Retries by the sinks' ledgers",
                                        "retries",
                                        "early",
                                        "late",
                                        "latest by s")
                                .row(retries, early, late, worst))
                .atLeast("retries", 1, retries)
                .none("retries before 80 % of their interval", early);
        if (isLateJudged) {
            criteria.none("retries more than %s s after 120 %% of it".formatted(latest), late);
        }
    }
}
