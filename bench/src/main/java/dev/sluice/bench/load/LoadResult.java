package dev.sluice.bench.load;

import dev.sluice.bench.measure.LatencySummary;

import java.util.Map;
import java.util.TreeMap;

/// What became of the requests that were due within the measured time.
///
/// @param statuses how many answers had each status
/// @param acceptedInAll requests answered 200 at any time, warm-up included: what the sink should
///   see
/// @param answeredPerSecond 200s that came back within the measured time
/// @param latency of the 200s, from the moment each was due
/// @param lateness from that moment until it was sent: the generator's own part of the latency
public record LoadResult(
        double seconds,
        long sent,
        Map<String, Long> statuses,
        MissingAnswers missing,
        long acceptedInAll,
        double answeredPerSecond,
        LatencySummary latency,
        LatencySummary lateness) {

    /// Requests without an answer.
    ///
    /// @param unanswered sent, but the connection ended first
    /// @param timedOut sent, but not answered within half a minute
    /// @param unreachable not sent, because the relay refused every connection when they were due
    /// @param unsent not sent, because every connection was busy until the end
    public record MissingAnswers(long unanswered, long timedOut, long unreachable, long unsent) {}

    public LoadResult {
        statuses = Map.copyOf(statuses);
    }

    /// The share of the requests that were due which were answered 200, from 0 to 1. Requests that
    /// were never sent count as not answered.
    public double answeredShare() {
        long accepted = statuses.getOrDefault("200", 0L);
        long due = accepted + failures();
        return due == 0 ? 0 : (double) accepted / due;
    }

    /// Requests that did not end in a 200.
    public long failures() {
        long answers = statuses.values().stream().mapToLong(Long::longValue).sum();
        long refused = answers - statuses.getOrDefault("200", 0L);
        return refused
                + missing.unanswered()
                + missing.timedOut()
                + missing.unreachable()
                + missing.unsent();
    }

    /// The parts of [#failures()].
    public String describeFailures() {
        return "answered %s, unanswered %d, timed out %d, unreachable %d, unsent %d"
                .formatted(
                        new TreeMap<>(statuses),
                        missing.unanswered(),
                        missing.timedOut(),
                        missing.unreachable(),
                        missing.unsent());
    }
}
