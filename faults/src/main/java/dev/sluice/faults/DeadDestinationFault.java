package dev.sluice.faults;

import dev.sluice.bench.measure.LatencyTolerance;
import dev.sluice.bench.platform.Wait;
import dev.sluice.bench.report.ReportTable;

import java.util.ArrayList;
import java.util.List;

/// Fault 14: a destination refuses connections while many deliveries, by default a million, are
/// waiting for it. Deliveries to other destinations must not be affected. The destination is
/// alternately paused and resumed, so that the others are measured with and without the fault on
/// the same machine.
final class DeadDestinationFault implements Fault {

    private static final LatencyTolerance TOLERANCE = new LatencyTolerance(1.1, 10);

    /// The seconds between attempts. All retries together take longer than the whole test, so no
    /// delivery runs out of attempts.
    private static final int RETRY_SECONDS = 120;

    private final List<MeasuredWindow> windows = new ArrayList<>();

    private record MeasuredWindow(boolean isDead, long from, long to) {}

    @Override
    public void inject(FaultTestbed testbed, Criteria criteria) {
        try (var backlog =
                DeadDestinationBacklog.create(
                        testbed, testbed.options().rows(1_000_000), RETRY_SECONDS)) {
            testbed.leaveWaiting(backlog.rows());
            criteria.remark("%d deliveries waited for it".formatted(backlog.rows()));
            for (int round = 1; round <= testbed.options().rounds(5); round++) {
                windows.add(window(testbed, false));
                backlog.resume();
                windows.add(window(testbed, true));
                backlog.observeCircuit();
                backlog.pause();
            }
            criteria.remark(
                    "its circuit was seen " + String.join(", then ", backlog.observeCircuit()));
        }
    }

    private static MeasuredWindow window(FaultTestbed testbed, boolean isDead) {
        long from = System.nanoTime();
        Wait.pause(testbed.options().seconds(20));
        return new MeasuredWindow(isDead, from, System.nanoTime());
    }

    @Override
    public void verify(FaultTestbed testbed, Criteria criteria) {
        var ledgers = testbed.ledgers();
        var table =
                ReportTable.of(
                        "First attempts of the others", "round | destination | p50 ms | p99 ms");
        var healthy = new ArrayList<Double>();
        var beside = new ArrayList<Double>();
        for (MeasuredWindow window : windows) {
            var latency = ledgers.firstAttemptLatency(window.from(), window.to());
            (window.isDead() ? beside : healthy).add(latency.p99Ms());
            table.row(
                    windows.indexOf(window) / 2 + 1,
                    window.isDead() ? "dead" : "paused",
                    latency.p50Ms(),
                    latency.p99Ms());
        }
        criteria.table(table)
                .inTime(
                        "p99 of the others' first attempts beside it, ms (median)",
                        TOLERANCE.limit(LatencyTolerance.median(healthy)),
                        LatencyTolerance.median(beside));
    }
}
