package dev.sluice.faults;

import dev.sluice.bench.platform.Wait;

import java.time.Duration;

/// Fault 8: a relay runs only a twentieth of the time, because it is frozen for 950 of every 1000
/// milliseconds.
final class CpuStarvationFault implements Fault {

    private static final Duration FROZEN_TIME = Duration.ofMillis(950);
    private static final Duration RUNNING_TIME = Duration.ofMillis(50);
    private static final Duration RECOVERY_TIMEOUT = Duration.ofSeconds(20);

    @Override
    public TestbedSpec testbedSpec() {
        return TestbedSpec.slow();
    }

    @Override
    public void inject(FaultTestbed testbed, Criteria criteria) {
        var starved = testbed.node(0);
        long most = 0;
        long known = testbed.node(1).countLogLines("node.died");
        long end = System.nanoTime() + testbed.options().seconds(60).toNanos();
        while (System.nanoTime() - end < 0) {
            starved.freeze();
            most = Math.max(most, testbed.ownedWork(starved).deliveries());
            Wait.pause(FROZEN_TIME);
            starved.unfreeze();
            Wait.pause(RUNNING_TIME);
        }
        long deaths = testbed.node(1).countLogLines("node.died") - known;
        // If a response arrived while the relay was frozen, the attempt counts as timed out, and
        // the delivery may be sent again.
        long unread = starved.countLogLines("response_timeout");
        testbed.allowDuplicates(deaths * most + unread);
        double seconds =
                Wait.secondsUntil(
                        RECOVERY_TIMEOUT,
                        () ->
                                testbed.queries().isLive(starved.epoch())
                                        && testbed.accepts(starved));
        criteria.remark(
                        "it was declared dead %d times, with up to %d deliveries in memory, and did not read %d answers in time"
                                .formatted(deaths, most, unread))
                .inTime(
                        "seconds until it lives and accepts again",
                        RECOVERY_TIMEOUT.toSeconds() - 1.0,
                        seconds);
    }
}
