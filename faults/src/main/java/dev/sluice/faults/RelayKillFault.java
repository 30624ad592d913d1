package dev.sluice.faults;

import dev.sluice.bench.platform.Wait;

/// Fault 1: one of two relays is killed again and again, and the other takes over its work.
final class RelayKillFault implements Fault {

    private static final double MAX_ACK_P99_MS = 250;

    @Override
    public TestbedSpec testbedSpec() {
        return TestbedSpec.slow();
    }

    @Override
    public void inject(FaultTestbed testbed, Criteria criteria) {
        var table = new TakeoverTable(testbed, "Relay killed", "round", "answers again after s");
        for (int round = 1; round <= testbed.options().rounds(10); round++) {
            var victim = testbed.node(0);
            var ownedWork = testbed.ownedWork(victim);
            victim.kill();
            long deliveries = ownedWork.deliveries();
            double seconds = ownedWork.secondsUntilTakenOver();
            long from = System.nanoTime();
            victim.restart();
            table.row(round, deliveries, seconds, (System.nanoTime() - from) / 1e9);
            Wait.pause(testbed.options().seconds(5));
        }
        table.addTo(criteria);
    }

    @Override
    public void verify(FaultTestbed testbed, Criteria criteria) {
        criteria.inTime(
                "ack p99 at the relay that lived, ms",
                MAX_ACK_P99_MS,
                testbed.results().get(1).latency().p99Ms());
    }
}
