package dev.sluice.bench.load;

import dev.sluice.bench.measure.LatencySummary;

import java.util.Map;
import java.util.TreeMap;

/// The outcomes of the requests that were due within the measurement period.
///
/// @param statuses the number of responses with each status
/// @param acceptedInAll the number of requests that were answered with 200 at any time, including
///   the warm-up. The sink should receive at least this many requests
/// @param answeredPerSecond the number of 200 responses per second during the measurement period
/// @param latency the latencies of the 200 responses, each measured from the time when the request
///   was due
/// @param lateness how long after its due time each request was sent. This is the part of the
///   latency that the generator itself causes
public record LoadResult(
        double seconds,
        long sent,
        Map<String, Long> statuses,
        MissingAnswers missing,
        long acceptedInAll,
        double answeredPerSecond,
        LatencySummary latency,
        LatencySummary lateness) {

    /// The requests that got no response.
    ///
    /// @param unanswered requests that were sent, but whose connection ended before a response
    ///   arrived
    /// @param timedOut requests that were sent, but not answered within 30 s
    /// @param unreachable requests that were not sent because no connection to the relay was open
    ///   when they were due
    /// @param unsent requests that were not sent because every connection was busy until the end
    public record MissingAnswers(long unanswered, long timedOut, long unreachable, long unsent) {}

    public LoadResult {
        statuses = Map.copyOf(statuses);
    }

    /// Returns the share, from 0 to 1, of the due requests that were answered with 200. Requests
    /// that were never sent count as not answered.
    public double answeredShare() {
        long accepted = statuses.getOrDefault("200", 0L);
        long due = accepted + failures();
        return due == 0 ? 0 : (double) accepted / due;
    }

    /// Returns the number of requests that were not answered with 200.
    public long failures() {
        long answers = statuses.values().stream().mapToLong(Long::longValue).sum();
        long refused = answers - statuses.getOrDefault("200", 0L);
        return refused
                + missing.unanswered()
                + missing.timedOut()
                + missing.unreachable()
                + missing.unsent();
    }

    /// Describes in words the counts from which [#failures()] is computed.
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
