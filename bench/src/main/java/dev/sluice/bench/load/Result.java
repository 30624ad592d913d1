package dev.sluice.bench.load;

import dev.sluice.bench.measure.Latency;

import java.util.Map;
import java.util.TreeMap;

/// What became of the requests that were due within the measured time.
///
/// @param statuses how many answers of each
/// @param unanswered sent, but the connection ended first
/// @param timedOut sent, but not answered within half a minute
/// @param unreachable not sent, because the relay refused every connection when they were due
/// @param unsent not sent, because every connection was busy until the end
/// @param acceptedInAll answered 200 at any time, warm-up included: what the sink should see
/// @param answeredPerSecond 200s that came back within the measured time
/// @param latency of the 200s, from the moment they were due
/// @param lateness from that moment to the sending: the generator's own part of the latency
public record Result(
        double seconds,
        long sent,
        Map<String, Long> statuses,
        long unanswered,
        long timedOut,
        long unreachable,
        long unsent,
        long acceptedInAll,
        double answeredPerSecond,
        Latency latency,
        Latency lateness) {

    public Result {
        statuses = Map.copyOf(statuses);
    }

    /// Requests that did not end in a 200.
    public long failures() {
        long refused = 0;
        for (var status : statuses.entrySet()) {
            refused += status.getKey().equals("200") ? 0 : status.getValue();
        }
        return refused + unanswered + timedOut + unreachable + unsent;
    }

    /// What [#failures()] is made of.
    public String failuresInWords() {
        return "answered %s, unanswered %d, timed out %d, unreachable %d, unsent %d"
                .formatted(new TreeMap<>(statuses), unanswered, timedOut, unreachable, unsent);
    }
}
