package dev.sluice.bench.scenario;

import dev.sluice.bench.measure.LatencyTolerance;
import dev.sluice.bench.report.BenchReport;

import java.util.List;
import java.util.function.ToDoubleFunction;

/// Judges what streams cost: windows without streams and beside them, in pairs that were measured
/// one after the other. A number is the median of what the pairs say.
record StreamsComparison(List<StreamsPair> pairs) {

    /// What streams may take from ingest and delivery: 5 %.
    private static final double MIN_RATIO = 0.95;

    /// How much longer an answer may take.
    private static final LatencyTolerance ANSWER_TOLERANCE = new LatencyTolerance(2, 20);

    /// One window at an even rate.
    ///
    /// @param answeredShare of the requests that were due, how many were answered 200, from 0 to 1
    /// @param answeredPerSecond 200s that came back within the window
    /// @param deliveredPerSecond requests that reached the sink
    /// @param p99Ms of the answer
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

    /// @param droppedStuck how many of the clients that never read the relay had cut off by the end
    record StreamsPair(StreamsWindow without, StreamsWindow beside, long droppedStuck) {

        private double ratio(ToDoubleFunction<StreamsWindow> number) {
            return number.applyAsDouble(beside) / number.applyAsDouble(without);
        }

        /// How high the latency is beside streams, where 1 is the highest allowed.
        private double latency() {
            return beside.p99Ms() / ANSWER_TOLERANCE.limit(without.p99Ms());
        }
    }

    /// Adds the numbers and what is wrong with them.
    ///
    /// @param stuck how many clients never read, all of which must be cut off
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
