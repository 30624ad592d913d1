package dev.sluice.faults;

import dev.sluice.bench.platform.Wait;
import dev.sluice.bench.relay.RelayProcess;
import dev.sluice.bench.report.ReportTable;
import dev.sluice.faults.wire.LinkConditions;

import java.time.Duration;
import java.util.List;

/// Fault 10: the round trip between each relay and PostgreSQL takes 200 ms. Later, each relay's
/// link to PostgreSQL is limited to 20 KB/s.
final class SlowDatabaseFault implements Fault {

    private static final Duration ONE_WAY_DELAY = Duration.ofMillis(100);
    private static final int BYTES_PER_SECOND = 20_000;
    private static final Duration RECOVERY_TIMEOUT = Duration.ofSeconds(60);

    @Override
    public TestbedSpec testbedSpec() {
        return TestbedSpec.slow().withProxies();
    }

    @Override
    public void inject(FaultTestbed testbed, Criteria criteria) {
        var table = ReportTable.of("Slow spells", "line | all accept again after s");
        double slowest = 0;
        testbed.allowDuplicates(Long.MAX_VALUE); // a lease may expire over such a slow connection
        for (var conditions :
                List.of(
                        LinkConditions.delayed(ONE_WAY_DELAY),
                        LinkConditions.throttled(BYTES_PER_SECOND))) {
            setConditions(testbed, conditions);
            Wait.pause(testbed.options().seconds(30));
            setConditions(testbed, LinkConditions.UNIMPAIRED);
            double seconds =
                    Wait.secondsUntil(
                            RECOVERY_TIMEOUT,
                            () -> testbed.cluster().relays().stream().allMatch(testbed::accepts));
            slowest = Math.max(slowest, seconds);
            table.row(conditions.bytesPerSecond() > 0 ? "narrow" : "long", seconds);
        }
        criteria.table(table)
                .inTime(
                        "seconds until all accept again",
                        RECOVERY_TIMEOUT.toSeconds() - 1.0,
                        slowest)
                .holds(
                        "no relay has ended",
                        testbed.cluster().relays().stream().allMatch(RelayProcess::isAlive));
    }

    private static void setConditions(FaultTestbed testbed, LinkConditions conditions) {
        for (int node = 0; node < testbed.spec().nodes(); node++) {
            testbed.cluster().proxy(node).setConditions(conditions);
        }
    }

    @Override
    public void verify(FaultTestbed testbed, Criteria criteria) {
        testbed.remarkFailures(criteria);
    }
}
