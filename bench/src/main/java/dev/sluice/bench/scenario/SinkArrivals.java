package dev.sluice.bench.scenario;

import dev.sluice.bench.platform.Wait;
import dev.sluice.bench.report.BenchReport;
import dev.sluice.bench.sink.SinkProcess;

import java.time.Duration;

/// Waits until a sink has received everything that the relay accepted.
final class SinkArrivals {

    private static final Duration ARRIVAL_TIMEOUT = Duration.ofMinutes(2);

    private final SinkProcess sink;
    private long expected;

    SinkArrivals(SinkProcess sink) {
        this.sink = sink;
        expected = sink.count().requests();
    }

    /// Waits until all events accepted so far, including those from `measurement`, have arrived at
    /// the sink or the timeout has passed. Returns how many seconds that took.
    double awaitAll(LoadMeasurement measurement) {
        expected += measurement.result().acceptedInAll();
        return Wait.secondsUntil(ARRIVAL_TIMEOUT, () -> sink.count().requests() >= expected);
    }

    void check(BenchReport report) {
        long arrived = sink.count().requests();
        report.remark("Accepted %d, arrived %d.".formatted(expected, arrived));
        checkComplete("some of what was accepted did not arrive", report);
    }

    void checkComplete(String failure, BenchReport report) {
        report.failUnless(sink.count().requests() >= expected, failure);
    }
}
