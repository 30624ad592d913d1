package dev.sluice.faults;

import dev.sluice.bench.platform.Wait;

import java.time.Duration;

/// Fault 7: a relay is frozen (SIGSTOP) and wakes after the other relay has taken over its work.
final class FrozenRelayFault implements Fault {

    /// The time within which a woken relay must notice that it was declared dead.
    private static final Duration REJOIN_TIMEOUT = Duration.ofSeconds(15);

    @Override
    public TestbedSpec testbedSpec() {
        return TestbedSpec.slow();
    }

    @Override
    public void inject(FaultTestbed testbed, Criteria criteria) {
        var table = new TakeoverTable(testbed, "Freezes", "round", "sent again when awake");
        int again = 0;
        long least = Long.MAX_VALUE;
        boolean rejoined = true;
        boolean accepted = true;
        for (int round = 1; round <= testbed.options().rounds(2); round++) {
            var zombie = testbed.node(0);
            long epoch = zombie.epoch();
            var ownedWork = testbed.ownedWork(zombie);
            long end = System.nanoTime() + testbed.options().seconds(60).toNanos();
            zombie.freeze();
            long deliveries = ownedWork.deliveries();
            double seconds = ownedWork.secondsUntilTakenOver();
            accepted &= testbed.accepts(testbed.node(1));
            Wait.pause(Duration.ofNanos(Math.max(0, end - System.nanoTime())));
            var before = testbed.ledgers();
            zombie.unfreeze();
            rejoined &= Wait.until(REJOIN_TIMEOUT, () -> zombie.epoch() != epoch);
            Wait.pause(Duration.ofSeconds(5));
            int repeated = testbed.ledgers().countRepeatedSince(before);
            again += repeated;
            least = Math.min(least, deliveries);
            table.row(round, deliveries, seconds, repeated);
        }
        table.addTo(criteria);
        criteria.atLeast("deliveries in its memory in each round", 1, least)
                .holds("the other relay accepts events meanwhile", accepted)
                .none("taken by a sink before it woke, and sent again after", again)
                .holds("it takes a new epoch when it wakes", rejoined);
    }
}
