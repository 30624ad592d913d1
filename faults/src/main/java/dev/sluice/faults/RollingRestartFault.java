package dev.sluice.faults;

import dev.sluice.bench.platform.Wait;
import dev.sluice.bench.report.ReportTable;
import dev.sluice.faults.cluster.RelayCluster.ClusterRequirements;

import java.util.Map;

/// Fault 23: the relays are stopped with SIGTERM and restarted in turn. In front of them is a load
/// balancer, which tries the other relay if one refuses the connection or answers 503.
final class RollingRestartFault implements Fault {

    private static final double MAX_STOP_SECONDS = 30;

    @Override
    public TestbedSpec testbedSpec() {
        return TestbedSpec.standard()
                .withBalancer()
                .requiring(ClusterRequirements.ofRelaySettings(Map.of("SLUICE_STOP_DELAY", "1s")));
    }

    @Override
    public void inject(FaultTestbed testbed, Criteria criteria) {
        var table = ReportTable.of("Restarts", "round | stopped after s | exit | back after s");
        double longest = 0;
        int bad = 0;
        for (int round = 1; round <= testbed.options().rounds(20); round++) {
            var relay = testbed.node((round - 1) % testbed.spec().nodes());
            long from = System.nanoTime();
            int exit = relay.stop();
            double stopped = (System.nanoTime() - from) / 1e9;
            relay.restart();
            double back = (System.nanoTime() - from) / 1e9 - stopped;
            longest = Math.max(longest, stopped);
            bad += exit == 0 ? 0 : 1;
            table.row(round, stopped, exit, back);
            Wait.pause(testbed.options().seconds(3));
        }
        criteria.table(table)
                .inTime("seconds of the longest stop", MAX_STOP_SECONDS, longest)
                .none("stops that did not end with 0", bad);
    }

    @Override
    public void verify(FaultTestbed testbed, Criteria criteria) {
        criteria.none("requests that failed at the balancer", testbed.failures());
        testbed.remarkFailures(criteria);
    }
}
