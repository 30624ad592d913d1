package dev.sluice.faults;

import dev.sluice.bench.load.LoadPattern;
import dev.sluice.bench.load.LoadPlan;
import dev.sluice.bench.load.LoadProcess;
import dev.sluice.bench.load.LoadResult;
import dev.sluice.bench.measure.LatencyTolerance;
import dev.sluice.bench.relay.RelayApi;
import dev.sluice.bench.relay.RelayApi.BenchSource;
import dev.sluice.bench.report.ReportTable;

import java.time.Duration;
import java.util.ArrayList;
import java.util.function.Function;

/// A fault in which the relay is attacked repeatedly through one source, with pauses between the
/// attacks. The relay must still respond quickly to the senders of another source, the neighbour,
/// and must not refuse any of their requests.
///
/// @param attack starts the attack
record AttackedNeighbourFault(Function<RelayApi, Attack> attack) implements Fault {

    /// An attack that continues until it is closed.
    interface Attack extends AutoCloseable {

        /// Describes in words how much load the attack has sent so far.
        String offeredLoad();

        @Override
        void close();
    }

    private static final LatencyTolerance TOLERANCE = new LatencyTolerance(2, 20);
    private static final int RATE = 200;
    private static final int BODY_BYTES = 2_000;
    private static final Duration WARM_UP = Duration.ofSeconds(2);

    @Override
    public TestbedSpec testbedSpec() {
        return TestbedSpec.standard().with(1);
    }

    @Override
    public void inject(FaultTestbed testbed, Criteria criteria) {
        var api = testbed.node(0).api();
        var neighbour = api.createSource("neighbour");
        var table =
                ReportTable.of(
                        "A neighbour: %d/s of %d bytes".formatted(RATE, BODY_BYTES),
                        "pair | beside | ack p50 ms | ack p99 ms | refused");
        var alone = new ArrayList<Double>();
        var beside = new ArrayList<Double>();
        long refused = 0;
        for (int pair = 1; pair <= testbed.options().rounds(5); pair++) {
            var without = measure(testbed, neighbour);
            alone.add(without.latency().p99Ms());
            addRow(table, pair, "nothing", without);
            try (var attacker = attack.apply(api)) {
                var with = measure(testbed, neighbour);
                api.createSource("made meanwhile"); // shows that the management API still works
                beside.add(with.latency().p99Ms());
                refused += refusals(with);
                addRow(table, pair, attacker.offeredLoad(), with);
            }
        }
        criteria.table(table)
                .none("requests of the neighbour that were refused beside it", refused)
                .inTime(
                        "p99 of the neighbour's acks beside it, ms (median)",
                        TOLERANCE.limit(LatencyTolerance.median(alone)),
                        LatencyTolerance.median(beside));
    }

    private static LoadResult measure(FaultTestbed testbed, BenchSource neighbour) {
        var plan =
                LoadPlan.of(new LoadPattern.ConstantRate(RATE), 16, neighbour.ingest())
                        .sized(BODY_BYTES)
                        .lasting(WARM_UP, testbed.options().seconds(15));
        try (var load = LoadProcess.start(plan)) {
            load.awaitMeasuring();
            load.awaitMeasured();
            return load.result();
        }
    }

    private static void addRow(ReportTable table, int pair, String beside, LoadResult seen) {
        var ack = seen.latency();
        table.row(pair, beside, ack.p50Ms(), ack.p99Ms(), refusals(seen));
    }

    private static long refusals(LoadResult seen) {
        long answers = seen.statuses().values().stream().mapToLong(Long::longValue).sum();
        return answers - seen.statuses().getOrDefault("200", 0L);
    }

    @Override
    public void verify(FaultTestbed testbed, Criteria criteria) {
        testbed.remarkFailures(criteria);
        criteria.none("requests of the other load that failed", testbed.failures());
    }
}
