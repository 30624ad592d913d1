package dev.sluice.bench.scenario;

import dev.sluice.bench.platform.Wait;
import dev.sluice.bench.report.Report;
import dev.sluice.bench.sink.SinkProcess;

import java.time.Duration;

/// What a sink should have seen by now.
final class Arrivals {

    private static final Duration LONGEST = Duration.ofMinutes(2);

    private final SinkProcess sink;
    private long expected;

    Arrivals(SinkProcess sink) {
        this.sink = sink;
        expected = sink.count().requests();
    }

    /// Seconds until all that was accepted so far has arrived.
    double await(Lap lap) {
        expected += lap.result().acceptedInAll();
        long start = System.nanoTime();
        Wait.until(LONGEST, () -> sink.count().requests() >= expected);
        return (System.nanoTime() - start) / 1e9;
    }

    void judge(Report report) {
        long arrived = sink.count().requests();
        report.remark("Accepted %d, arrived %d.".formatted(expected, arrived));
        report.failUnless(arrived >= expected, "not all that was accepted arrived");
    }
}
