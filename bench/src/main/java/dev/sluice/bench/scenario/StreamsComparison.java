package dev.sluice.bench.scenario;

import dev.sluice.bench.measure.LatencyTolerance;
import dev.sluice.bench.report.BenchReport;

import java.util.List;
import java.util.function.ToDoubleFunction;

/// Compares measurement windows in which streams were open with windows in which none were. Each
/// pair consists of one window of each kind, measured one after the other. Each result is the
/// median over all pairs.
record StreamsComparison(List<StreamsPair> pairs) {

    /// The minimum ratio of a rate with streams to the same rate without them. Streams may
    /// therefore slow down ingest and delivery by at most 5 %.
    private static final double MIN_RATIO = 0.95;

    /// How much longer a response may take while streams are open.
    private static final LatencyTolerance ANSWER_TOLERANCE = new LatencyTolerance(2, 20);

    /// One measurement window at a constant rate.
    ///
    /// @param answeredShare the share, from 0 to 1, of the due requests that were answered with 200
    /// @param answeredPerSecond the number of 200 responses per second during the window
    /// @param deliveredPerSecond the number of requests per second that reached the sink
    /// @param p99Ms the p99 latency of the responses
    record StreamsWindow(
            double answeredShare,
            double answeredPerSecond,
            double deliveredPerSecond,
            double p99Ms) {

        static StreamsWindow of(LoadMeasurement measurement) {
            return new StreamsWindow(
                    measurement.result().answeredShare(),
                    measurement.result().answeredPerSecond(),
                    measurement.deliveredPerSecond(),
                    measurement.result().latency().p99Ms());
        }
    }

    /// @param droppedStuck how many of the non-reading clients the relay had cut off by the end of
    ///   the window
    record StreamsPair(StreamsWindow without, StreamsWindow beside, long droppedStuck) {

        private double ratio(ToDoubleFunction<StreamsWindow> number) {
            return number.applyAsDouble(beside) / number.applyAsDouble(without);
        }

        /// Returns the latency with streams as a fraction of the highest allowed latency.
        private double latency() {
            return beside.p99Ms() / ANSWER_TOLERANCE.limit(without.p99Ms());
        }
    }

    /// Adds the results and any failures to the report.
    ///
    /// @param stuck the number of clients that never read, all of which the relay must cut off
    void addTo(BenchReport report, int stuck) {
        double share = median(pair -> pair.ratio(StreamsWindow::answeredShare));
        double answered = median(pair -> pair.ratio(StreamsWindow::answeredPerSecond));
        double delivered = median(pair -> pair.ratio(StreamsWindow::deliveredPerSecond));
        report.remark(
                        "Beside streams / without, medians of %d pairs: answered of what was due %.3f, answered/s %.3f, delivered/s %.3f. Median p99 of the answer %.1f ms without, %.1f ms beside."
                                .formatted(
                                        pairs.size(),
                                        share,
                                        answered,
                                        delivered,
                                        median(pair -> pair.without().p99Ms()),
                                        median(pair -> pair.beside().p99Ms())))
                .failUnless(
                        Math.min(share, answered) >= MIN_RATIO,
                        "streams slowed down what is answered")
                .failUnless(delivered >= MIN_RATIO, "streams slowed down what is delivered")
                .failUnless(
                        median(StreamsPair::latency) <= 1,
                        "the p99 of the answer was above twice that without streams, or 20 ms more")
                .failUnless(
                        pairs.stream().allMatch(pair -> pair.droppedStuck() >= stuck),
                        "clients that never read were not cut off");
    }

    private double median(ToDoubleFunction<StreamsPair> number) {
        return LatencyTolerance.median(pairs.stream().mapToDouble(number).boxed().toList());
    }
}
