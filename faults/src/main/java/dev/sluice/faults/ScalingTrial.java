package dev.sluice.faults;

import dev.sluice.bench.load.LoadPattern;
import dev.sluice.bench.load.LoadPlan;
import dev.sluice.bench.load.LoadProcess;
import dev.sluice.bench.load.LoadResult;
import dev.sluice.bench.platform.Wait;
import dev.sluice.bench.report.ReportTable;
import dev.sluice.bench.sink.SinkBehaviour;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/// Measures the throughput and cost of one relay, then of two, and so on (by default up to three),
/// all using the same PostgreSQL server. Then kills one relay under load.
final class ScalingTrial implements FaultTrial {

    private static final int MAX_RELAYS = 3;
    private static final int GENERATOR_CONNECTIONS = 192;
    private static final Duration DRAIN_TIMEOUT = Duration.ofMinutes(2);

    @Override
    public String title() {
        return "nodes: one, two and three relays";
    }

    @Override
    public Criteria run(FaultOptions options) {
        var criteria = new Criteria();
        var table =
                ReportTable.of(
                        "Throughput, 1 KB, back to back",
                        "relays | answered/s | delivered/s | relays µs | PostgreSQL µs | ack p50 ms"
                                + " | p99 | failures");
        try (var testbed =
                FaultTestbed.open(
                        TestbedSpec.standard().with(1).with(new SinkBehaviour.ImmediateAnswers()),
                        options)) {
            for (int relays = 1; relays <= options.nodes(MAX_RELAYS); relays++) {
                if (relays > 1) {
                    testbed.addRelay();
                }
                measure(testbed, relays, options.seconds(20), table);
                awaitDrained(testbed, criteria, relays);
            }
            criteria.table(table);
            killOne(testbed, options, criteria);
            new OutcomeChecker(testbed, criteria).checkLogsAndAudit();
        }
        return criteria;
    }

    private static void measure(
            FaultTestbed testbed, int relays, Duration time, ReportTable table) {
        var loads = startLoads(testbed, relays, new LoadPattern.BackToBack(), false);
        Wait.pause(time); // warms up
        var sample = ThroughputSample.of(testbed, time);
        var results = endLoads(loads);
        table.row(
                relays,
                results.stream().mapToDouble(LoadResult::answeredPerSecond).sum(),
                sample.deliveredPerSecond(),
                sample.relayMicros(),
                sample.postgresMicros(),
                results.stream().mapToDouble(one -> one.latency().p50Ms()).max().orElse(0),
                results.stream().mapToDouble(one -> one.latency().p99Ms()).max().orElse(0),
                results.stream().mapToLong(LoadResult::failures).sum());
    }

    private static List<LoadProcess> startLoads(
            FaultTestbed testbed, int relays, LoadPattern pattern, boolean withLedger) {
        var loads = new ArrayList<LoadProcess>();
        for (int relay = 0; relay < relays; relay++) {
            var ingests = testbed.ingests(testbed.node(relay).api().base());
            var plan = LoadPlan.of(pattern, GENERATOR_CONNECTIONS / relays, ingests);
            loads.add(LoadProcess.start(withLedger ? plan.recorded(testbed.sent(relay)) : plan));
        }
        loads.forEach(LoadProcess::awaitMeasuring);
        return loads;
    }

    private static List<LoadResult> endLoads(List<LoadProcess> loads) {
        loads.forEach(LoadProcess::finish);
        var results = new ArrayList<LoadResult>();
        for (LoadProcess load : loads) {
            try (load) {
                load.awaitMeasured();
                results.add(load.result());
            }
        }
        return results;
    }

    private static void awaitDrained(FaultTestbed testbed, Criteria criteria, int relays) {
        double seconds =
                Wait.secondsUntil(DRAIN_TIMEOUT, () -> testbed.queries().waitingDeliveries() == 0);
        criteria.inTime(
                "seconds until %d relays had delivered all".formatted(relays),
                DRAIN_TIMEOUT.toSeconds() - 1.0,
                seconds);
    }

    private static void killOne(FaultTestbed testbed, FaultOptions options, Criteria criteria) {
        int relays = testbed.cluster().relays().size();
        var loads =
                startLoads(
                        testbed,
                        relays,
                        new LoadPattern.ConstantRate(Math.max(1, options.rate() / relays)),
                        true);
        Wait.pause(options.seconds(20));
        var victim = testbed.cluster().relays().getLast();
        var ownedWork = testbed.ownedWork(victim);
        victim.kill();
        long deliveries = ownedWork.deliveries();
        double seconds = ownedWork.secondsUntilTakenOver();
        Wait.pause(Duration.ofSeconds(5));
        endLoads(loads);
        awaitDrained(testbed, criteria, relays - 1);
        victim.restart();
        var ledgers = testbed.ledgers(relays);
        criteria.none(
                "lost",
                IntStream.range(0, FaultTestbed.MAX_CONNECTIONS_PER_SOURCE)
                        .map(sink -> ledgers.compare(sink).lost())
                        .sum());
        criteria.remark("%d deliveries were in the memory of the one killed".formatted(deliveries))
                .inTime(
                        "seconds until its work was taken over",
                        OwnedWorkQueries.TAKEOVER_TIMEOUT_SECONDS,
                        seconds);
    }
}
